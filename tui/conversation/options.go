package conversation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Options are what a chat is handed in both modes. Service, Memory and NewID are
// needed; the rest has defaults.
type Options struct {
	Service Service
	Memory  Memory

	// Persona is a persona's id; "" lets the player choose.
	Persona string
	// Machine is a machine's id or key; "" continues where the player was.
	Machine      string
	PlayerName   string
	PlayerGender string
	// UsualName and UsualGender are the defaults for a player of whom nothing else is known. An
	// empty one is asked for.
	UsualName, UsualGender string
	// NewSession begins again with a fresh user_session_id.
	NewSession bool

	// Fleeting means that nothing outlives the chat: its service goes with it.
	Fleeting bool
	// Keeping returns the note, at the beginning of other chats with a persona, about where the chat
	// is kept; it may be nil.
	Keeping func(persona string) string
	// Leave is called once when an interactive player leaves; it may be nil.
	Leave func(Farewell)
	// Endings stores the endings that the player has found; nil stores them for the length of the
	// chat.
	Endings EndingMemory
	// SuggestedName is offered to a player who is asked for a name in line mode.
	SuggestedName string
	// KeepPlayer stores the player's data for later chats; an empty value keeps the stored one. nil
	// stores nothing.
	KeepPlayer func(name, gender string) error

	// Author shows the play as its author sees it; see Current.
	Author bool
	// Debug shows an explanation after each reply, if the service offers one.
	Debug bool
	// Directed means that the built-in offline model plays, and a player may ask it for any
	// decision. If it is false, the trace may reveal it.
	Directed bool

	// Edits are the saves of the persona file that is played; nil if it is not watched.
	Edits <-chan Edit

	// NewID makes a fresh user_session_id, and the Idempotency-Key of a turn.
	NewID func() string
	Now   func() time.Time
	// After is time.After; it goes with Now.
	After func(time.Duration) <-chan time.Time
	// Describe makes a sentence of an error: what failed and what to do.
	Describe func(error) string
	// Lost reports whether an error is a broken or failed connection, after which retrying helps.
	// If nil, every error counts that is neither a refusal nor the end of a context.
	Lost func(error) bool
	// Unsent reports whether an error is a failed connection, so that the request cannot have
	// counted. If nil, no error counts.
	Unsent func(error) bool

	// CallTimeout bounds each question to the service (90 s), TurnTimeout the wait for a reply
	// (6 min); both allow for a rate limit's wait.
	CallTimeout time.Duration
	TurnTimeout time.Duration
}

// NothingKept is said at the beginning of a Fleeting chat.
const NothingKept = "Nothing of this chat is kept when you leave; /export writes it into a file."

// KeepingWords returns what is said, at the beginning of a chat with a persona, about what is kept
// of it, or "" for nothing.
func (o *Options) KeepingWords(persona string) string {
	switch {
	case o.Fleeting:
		return NothingKept
	case o.Keeping != nil:
		return o.Keeping(persona)
	}
	return ""
}

// Texts for a chat without a named model. The screen only has space for the first.
const (
	builtInModel = "The built-in model answers; --llm ollama/NAME lets a real one play."
	ListModels   = "`parley localserver models` lists them."
)

// ModelWords returns that the built-in model plays and how another one does. It is "" where
// another one plays, or that is not known.
func (o *Options) ModelWords() string {
	if !o.Directed {
		return ""
	}
	return builtInModel
}

// Farewell describes a chat when its player leaves.
type Farewell struct {
	Persona, Name string // the persona's id and its name, "" where none was chosen
	HasDraft      bool   // words that were not said are kept for the next time
}

// Refusals that are about how a chat was started.
var (
	// ErrGender refuses a player_gender that the interface does not know.
	ErrGender = errors.New("the player's gender must be female, male or non-binary: set it with --player-gender")
	// ErrPlayerName refuses a player_name that is longer than the service takes.
	ErrPlayerName = errors.New("the player's name is longer than 80 characters: shorten it with --player-name")
)

const (
	defaultCallTimeout = 90 * time.Second
	defaultTurnTimeout = 6 * time.Minute
)

// FillDefaults sets unset options to their defaults.
func (o *Options) FillDefaults() {
	o.CallTimeout = cmp.Or(o.CallTimeout, defaultCallTimeout)
	o.TurnTimeout = cmp.Or(o.TurnTimeout, defaultTurnTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Endings == nil {
		o.Endings = NewEndingMemory()
	}
	if o.Describe == nil {
		o.Describe = error.Error
	}
	if o.Lost == nil {
		o.Lost = neitherRefusedNorStopped
	}
	if o.Unsent == nil {
		o.Unsent = func(error) bool { return false }
	}
}

// CheckPlayer refuses a player that the service would refuse.
func (o *Options) CheckPlayer() error {
	switch {
	case terminal.CountCharacters(o.PlayerName) > wire.MaxPlayerName:
		return ErrPlayerName
	case o.PlayerGender != "" && !IsGender(o.PlayerGender):
		return ErrGender
	}
	return nil
}

// IsGender reports whether the interface knows a player_gender.
func IsGender(s string) bool { return slices.Contains(wire.Genders, s) }

// neitherRefusedNorStopped is Options.Lost for a service that names its errors
// no further.
func neitherRefusedNorStopped(err error) bool {
	_, refused := errors.AsType[*wire.Error](err)
	return !refused && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
