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
	// Machine is a machine's id or key; "" goes on where the player was.
	Machine      string
	PlayerName   string
	PlayerGender string
	// UsualName and UsualGender are of a player of whom nothing else is known; what is
	// "" is asked.
	UsualName, UsualGender string
	// NewSession begins again with a fresh user_session_id.
	NewSession bool

	// Fleeting means that nothing outlives the chat: its service goes with it.
	Fleeting bool
	// Leave is told once, when a player leaves who sits there; nil tells nobody.
	Leave func(Farewell)
	// Endings keeps which endings the player has found; nil keeps them as long as the chat.
	Endings EndingMemory
	// SuggestedName is offered to a player who is asked for a name in line mode.
	SuggestedName string
	// KeepPlayer keeps who plays for all later chats; what is "" stays as it was. nil keeps
	// nothing.
	KeepPlayer func(name, gender string) error

	// Author shows the play as its author sees it; see Current.
	Author bool
	// Debug tells after each reply why it is as it is, where the service tells.
	Debug bool
	// Directed means that the built-in offline model plays, of which a player may
	// ask for any decision. Where this is not set, the trace may tell it.
	Directed bool

	// NewID makes a fresh user_session_id, and the Idempotency-Key of a turn.
	NewID func() string
	Now   func() time.Time
	// After gives the time when some has passed; it goes with Now.
	After func(time.Duration) <-chan time.Time
	// Describe makes a sentence of an error: what failed and what to do.
	Describe func(error) string
	// Lost tells the errors of a connection that broke off or was never made, after
	// which trying again helps. Without it every error is one that is neither a
	// refusal nor the end of a context.
	Lost func(error) bool
	// Unsent tells the errors of a connection that was never made: nothing of what was
	// to be sent can have counted. Without it there are none.
	Unsent func(error) bool

	// CallTimeout bounds each question to the service (90 s), TurnTimeout the
	// wait for a reply (6 min); both leave room for a rate limit's wait.
	CallTimeout time.Duration
	TurnTimeout time.Duration
}

// What is said when a chat begins that is Fleeting: where endings are kept all the same, and where
// nothing is.
const (
	NothingKept     = "Nothing of this chat is kept when you leave; /export writes it into a file."
	OnlyEndingsKept = "Only the endings you find are kept when you leave; /export writes the chat."
)

// KeepsEndings reports whether the endings that the player finds outlive the chat.
func (o *Options) KeepsEndings() bool {
	_, brief := o.Endings.(*briefEndings)
	return o.Endings != nil && !brief
}

// FleetingWords say what outlives a chat that is Fleeting.
func (o *Options) FleetingWords() string {
	if o.KeepsEndings() {
		return OnlyEndingsKept
	}
	return NothingKept
}

// What is said where no model was named. The screen has room for the first.
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

// Farewell is what is known of a chat whose player leaves.
type Farewell struct {
	Persona, Name string // the persona's id and its name, "" where none was chosen
	HasDraft      bool   // words that were not said are kept for the next time
	HasEndings    bool   // endings were found, and are kept
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

// FillDefaults gives what is not set its default.
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
