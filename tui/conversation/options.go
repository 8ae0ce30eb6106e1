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

// Options configure a chat in both modes. Service, Memory and NewID are required. All other fields
// have defaults.
type Options struct {
	Service Service
	Memory  Memory

	// Persona is a persona's id, or "" to let the player choose.
	Persona string
	// Machine is a machine's id or key, or "" to continue in the player's last machine.
	Machine      string
	PlayerName   string
	PlayerGender string
	// UsualName is used if neither PlayerName nor the memory has a name. UsualGender is used if
	// neither PlayerGender nor the memory has a gender. If they are empty too, the chat asks the
	// player.
	UsualName, UsualGender string
	// NewSession starts a new session with a fresh user_session_id.
	NewSession bool

	// Fleeting means that the service ends together with the chat and does not store the
	// conversation.
	Fleeting bool
	// Keeping is a note that tells the player where the chat is stored, or "". The note is shown at
	// the beginning of a chat that is not Fleeting.
	Keeping string
	// Leave is called once when an interactive player leaves. It may be nil.
	Leave func(Farewell)
	// Endings stores the endings that the player has found. If it is nil, they are forgotten when
	// the chat ends.
	Endings EndingMemory
	// SuggestedName is the name that line mode suggests when it asks for the player's name.
	SuggestedName string
	// KeepPlayer stores the player's name and gender for later chats. An empty value keeps the
	// stored value. If KeepPlayer is nil, the chat does not store them.
	KeepPlayer func(name, gender string) error

	// Author selects the author's view; see Current.
	Author bool
	// Debug shows an explanation after each reply, if the service provides one.
	Debug bool
	// Directed means that the built-in offline model plays, so that a player can force decisions.
	// If Directed is false, the chat reads the session's trace to find out which model plays.
	Directed bool

	// Edits delivers the new versions of the persona file. It is nil if the file is not watched.
	Edits <-chan Edit

	// NewID returns a new unique id, used as user_session_id and as Idempotency-Key of a turn.
	NewID func() string
	Now   func() time.Time
	// After is time.After, or a fake that uses the same clock as Now.
	After func(time.Duration) <-chan time.Time
	// Describe returns a sentence about an error: what failed and what the user can do.
	Describe func(error) string
	// Lost reports whether an error is a failed or broken connection, so that a retry may succeed.
	// If Lost is nil, the chat takes every error for a lost connection, except errors of the
	// service (*wire.Error) and of a context.
	Lost func(error) bool
	// Unsent reports whether an error means that the connection failed before the request was sent.
	// If Unsent is nil, the chat assumes that the service may have received every request.
	Unsent func(error) bool

	// CallTimeout is the time limit of a call to the service (default 90 s). TurnTimeout is the
	// time limit of a call that waits for the character's words (default 6 min). Both times include
	// waits for a rate limit.
	CallTimeout time.Duration
	TurnTimeout time.Duration
}

// NothingKept is shown at the beginning of a Fleeting chat.
const NothingKept = "This chat is not saved when you leave; /export writes it to a file."

// KeepingWords returns the note on where the chat is stored, or "".
func (o *Options) KeepingWords() string {
	if o.Fleeting {
		return NothingKept
	}
	return o.Keeping
}

// Hints for a chat that the built-in model plays. The screen shows only the first.
const (
	builtInModel = "The built-in model answers; use --llm ollama/NAME for a language model."
	ListModels   = "`parley localserver models` lists them."
)

// ModelWords returns a hint that the built-in model plays, and how to use another model. If
// Directed is false, it returns "".
func (o *Options) ModelWords() string {
	if !o.Directed {
		return ""
	}
	return builtInModel
}

// Farewell describes a chat when its player leaves.
type Farewell struct {
	Persona, Name string // the persona's id and name, or "" if the player chose none
	HasDraft      bool   // the input's unsent text was stored
}

// Errors for invalid Options.
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

// CheckPlayer returns ErrPlayerName or ErrGender if the service would reject the player's data.
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

// Spending is the number of tokens that a chat used, as reported by the service. It is zero if no
// model provider was used. The price is unknown.
type Spending struct {
	Last, Total wire.Tokens
}

// AddTokens adds the cost of one reply.
func (s *Spending) AddTokens(t wire.Tokens) {
	s.Last = t
	s.Total.In += t.In
	s.Total.Out += t.Out
}

// HasTokens reports whether the chat has used any tokens.
func (s *Spending) HasTokens() bool { return s.Total != wire.Tokens{} }

// StatusWords returns the spending for the status line. Without tokens it returns "".
func (s *Spending) StatusWords() string {
	if !s.HasTokens() {
		return ""
	}
	return fmt.Sprintf("%s tokens, %s in all", terminal.GroupThousands(s.Last.In+s.Last.Out), terminal.GroupThousands(s.Total.In+s.Total.Out))
}

// TotalSentence returns a sentence about the cost of the whole chat.
func (s *Spending) TotalSentence() string {
	return fmt.Sprintf("Tokens: the model read %s and wrote %s.", terminal.GroupThousands(s.Total.In), terminal.GroupThousands(s.Total.Out))
}
