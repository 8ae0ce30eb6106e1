package wire

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
