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

// Requester calls the service with a timeout for each request.
type Requester struct {
	Options
	mu sync.Mutex // guards UsualName and UsualGender
}

// NewRequester returns a Requester. The caller must call o.FillDefaults before.
func NewRequester(o *Options) *Requester { return &Requester{Options: *o} }

// ExplainError describes an error in one clean line.
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

// OpenPersona reads a persona and the stored session. If fresh is true, the session is new. player
// overrides the stored name and gender.
func (r *Requester) OpenPersona(
	ctx context.Context, id string, player SavedSession, fresh bool,
) (*UserSession, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	full, err := r.Service.FullPersona(ctx, id)
	if err != nil {
		return nil, err
	}
	persona := NewPersona(id, full)
	saved, ok := r.Memory.Recall(persona.ID)
	usualName, usualGender := r.usualPlayer()
	user := &UserSession{Persona: persona, used: ok && !fresh && saved.UserSessionID != ""}
	user.Saved = SavedSession{
		Persona:       persona.ID,
		PersonaName:   persona.name,
		UserSessionID: saved.UserSessionID,
		PlayerName:    cmp.Or(player.PlayerName, saved.PlayerName, usualName),
		PlayerGender:  cmp.Or(player.PlayerGender, saved.PlayerGender, usualGender),
		Machine:       saved.Machine,
		Outcome:       saved.Outcome,
		Draft:         saved.Draft,
		UnderWay:      saved.UnderWay,
	}
	user.Found = r.Endings.RecallEndings(persona.ID)
	if !user.used {
		user.Saved.UserSessionID = r.NewID()
		user.Saved.Machine, user.Saved.Outcome, user.Saved.Draft, user.Saved.UnderWay = "", "", "", ""
	}
	return user, nil
}

// EnterMachine resumes the session of a machine, or starts a new one. An empty machine means the
// last machine, or the primary machine of a new session. onDelta receives each part of a new opening.
func (r *Requester) EnterMachine(
	ctx context.Context, user *UserSession, machine string, onDelta func(string) error,
) (*Session, error) {
	if user.used {
		session, err := r.resumeMachine(ctx, user, cmp.Or(machine, user.Saved.Machine))
		if err == nil || wire.ErrorStatus(err) != http.StatusNotFound {
			return session, err
		}
	}
	return r.BeginMachine(ctx, user, machine, onDelta)
}

// BeginMachine starts a new session of a machine. onDelta receives each part of the opening and may
// be nil. The returned session contains the complete opening.
func (r *Requester) BeginMachine(
	ctx context.Context, user *UserSession, machine string, onDelta func(string) error,
) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	opening, err := r.initSession(ctx, user, machine, onDelta)
	if err != nil {
		return nil, err
	}
	m := user.Persona.FindMachine(opening.MachineID)
	session := &Session{
		Machine: m, ID: opening.SessionID, PlayerName: cmp.Or(opening.PlayerName, user.Saved.PlayerName),
		Standing: Standing{State: m.InitialState()}, Tokens: opening.Tokens,
		Messages: []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: opening.Message}},
	}
	r.rememberSession(user, session)
	return session, nil
}

// initSession retries without streaming if the persona was saved during the stream.
func (r *Requester) initSession(
	ctx context.Context, user *UserSession, machine string, onDelta func(string) error,
) (wire.Opening, error) {
	machineID := ""
	if machine != "" {
		machineID = user.Persona.FindMachine(machine).ID
	}
	body := wire.InitSession{
		UserSessionID: user.Saved.UserSessionID, PlayerName: user.Saved.PlayerName,
		PlayerGender: cmp.Or(user.Saved.PlayerGender, usualGender),
	}
	if onDelta == nil {
		return r.Service.InitSession(ctx, user.Persona.ID, machineID, body)
	}
	opening, err := r.Service.StreamInitSession(ctx, user.Persona.ID, machineID, body, onDelta)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Code == wire.CodeConflict {
		return r.Service.InitSession(ctx, user.Persona.ID, machineID, body)
	}
	return opening, err
}

