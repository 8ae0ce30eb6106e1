package conversation

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Requester calls the service for a player, each time with a deadline. The screen and
// line mode both use it.
type Requester struct{ Options }

// NewRequester returns a Requester. The caller must have called FillDefaults of the options.
func NewRequester(o *Options) *Requester { return &Requester{*o} }

// ExplainError returns the description of an error as one clean line.
func (r *Requester) ExplainError(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the service did not answer in time: try again"
	}
	return terminal.Clean(terminal.FirstLine(r.Describe(err)))
}

// ListPersonas returns the published personas, newest first.
func (r *Requester) ListPersonas(ctx context.Context) ([]wire.PersonaItem, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	return r.Service.Published(ctx)
}

// OpenPersona reads the persona and the player's stored session with it. If fresh is true, it
// starts a new session but uses the stored data of the player. Data in the parameter given takes
// precedence over stored data. Stored data takes precedence over UsualName and UsualGender.
func (r *Requester) OpenPersona(ctx context.Context, persona string, given SavedSession, fresh bool) (*UserSession, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	full, err := r.Service.FullPersona(ctx, persona)
	if err != nil {
		return nil, err
	}
	c := NewPersona(persona, full)
	known, kept := r.Memory.Recall(c.ID)
	v := &UserSession{Persona: c, used: kept && !fresh && known.UserSessionID != ""}
	v.Saved = SavedSession{
		Persona:       c.ID,
		PersonaName:   c.name,
		UserSessionID: known.UserSessionID,
		PlayerName:    cmp.Or(given.PlayerName, known.PlayerName, r.UsualName),
		PlayerGender:  cmp.Or(given.PlayerGender, known.PlayerGender, r.UsualGender),
		Machine:       known.Machine,
		Outcome:       known.Outcome,
		Draft:         known.Draft,
		UnderWay:      known.UnderWay,
	}
	v.Found = r.Endings.RecallEndings(c.ID)
	if !v.used {
		v.Saved.UserSessionID, v.Saved.Machine, v.Saved.Outcome, v.Saved.Draft, v.Saved.UnderWay = r.NewID(), "", "", "", ""
	}
	return v, nil
}

// EnterMachine resumes the player's session of a machine. If the service has no such session,
// EnterMachine starts one. If machine is "", it resumes the player's last machine, or starts the
// persona's primary machine. It does not start the last machine, which may be locked, because the
// service has lost which machines the player had unlocked. heard is called with each piece of an
// opening, as by BeginMachine.
func (r *Requester) EnterMachine(ctx context.Context, user *UserSession, machine string, heard func(string) error) (*Session, error) {
	if user.used {
		sc, err := r.resumeMachine(ctx, user, cmp.Or(machine, user.Saved.Machine))
		if err == nil || wire.ErrorStatus(err) != http.StatusNotFound {
			return sc, err
		}
	}
	return r.BeginMachine(ctx, user, machine, heard)
}

// BeginMachine starts a new session of a machine, in place of an older one. It calls heard with
// each piece of the opening, unless heard is nil. The returned session contains the complete
// opening.
func (r *Requester) BeginMachine(ctx context.Context, user *UserSession, machine string, heard func(string) error) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	opening, err := r.initSession(ctx, user, machine, heard)
	if err != nil {
		return nil, err
	}
	m := user.Persona.FindMachine(opening.MachineID)
	sc := &Session{Machine: m, ID: opening.SessionID, PlayerName: cmp.Or(opening.PlayerName, user.Saved.PlayerName), Standing: Standing{State: m.InitialState()}, Tokens: opening.Tokens}
	sc.Messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: opening.Message}}
	r.rememberSession(user, sc)
	return sc, nil
}

// initSession starts a session. If the persona was saved while the service streamed the opening,
// initSession requests another opening, because the streamed pieces are invalid.
func (r *Requester) initSession(ctx context.Context, user *UserSession, machine string, heard func(string) error) (wire.Opening, error) {
	id := ""
	if machine != "" {
		id = user.Persona.FindMachine(machine).ID
	}
	body := wire.InitSession{
		UserSessionID: user.Saved.UserSessionID, PlayerName: user.Saved.PlayerName, PlayerGender: cmp.Or(user.Saved.PlayerGender, usualGender),
	}
	if heard == nil {
		return r.Service.InitSession(ctx, user.Persona.ID, id, body)
	}
	opening, err := r.Service.StreamInitSession(ctx, user.Persona.ID, id, body, heard)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Code == wire.CodeConflict {
		return r.Service.InitSession(ctx, user.Persona.ID, id, body)
	}
	return opening, err
}

