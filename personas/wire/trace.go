package wire

// Tokens is the number of tokens that a call used, as reported by the model's provider. It is zero
// if no provider was called. The numbers are sent in headers, or for a stream in trailers.
type Tokens struct{ In, Out int }

// Trace is the response of GET trace. It explains how each reply of a session came about, starting
// with the opening. Transitions are indexes into the machine's list in the session's version of the
// persona.
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
	// Evaluation explains the judgement of the player's message. Holds lists the transitions with a
	// condition that was met. Transition is the one that fired, or null.
	Evaluation string `json:"evaluation"`
	Holds      []Hold `json:"holds"`
	Transition *int   `json:"transition"`
	// Choices are the possible decisions with their probabilities, the aside last. Method is the
	// method of asking the model. Milliseconds is the time that the judgement took. Members that
	// the judge does not provide are omitted.
	Choices      []TraceChoice `json:"choices,omitempty"`
	Method       string        `json:"method,omitempty"`
	Milliseconds int           `json:"milliseconds,omitempty"`
	// Aside means that the message was judged as an aside, even if it counted as a redirect because
	// the state's patience was used up. It is omitted if false.
	Aside bool `json:"aside,omitempty"`
	// Reply describes where the text came from. If the running summary was not updated, Summary is the
	// reason.
	Reply   string `json:"reply"`
	Summary string `json:"summary"`
	// Extraction describes the fallback if the model could not extract the output variables. It is
	// omitted if empty.
	Extraction string `json:"extraction,omitempty"`
	// Usage maps steps to their cost: open, evaluation, response, summarization, extraction.
	Usage map[string]Usage `json:"usage"`
}

// TraceChoice is one choice with its probability. Transition is null for a follow-up, an aside, or
// a redirect without a transition.
type TraceChoice struct {
	Decision    string  `json:"decision"`
	Transition  *int    `json:"transition"`
	Probability float64 `json:"probability"`
}

// Hold is a transition with a condition that was met. Why is the reason.
type Hold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why"`
}

// Usage is the number of tokens that a step used. Model is provider/model.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is the number of tokens in In that were in the provider's cache. It is 0 if the
	// provider does not report it.
	Cached int `json:"cached,omitempty"`
}

// Fork is the request body of fork. The play with the user session id UserSessionID is forked after
// the player's first At messages, or after the opening if At is 0. Name is the label of the new
// branch. If Latest is true, the branch continues with the persona's latest version. The call then
// fails if a copied message would have another effect with that version. Key is the call's
// Idempotency-Key, as for Message.
type Fork struct {
	UserSessionID string `json:"user_session_id"`
	At            int    `json:"at"`
	Name          string `json:"name,omitempty"`
	Latest        bool   `json:"latest,omitempty"`
	Key           string `json:"-"`
}

// MaxBranchName is the maximum length of a branch name in characters.
const MaxBranchName = 80

// Branch is a player's play with a persona. It is the response of fork, and an item of the response
// of branches. The session fields describe the play's most recent session.
type Branch struct {
	UserSessionID string `json:"user_session_id"`
	Label         string `json:"label"`
	// Parent is the user_session_id of the branch that was forked, or null if it was deleted. ForkedAt
	// is the number of the player's messages before the fork, in the conversation with
	// ForkedMachineKey. All three are null for the first branch of the tree.
	Parent           *string `json:"parent"`
	ForkedAt         *int    `json:"forked_at"`
	ForkedMachineKey *string `json:"forked_machine_key"`
	SessionID        string  `json:"session_id"`
	MachineID        string  `json:"machine_id"`
	MachineKey       string  `json:"machine_key"`
	// Turn is the number of messages that the player has sent in the session.
	Turn          int     `json:"turn"`
	CurrentState  string  `json:"current_state"`
	Score         int     `json:"score"`
	Outcome       *string `json:"outcome"`
	RedirectCount *int    `json:"redirect_count"`
	LastMessageAt Time    `json:"last_message_at"`
}

// Branches is the response of branches. It contains all plays of the tree to which the player's
// play belongs, in order of creation.
type Branches struct {
	Branches []Branch `json:"branches"`
}

// OwnedSession is an item of GET sessions. It is a session of any player with a persona, as the
// persona's owner sees it. Version is the version of the persona, which counts its saves from 1.
// IsBranch means that the session was forked from another one.
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

// Query parameters that filter sessions. QueryLimit and QueryAfter work as for other lists.
const (
	QueryOutcome = "outcome"
	QueryState   = "state"
	QueryVersion = "version"
	QuerySince   = "since"
	// OutcomeNone selects sessions that have not ended.
	OutcomeNone = "none"
)
