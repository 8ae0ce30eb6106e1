package wire

// Tokens counts the tokens of a call as reported by the model provider. It is sent in headers, or
// in trailers after a stream.
type Tokens struct{ In, Out int }

// Trace is the response of GET trace. It explains each reply of a session, starting with the
// opening. A transition is an index into the machine's list of transitions.
type Trace struct {
	SessionID string      `json:"session_id"`
	PersonaID string      `json:"persona_id"`
	MachineID string      `json:"machine_id"`
	Turns     []TurnTrace `json:"turns"`
}

// TurnTrace explains one message of the character.
type TurnTrace struct {
	MessageID string `json:"message_id"`
	CreatedAt Time   `json:"created_at"`
	// Evaluation explains the evaluation of the player's message. Holds lists the transitions with
	// a true condition. Transition is the transition that fired, or nil.
	Evaluation string `json:"evaluation"`
	Holds      []Hold `json:"holds"`
	Transition *int   `json:"transition"`
	// Choices lists the possible decisions with their probabilities, ending with the aside. Method
	// is the evaluation method. Milliseconds is the duration of the evaluation. Evaluators may omit
	// these members.
	Choices      []TraceChoice `json:"choices,omitempty"`
	Method       string        `json:"method,omitempty"`
	Milliseconds int           `json:"milliseconds,omitempty"`
	// Aside is true for an aside, even if the aside counted as a redirect. An aside counts as a
	// redirect after the patience of the state is used up.
	Aside bool `json:"aside,omitempty"`
	// Reply describes the source of the text. Summary explains why the running summary was not
	// updated.
	Reply   string `json:"reply"`
	Summary string `json:"summary"`
	// Extraction describes the fallback if the model extracted no output variables.
	Extraction string `json:"extraction,omitempty"`
	// Usage maps a step to its cost. The steps are open, evaluation, response, summarization and
	// extraction.
	Usage map[string]Usage `json:"usage"`
}

// TraceChoice is one possible decision with its probability. Transition is nil for a decision
// without a transition.
type TraceChoice struct {
	Decision    string  `json:"decision"`
	Transition  *int    `json:"transition"`
	Probability float64 `json:"probability"`
}

// Hold is a transition with a true condition. Why is the reason.
type Hold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why"`
}

// Usage counts the tokens of a step. Model has the form provider/model.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is the part of In that the provider read from its cache.
	Cached int `json:"cached,omitempty"`
}

// Fork is the request body of fork. It copies the play of UserSessionID up to the player's first At
// messages. Name is the label of the new branch. Latest selects the persona's latest version. The
// request fails if a copied message would have another effect with the latest version. Key is the
// Idempotency-Key, as in Message.
type Fork struct {
	UserSessionID string `json:"user_session_id"`
	At            int    `json:"at"`
	Name          string `json:"name,omitempty"`
	Latest        bool   `json:"latest,omitempty"`
	Key           string `json:"-"`
}

// MaxBranchName is the maximum length of a branch label in characters.
const MaxBranchName = 80

// Branch describes a player's play with a persona. It is the response of fork and an item of
// Branches. The session members describe the latest session of the play.
type Branch struct {
	UserSessionID string `json:"user_session_id"`
	Label         string `json:"label"`
	// Parent is the user_session_id of the forked branch. ForkedAt is the number of the player's
	// messages before the fork, in the conversation with ForkedMachineKey. All three are nil for
	// the first branch. Parent is also nil if the forked branch was deleted.
	Parent           *string `json:"parent"`
	ForkedAt         *int    `json:"forked_at"`
	ForkedMachineKey *string `json:"forked_machine_key"`
	SessionID        string  `json:"session_id"`
	MachineID        string  `json:"machine_id"`
	MachineKey       string  `json:"machine_key"`
	// Turn is the number of the player's messages in the session.
	Turn          int     `json:"turn"`
	CurrentState  string  `json:"current_state"`
	Score         int     `json:"score"`
	Outcome       *string `json:"outcome"`
	RedirectCount *int    `json:"redirect_count"`
	LastMessageAt Time    `json:"last_message_at"`
}

// Branches is the response of branches. It contains all branches of a tree in order of creation.
type Branches struct {
	Branches []Branch `json:"branches"`
}

// OwnedSession is an item of GET sessions. It describes a session of any player for the persona's
// owner. Version is the persona's version, counted from 1. IsBranch is true for a forked session.
type OwnedSession struct {
	SessionID     string  `json:"session_id"`
	MachineID     string  `json:"machine_id"`
	MachineKey    string  `json:"machine_key"`
	Version       int     `json:"version"`
	Turn          int     `json:"turn"`
	CurrentState  string  `json:"current_state"`
	Score         int     `json:"score"`
	Outcome       *string `json:"outcome"`
	IsBranch      bool    `json:"is_branch"`
	StartedAt     Time    `json:"started_at"`
	LastMessageAt Time    `json:"last_message_at"`
}

// Query parameters that filter sessions, besides QueryLimit and QueryAfter.
const (
	QueryOutcome = "outcome"
	QueryState   = "state"
	QueryVersion = "version"
	QuerySince   = "since"
	// OutcomeNone selects unfinished sessions.
	OutcomeNone = "none"
)
