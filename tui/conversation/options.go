package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Options configures a chat on the screen or in line mode. Service, Memory and NewID are required.
type Options struct {
	Service Service
	Memory  Memory

	// Persona is a persona id, or "" for a choice by the player.
	Persona string
	// Machine is a machine id or key, or "" for the player's last machine.
	Machine      string
	PlayerName   string
	PlayerGender string
	// UsualName and UsualGender are defaults for the player's name and gender. PlayerName,
	// PlayerGender and the memory have precedence. If all are empty, the chat asks the player.
	UsualName, UsualGender string
	// NewSession starts a new session with a fresh user_session_id.
	NewSession bool

	// Fleeting means that the service loses the conversation at the end of the chat.
	Fleeting bool
	// Keeping is the note about stored data at the start of a chat, or "".
	Keeping string
	// Leave is called once when an interactive player leaves. Leave may be nil.
	Leave func(Farewell)
	// Endings stores the endings that the player has found. If Endings is nil, the endings are lost
	// at the end of the chat.
	Endings EndingMemory
	// SuggestedName is the default name in line mode.
	SuggestedName string
	// KeepPlayer stores the player's name and gender for later chats. An empty value changes
	// nothing. KeepPlayer may be nil.
	KeepPlayer func(name, gender string) error

	// Author selects the author's view. See Current.
	Author bool
	// Debug shows an explanation after each reply, if the service provides one.
	Debug bool
	// Directed means that the built-in offline model plays. Otherwise the chat reads the trace to
	// identify the model.
	Directed bool

	// Edits delivers new versions of the persona file. Edits may be nil.
	Edits <-chan Edit

	// NewID returns a unique id for user_session_id and Idempotency-Key.
	NewID func() string
	Now   func() time.Time
	// After is time.After, or a fake with the clock of Now.
	After func(time.Duration) <-chan time.Time
	// Describe explains an error and its remedy in one sentence.
	Describe func(error) string
	// Lost reports whether an error is a lost connection. The default includes all errors except
	// *wire.Error and errors of a context.
	Lost func(error) bool
	// Unsent reports whether the connection failed before the request was sent. The default is
	// false.
	Unsent func(error) bool

	// CallTimeout limits a call to the service (default 90 s). TurnTimeout limits a call that waits
	// for a reply (default 6 min). Both include waits for a rate limit.
	CallTimeout time.Duration
	TurnTimeout time.Duration
}

// NothingKept is the note about stored data in a Fleeting chat.
const NothingKept = "This chat is not saved when you leave; /export writes it to a file."

// KeepingWords returns the note about stored data, or "".
func (o *Options) KeepingWords() string {
	if o.Fleeting {
		return NothingKept
	}
	return o.Keeping
}

const (
	builtInModel = "The built-in model answers; use --llm ollama/NAME for a language model."
	ListModels   = "`parley localserver models` lists them."
)

// ModelWords returns a hint that the built-in model plays, or "".
func (o *Options) ModelWords() string {
	if !o.Directed {
		return ""
	}
	return builtInModel
}

// Farewell describes a chat when its player leaves.
type Farewell struct {
	Persona, Name string // "" without a persona
	HasDraft      bool   // unsent text was stored
}

var (
	// ErrGender means that PlayerGender is not one of wire.Genders.
	ErrGender = errors.New("the player's gender must be female, male or non-binary: set it with --player-gender")
	// ErrPlayerName means that PlayerName is longer than wire.MaxPlayerName.
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

// CheckPlayer returns ErrPlayerName or ErrGender for invalid data of the player.
func (o *Options) CheckPlayer() error {
	switch {
	case terminal.CountCharacters(o.PlayerName) > wire.MaxPlayerName:
		return ErrPlayerName
	case o.PlayerGender != "" && !IsGender(o.PlayerGender):
		return ErrGender
	}
	return nil
}

// IsGender reports whether s is a valid player_gender.
func IsGender(s string) bool { return slices.Contains(wire.Genders, s) }

func neitherRefusedNorStopped(err error) bool {
	_, refused := errors.AsType[*wire.Error](err)
	return !refused && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// Spending is the number of tokens that a chat used, as reported by the service.
type Spending struct {
	Last, Total wire.Tokens
}

// AddTokens adds the tokens of one reply.
func (s *Spending) AddTokens(t wire.Tokens) {
	s.Last = t
	s.Total.In += t.In
	s.Total.Out += t.Out
}

// HasTokens reports whether the chat has used any tokens.
func (s *Spending) HasTokens() bool { return s.Total != wire.Tokens{} }

// StatusWords returns the spending for the status line, or "" without tokens.
func (s *Spending) StatusWords() string {
	if !s.HasTokens() {
		return ""
	}
	last, total := s.Last.In+s.Last.Out, s.Total.In+s.Total.Out
	return fmt.Sprintf("%s tokens, %s in all", terminal.GroupThousands(last), terminal.GroupThousands(total))
}

// TotalSentence returns a sentence about the tokens of the whole chat.
func (s *Spending) TotalSentence() string {
	return fmt.Sprintf("Tokens: the model read %s and wrote %s.",
		terminal.GroupThousands(s.Total.In), terminal.GroupThousands(s.Total.Out))
}
