// Package play implements a player's operations on a chat session: open, turn, reset, history, and
// a player's progress over the machines of a persona. A turn loads, asks the model, steps the
// engine, asks the model for the reply, and saves if the session is unchanged; no transaction is
// held while a model runs. Its results are the types of the network interface (personas/wire). It
// never speaks HTTP and never writes SQL.
package play

// Kind sorts refusals; the HTTP side makes statuses of them.
type Kind string

// The kinds of refusals.
const (
	NotFound     Kind = "not-found"         // 404: persona, machine, session
	Forbidden    Kind = "forbidden"         // 403: the persona is not the caller's
	Locked       Kind = "machine-locked"    // 403: the machine is not available yet
	Finished     Kind = "finished"          // 409: message to a finished machine
	Conflict     Kind = "conflict"          // 409: another turn of the session was first
	Full         Kind = "session-full"      // 409: message to a session with MaxTurns turns
	PastGone     Kind = "past-not-kept"     // 409: a turn cannot be returned to exactly
	AnotherPast  Kind = "another-past"      // 409: the latest version plays the turns another way
	ManyBranches Kind = "too-many-branches" // 409: fork in a tree that has all that it takes
	NothingKept  Kind = "nothing-to-repeat" // 409: there is no verdict to use again
	NoMessage    Kind = "no-message"        // 422: the session has no message of that id
	NoTurn       Kind = "no-turn"           // 422: the session has fewer turns
	KeyReused    Kind = "key-reused"        // 422: Idempotency-Key with another body
	TooLong      Kind = "text-too-long"     // 422: a text of the persona, with its values
	ModelDown    Kind = "model-failed"      // 502
	ModelLate    Kind = "model-timeout"     // 504
)

// Error is a refusal in one sentence for the caller; Cause is for the log, and distinguishes
// failures of a model.
type Error struct {
	Kind    Kind
	Message string
	// CallersModel means that the model that failed was the caller's own.
	CallersModel bool
	Cause        error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Ref identifies the player of a call. Space is "" for the web side and the key owner's user id for
// the SDK side. UserID is the signed-in caller, "" without a token. Machine is a machine's id or
// key; the meaning of "" depends on the call.
type Ref struct {
	Space         string
	PersonaID     string
	UserID        string
	UserSessionID string
	Machine       string
}

// Idempotency makes a call count once: the same Key with the same BodyHash within 24 hours returns
// the stored answer again, with another BodyHash KeyReused. The zero Idempotency disables this.
type Idempotency struct {
	Key      string
	BodyHash string
}