// rememberSession stores the session in the memory. If that fails, it sets session.Warning and the
// play continues, because only resuming needs the memory.
func (r *Requester) rememberSession(user *UserSession, session *Session) {
	user.used = true
	user.Saved.NotePlace(session)
	if err := r.Memory.Remember(user.Saved); err != nil {
		session.Warning = "your progress could not be saved: " + terminal.Clean(terminal.FirstLine(err.Error()))
	}
}

// resumeMachine reads a session from the service. If machine is "", it first asks the service for
// the player's last machine, because a history does not contain the machine's id.
func (r *Requester) resumeMachine(ctx context.Context, user *UserSession, machine string) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	if machine == "" {
		progress, err := r.Service.Progress(ctx, user.Persona.ID, user.Saved.UserSessionID)
		if err != nil {
			return nil, err
		}
		if progress.CurrentMachineID != nil {
			machine = *progress.CurrentMachineID
		} else if n := len(progress.RoutePath); n > 0 {
			machine = progress.RoutePath[n-1].MachineID
		}
	}
	if machine == "" {
		return nil, &wire.Error{Status: http.StatusNotFound, Message: "no session yet"}
	}
	m := user.Persona.FindMachine(machine)
	h, err := r.Service.History(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if err != nil {
		return nil, err
	}
	sc := sessionOf(m, h)
	r.rememberSession(user, sc)
	return sc, nil
}

// Turn is a message of the player. All attempts to send it use the same Idempotency-Key, so that a
// service that supports such keys counts the message once.
type Turn struct {
	Text, key string
	// sameVerdict requests another reply with the same judgement for a turn that was taken back.
	sameVerdict bool
}

// NewTurn returns a turn with a new key.
func (r *Requester) NewTurn(text string) Turn { return Turn{Text: text, key: r.NewID()} }

// RepeatTurn returns a new turn for a message that was just taken back. The character replies in
// different words. If judge is false, the message keeps its judgement.
func (r *Requester) RepeatTurn(text string, judge bool) Turn {
	return Turn{Text: text, key: r.NewID(), sameVerdict: !judge}
}

// SendTurn sends a turn. It calls heard with each piece of the reply, unless heard is nil. All
// turns are sent by this method.
func (r *Requester) SendTurn(ctx context.Context, user *UserSession, session *Session, t Turn, heard func(string) error) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	var reply wire.Reply
	var err error
	body := wire.Message{Message: t.Text, UserSessionID: user.Saved.UserSessionID, Key: t.key, SameVerdict: t.sameVerdict}
	if heard == nil {
		reply, err = r.Service.SendMessage(ctx, user.Persona.ID, session.Machine.ID, body)
	} else {
		reply, err = r.Service.StreamMessage(ctx, user.Persona.ID, session.Machine.ID, body, heard)
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// ResetMachine deletes the machine's conversation and returns its new session.
func (r *Requester) ResetMachine(ctx context.Context, user *UserSession, m *Machine) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	done, err := r.Service.ResetSession(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if wire.ErrorStatus(err) == http.StatusNotFound { // The service has no session to reset, but can start one.
		return r.BeginMachine(ctx, user, m.ID, nil)
	}
	if err != nil {
		return nil, err
	}
	sc := &Session{Machine: m, ID: done.SessionID, Standing: Standing{State: m.InitialState()}}
	sc.Messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: done.Message}}
	return sc, nil
}

// MayHaveCounted reports whether the service may have stored a turn that failed with err. The
// service has certainly not stored the turn if err is a 4xx status other than 409, or if the
// request was never sent.
func (r *Requester) MayHaveCounted(err error) bool {
	if r.Unsent(err) {
		return false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	return !ok || refusal.Status >= http.StatusInternalServerError || refusal.Status == http.StatusConflict
}

// ReplyStream passes the text of a reply from the goroutine that calls the service to the screen.
// The goroutine adds words, and the screen takes them. Both may use it concurrently.
type ReplyStream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  terminal.Cleaner // used only by the screen
	some     chan struct{}
	over     chan struct{}
}

// NewReplyStream returns an empty stream.
func NewReplyStream() *ReplyStream {
	return &ReplyStream{some: make(chan struct{}, 1), over: make(chan struct{})}
}

// AddWords adds words to the stream. It never fails and never blocks.
func (s *ReplyStream) AddWords(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default: // The screen has already been notified.
	}
	return nil
}

// EndWords ends the stream. It must be called once.
func (s *ReplyStream) EndWords() { close(s.over) }

// TakeWords returns the words added since its last call, cleaned for the terminal.
func (s *ReplyStream) TakeWords() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// WaitForWords blocks until words are added or the stream ends. It returns true for words and false
// for the end.
func (s *ReplyStream) WaitForWords() bool {
	select {
	case <-s.some:
		return true
	case <-s.over:
		return false
	}
}
