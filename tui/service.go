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
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	ResetSession(ctx context.Context, persona, userSession, machine string) (wire.ResetDone, error)
}

// Memory keeps one player's place with each persona of one server.
type Memory interface {
	// Recall gives what is known about the player with a persona.
	Recall(persona string) (Known, bool)
	// Remember keeps it, in place of what was kept for that persona.
	Remember(known Known) error
}

// Known is a player's place with a persona. Machine is the id of the machine
// that was last played.
type Known struct {
	Persona       string
	UserSessionID string
	PlayerName    string
	PlayerGender  string
	Machine       string
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

	// NewID makes a fresh user_session_id.
	NewID func() string
	Now   func() time.Time
	// Describe makes a sentence of an error: what failed and what to do.
	Describe func(error) string

	// Light says that the terminal's background is light; the zero value is
	// right for dark ones. NoColor leaves bold, faint and reverse only.
	Light   bool
	NoColor bool

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
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Describe == nil {
		o.Describe = error.Error
	}
	if o.Err == nil {
		o.Err = io.Discard
	}
	return o
}

func (o Options) check() error {
	switch {
	case characters(o.PlayerName) > wire.MaxPlayerName:
		return ErrPlayerName
	case o.PlayerGender != "" && !isGender(o.PlayerGender):
		return ErrGender
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