// rememberSession stores the session. An error is only a warning, because play continues without
// the memory.
func (r *Requester) rememberSession(user *UserSession, session *Session) {
	user.used = true
	user.Saved.NotePlace(session)
	if err := r.Memory.Remember(user.Saved); err != nil {
		session.Warning = "your progress could not be saved: " + terminal.Clean(terminal.FirstLine(err.Error()))
	}
}

// resumeMachine reads a session from the service. Without a machine, the progress names the last
// machine, because a history lacks the id.
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
	session := sessionOf(m, h)
	r.rememberSession(user, session)
	return session, nil
}

// Turn is a message of the player. Every attempt uses the same Idempotency-Key, so the service
// stores the message once.
type Turn struct {
	Text, key string
	// sameVerdict requests another reply with the same judgement.
	sameVerdict bool
}

// NewTurn returns a turn with a new key.
func (r *Requester) NewTurn(text string) Turn { return Turn{Text: text, key: r.NewID()} }

// RepeatTurn returns a new turn for a message that was taken back. If judge is false, the judgement
// stays the same.
func (r *Requester) RepeatTurn(text string, judge bool) Turn {
	return Turn{Text: text, key: r.NewID(), sameVerdict: !judge}
}

// SendTurn sends a turn. onDelta receives each part of the reply and may be nil.
func (r *Requester) SendTurn(
	ctx context.Context, user *UserSession, session *Session, t Turn, onDelta func(string) error,
) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	var reply wire.Reply
	var err error
	body := wire.Message{
		Message: t.Text, UserSessionID: user.Saved.UserSessionID, Key: t.key, SameVerdict: t.sameVerdict,
	}
	if onDelta == nil {
		reply, err = r.Service.SendMessage(ctx, user.Persona.ID, session.Machine.ID, body)
	} else {
		reply, err = r.Service.StreamMessage(ctx, user.Persona.ID, session.Machine.ID, body, onDelta)
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// ResetMachine deletes the conversation of a machine and starts a new session.
func (r *Requester) ResetMachine(ctx context.Context, user *UserSession, m *Machine) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	done, err := r.Service.ResetSession(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if wire.ErrorStatus(err) == http.StatusNotFound { // without a session, start one
		return r.BeginMachine(ctx, user, m.ID, nil)
	}
	if err != nil {
		return nil, err
	}
	return &Session{
		Machine: m, ID: done.SessionID, Standing: Standing{State: m.InitialState()},
		Messages: []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: done.Message}},
	}, nil
}

// MayHaveCounted reports whether the service may have stored a failed turn. The result is false for
// an unsent request and for a 4xx status other than 409.
func (r *Requester) MayHaveCounted(err error) bool {
	if r.Unsent(err) {
		return false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	return !ok || refusal.Status >= http.StatusInternalServerError || refusal.Status == http.StatusConflict
}

// ReplyStream passes streamed text from the goroutine of a request to the screen. Methods are safe
// for concurrent use.
type ReplyStream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  terminal.Cleaner // only for the screen
	arrived  chan struct{}
	ended    chan struct{}
}

// NewReplyStream returns an empty stream.
func NewReplyStream() *ReplyStream {
	return &ReplyStream{arrived: make(chan struct{}, 1), ended: make(chan struct{})}
}

// AddWords appends text without blocking. The error is always nil.
func (s *ReplyStream) AddWords(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return nil
}

// EndWords ends the stream. EndWords must be called once.
func (s *ReplyStream) EndWords() { close(s.ended) }

// TakeWords returns the clean text since the last call.
func (s *ReplyStream) TakeWords() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// WaitForWords blocks until text arrives or the stream ends. The result is false at the end.
func (s *ReplyStream) WaitForWords() bool {
	select {
	case <-s.arrived:
		return true
	case <-s.ended:
		return false
	}
}
