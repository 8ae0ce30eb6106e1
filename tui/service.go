package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Service is what a chat asks of the persona chat service. The names are those
// of the interface's endpoints; machine is a machine's id or key, "" the
// persona's primary machine (or, for History, the newest session's). A refusal
// is a *wire.Error. Calls must end when their context does.
type Service interface {
	// Published lists the personas that anybody may talk to, newest first.
	Published(ctx context.Context) ([]wire.PersonaItem, error)
	FullPersona(ctx context.Context, persona string) (wire.FullPersona, error)
	AvailableMachines(ctx context.Context, persona, userSession string) ([]wire.AvailableMachine, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
	InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error)
	SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error)
	// StreamMessage is SendMessage with the reply's text as it comes: onDelta is
	// told each piece, an error of it ends the turn, and the whole reply is given
	// at the end. The full screen wants each failure of these two at once, a rate
	// limit too, because it waits and counts down itself.
	StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error)
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	// HistoryAtOnce is History for a player who waits for the service to come back:
	// the full screen wants each failure of it at once too.
	HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	ResetSession(ctx context.Context, persona, userSession, machine string) (wire.ResetDone, error)
	// Trace tells the persona's owner why a session went as it did; others are
	// refused, and so is everybody by a service that does not tell.
	Trace(ctx context.Context, persona, userSession, machine string) (wire.Trace, error)
}

// Memory keeps one player's sessions with the personas of one server. With each
// persona one session is the present one, where the next chat goes on. It may be
// used from several goroutines.
type Memory interface {
	// Recall gives the present session with a persona.
	Recall(persona string) (SavedSession, bool)
	// Remember keeps a session as the present one with its persona; others stay. A
	// label that is empty leaves the one that was given.
	Remember(known SavedSession) error
	// Sessions lists all sessions, the one that was used last first.
	Sessions() ([]SavedSession, error)
	// Rename gives a session a label, "" for none.
	Rename(persona, userSession, label string) error
	// Forget drops a session.
	Forget(persona, userSession string) error
}

// SavedSession is a player's place with a persona. Machine is the id of the machine
// that was last played.
type SavedSession struct {
	Persona       string
	PersonaName   string
	UserSessionID string
	PlayerName    string
	PlayerGender  string
	Machine       string
	Label         string // what the player calls the session
	UsedAt        time.Time
}

// Options is everything that a chat is handed. Service, Memory, In, Out and
// NewID are needed; the rest has defaults.
type Options struct {
	Service Service
	Memory  Memory
	In      io.Reader
	Out     io.Writer
	// Err takes the talk of line mode; nil drops it.
	Err io.Writer
	// Interactive says that somebody sits at In and can be asked. It matters to
	// line mode only.
	Interactive bool

	// Persona is a persona's id; "" lets the player choose.
	Persona string
	// Machine is a machine's id or key; "" goes on where the player was.
	Machine      string
	PlayerName   string
	PlayerGender string
	// Fleeting says that nothing outlives the chat: its service goes with it.
	Fleeting bool
	// NewSession begins anew with a fresh user_session_id.
	NewSession bool

	// Debug tells after each reply why it is as it is, where the service tells.
	Debug bool
	// Directed says that the built-in offline model plays, of which a player may
	// ask any verdict. Where this is not set, the trace may tell it.
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

	// Theme is the colours of the full screen. Those that depend on the terminal's
	// background ask the terminal for it, unless Light says that it is light.
	// NoColor is ThemeNone, whatever Theme says.
	Theme   Theme
	Light   bool
	NoColor bool
	// NoMotion shows nothing that moves by itself but words and numbers.
	NoMotion bool

	// Suspends says that there is a shell that a suspended chat goes back to.
	Suspends bool

	// Tools are what the chat may do on the player's machine.
	Tools Tools
	// Multiplexed says that the screen is inside tmux.
	Multiplexed bool

	// CallTimeout bounds each question to the service (90 s), TurnTimeout the
	// wait for a reply (4 min); both leave room for a rate limit's wait.
	CallTimeout time.Duration
	TurnTimeout time.Duration
}

// Refusals that are about how a chat was started.
var (
	// ErrNoPersona means that line mode was given no persona and nobody to ask.
	ErrNoPersona = errors.New("no persona was named and there is no terminal to ask on: name one as the argument, `parley chat PERSONA`")
	// ErrNoPersonas means that the server has no published persona.
	ErrNoPersonas = errors.New("this server has no published persona: publish one with `parley persona publish PERSONA`")
	// ErrGender refuses a player_gender that the interface does not know.
	ErrGender = errors.New("the player's gender must be female, male or non-binary: set it with --player-gender")
	// ErrTheme refuses a theme that does not exist.
	ErrTheme = errors.New("there is no such theme: choose auto, dark, light, high-contrast or none")
	// ErrPlayerName refuses a player_name that is longer than the service takes.
	ErrPlayerName = errors.New("the player's name is longer than 80 characters: shorten it with --player-name")
)

const (
	defaultCallTimeout = 90 * time.Second
	defaultTurnTimeout = 4 * time.Minute
)

func (o Options) withDefaults() Options {
	o.CallTimeout = cmp.Or(o.CallTimeout, defaultCallTimeout)
	o.TurnTimeout = cmp.Or(o.TurnTimeout, defaultTurnTimeout)
	if o.NoColor {
		o.Theme = ThemeNone
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
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
	if o.Err == nil {
		o.Err = io.Discard
	}
	return o
}

func (o Options) checkFields() error {
	switch {
	case countCharacters(o.PlayerName) > wire.MaxPlayerName:
		return ErrPlayerName
	case o.PlayerGender != "" && !isGender(o.PlayerGender):
		return ErrGender
	case !o.Theme.isKnown():
		return ErrTheme
	}
	return nil
}

func isGender(s string) bool {
	for _, g := range wire.Genders {
		if g == s {
			return true
		}
	}
	return false
}
