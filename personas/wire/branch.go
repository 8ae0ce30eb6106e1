package wire

// Fork is the request body of fork: the play to take the past of, and after how many of the
// player's messages; 0 is after the opening. Name labels the new branch. Latest continues the named
// machine in the persona's latest version, which must play the messages as they were played. Key is
// the call's Idempotency-Key, as that of Message.
type Fork struct {
	UserSessionID string `json:"user_session_id"`
	At            int    `json:"at"`
	Name          string `json:"name,omitempty"`
	Latest        bool   `json:"latest,omitempty"`
	Key           string `json:"-"`
}

// MaxBranchName is how many characters the name of a branch may have.
const MaxBranchName = 80

// Branch is the answer of fork, and one branch in that of branches: a player's play with a
// persona, and the session of it that was played last.
type Branch struct {
	UserSessionID string `json:"user_session_id"`
	Label         string `json:"label"`
	// Parent is the user_session_id of the branch that this one was forked from, and ForkedAt is
	// the number of the player's messages before the fork, in the conversation with
	// ForkedMachineKey. All three are null for the first branch of the tree, and Parent is null if
	// it was deleted.
	Parent           *string `json:"parent"`
	ForkedAt         *int    `json:"forked_at"`
	ForkedMachineKey *string `json:"forked_machine_key"`
	SessionID        string  `json:"session_id"`
	MachineID        string  `json:"machine_id"`
	MachineKey       string  `json:"machine_key"`
	// Turn is how many messages the player has sent in the session.
	Turn          int     `json:"turn"`
	CurrentState  string  `json:"current_state"`
	Score         int     `json:"score"`
	Outcome       *string `json:"outcome"`
	RedirectCount *int    `json:"redirect_count"`
	LastMessageAt Time    `json:"last_message_at"`
}

// Branches is the answer of branches: the tree that contains the player's play, in the order of
// creation.
type Branches struct {
	Branches []Branch `json:"branches"`
}

// OwnedSession is an item of GET sessions: a session of a persona, of any player, for the persona's
// owner. Version numbers the saves of the persona from 1, and IsBranch means that the session was
// forked from another one.
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

// Values of the query of sessions: which are wanted. QueryLimit and QueryAfter are those of
// other lists.
const (
	QueryOutcome = "outcome"
	QueryState   = "state"
	QueryVersion = "version"
	QuerySince   = "since"
	// OutcomeNone chooses sessions that have not ended.
	OutcomeNone = "none"
)
