package conversation

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Requester asks the service on a player's behalf; both modes are on it. Every
// question gets a deadline.
type Requester struct {
	Service     Service
	Memory      Memory
	Endings     EndingMemory
	keepPlayer  func(name, gender string) error
	NewID       func() string
	describe    func(error) string
	IsLost      func(error) bool
	NeverSent   func(error) bool
	CallTimeout time.Duration
	turnTimeout time.Duration
	directed    bool // the built-in model plays, and answers at once
	// UsualName and UsualGender are those of Options.
	UsualName, UsualGender string
}

// NewRequester asks with the options' service and memory; they have their defaults.
func NewRequester(o *Options) *Requester {
	return &Requester{
		Service: o.Service, Memory: o.Memory, Endings: o.Endings, keepPlayer: o.KeepPlayer, NewID: o.NewID, describe: o.Describe, IsLost: o.Lost, NeverSent: o.Unsent,
		CallTimeout: o.CallTimeout, turnTimeout: o.TurnTimeout, directed: o.Directed, UsualName: o.UsualName, UsualGender: o.UsualGender,
	}
}

// ExplainError makes one clean line of an error.
func (r *Requester) ExplainError(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the service did not answer in time: try again"
	}
	return terminal.Clean(terminal.FirstLine(r.describe(err)))
}

// ListPersonas are the published personas, newest first.
func (r *Requester) ListPersonas(ctx context.Context) ([]wire.PersonaItem, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	return r.Service.Published(ctx)
}

// OpenPersona reads the persona and recalls the player; fresh forgets the sessions but not the
// player's data. Data that is neither given nor remembered gets its defaults.
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

// EnterMachine continues the player's session of a machine, or begins one. "" is the player's last
// machine. If the service has lost that session, the persona's primary machine begins, because what
// the player had unlocked is lost too. heard is as for BeginMachine.
func (r *Requester) EnterMachine(ctx context.Context, v *UserSession, machine string, heard func(string) error) (*Session, error) {
	if v.used {
		sc, err := r.resumeMachine(ctx, v, cmp.Or(machine, v.Saved.Machine))
		if err == nil || !IsMissing(err) {
			return sc, err
		}
	}
	return r.BeginMachine(ctx, v, machine, heard)
}

// IsMissing reports whether an error is a refusal because something is not there (404).
func IsMissing(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusNotFound
}

// BeginMachine starts a machine's session, and replaces an older one. It calls heard, which may be
// nil, with the opening's words as they stream; the session has all of them.
func (r *Requester) BeginMachine(ctx context.Context, v *UserSession, machine string, heard func(string) error) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.turnTimeout)
	defer cancel()
	opening, err := r.initSession(ctx, v, machine, heard)
	if err != nil {
		return nil, err
	}
	m := v.Persona.FindMachine(opening.MachineID)
	sc := &Session{Machine: m, ID: opening.SessionID, PlayerName: cmp.Or(opening.PlayerName, v.Saved.PlayerName), Standing: Standing{State: m.InitialState()}, Tokens: opening.Tokens}
	sc.Messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: opening.Message}}
	r.rememberSession(v, sc)
	return sc, nil
}

// initSession opens a session. If the persona is saved while its opening streams, the streamed
// words are void, and another opening is requested whole.
func (r *Requester) initSession(ctx context.Context, v *UserSession, machine string, heard func(string) error) (wire.Opening, error) {
	id := ""
	if machine != "" {
		id = v.Persona.FindMachine(machine).ID
	}
	body := wire.InitSession{
		UserSessionID: v.Saved.UserSessionID, PlayerName: v.Saved.PlayerName, PlayerGender: cmp.Or(v.Saved.PlayerGender, usualGender),
	}
	if heard == nil {
		return r.Service.InitSession(ctx, v.Persona.ID, id, body)
	}
	opening, err := r.Service.StreamInitSession(ctx, v.Persona.ID, id, body, heard)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Code == wire.CodeConflict {
		return r.Service.InitSession(ctx, v.Persona.ID, id, body)
	}
	return opening, err
}

// rememberSession keeps the player's place. A memory that fails costs the resume, not
// the play.
func (r *Requester) rememberSession(v *UserSession, sc *Session) {
	v.used = true
	v.Saved.NotePlace(sc)
	if err := r.Memory.Remember(v.Saved); err != nil {
		sc.Warning = "your place could not be kept: " + terminal.Clean(terminal.FirstLine(err.Error()))
	}
}

// resumeMachine reads the present state of a session. History does not name its machine, so an
// unknown machine is looked up among the player's machines.
func (r *Requester) resumeMachine(ctx context.Context, v *UserSession, machine string) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	if machine == "" {
		progress, err := r.Service.Progress(ctx, v.Persona.ID, v.Saved.UserSessionID)
		if err != nil {
			return nil, err
		}
		machine = lastEntered(progress)
	}
	if machine == "" {
		return nil, &wire.Error{Status: http.StatusNotFound, Message: "no session yet"}
	}
	m := v.Persona.FindMachine(machine)
	h, err := r.Service.History(ctx, v.Persona.ID, v.Saved.UserSessionID, m.ID)
	if err != nil {
		return nil, err
	}
	sc := sessionOf(m, h)
	r.rememberSession(v, sc)
	return sc, nil
}

func lastEntered(p wire.Progress) string {
	if p.CurrentMachineID != nil {
		return *p.CurrentMachineID
	}
	if n := len(p.RoutePath); n > 0 {
		return p.RoutePath[n-1].MachineID
	}
	return ""
}

// Turn is one message of the player. Its key is the same however often it is
// sent, so that a service that knows keys counts it once.
type Turn struct {
	Text, key string
	// sameVerdict asks for other words where the turn was taken back just now.
	sameVerdict bool
}

// NewTurn returns a turn with a new key.
func (r *Requester) NewTurn(text string) Turn { return Turn{Text: text, key: r.NewID()} }

// RepeatTurn is a turn that was taken back just now: it is judged as it was, unless it is to be
// judged again, and answered in other words.
func (r *Requester) RepeatTurn(text string, judge bool) Turn {
	return Turn{Text: text, key: r.NewID(), sameVerdict: !judge}
}

// SendTurn sends a turn. It calls heard, which may be nil, with the reply's words as they stream.
// No other code sends turns.
func (r *Requester) SendTurn(ctx context.Context, v *UserSession, sc *Session, t Turn, heard func(string) error) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, r.turnTimeout)
	defer cancel()
	var reply wire.Reply
	var err error
	body := wire.Message{Message: t.Text, UserSessionID: v.Saved.UserSessionID, Key: t.key, SameVerdict: t.sameVerdict}
	if heard == nil {
		reply, err = r.Service.SendMessage(ctx, v.Persona.ID, sc.Machine.ID, body)
	} else {
		reply, err = r.Service.StreamMessage(ctx, v.Persona.ID, sc.Machine.ID, body, heard)
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// ReadSession reads the session again.
func (r *Requester) ReadSession(ctx context.Context, v *UserSession, sc *Session) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	h, err := r.Service.History(ctx, v.Persona.ID, v.Saved.UserSessionID, sc.Machine.ID)
	if err != nil {
		return nil, err
	}
	return sessionOf(sc.Machine, h), nil
}

// ResetMachine clears the machine's conversation and gives its new beginning.
func (r *Requester) ResetMachine(ctx context.Context, v *UserSession, m *Machine) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.turnTimeout)
	defer cancel()
	done, err := r.Service.ResetSession(ctx, v.Persona.ID, v.Saved.UserSessionID, m.ID)
	if IsMissing(err) { // A service that has forgotten the session can begin it.
		return r.BeginMachine(ctx, v, m.ID, nil)
	}
	if err != nil {
		return nil, err
	}
	sc := &Session{Machine: m, ID: done.SessionID, Standing: Standing{State: m.InitialState()}}
	sc.Messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: done.Message}}
	return sc, nil
}

// MayHaveCounted reports whether a refused or lost turn may still have been stored: only a clear
// refusal, or a turn that the service never received, rules that out.
func (r *Requester) MayHaveCounted(err error) bool {
	if r.NeverSent(err) {
		return false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	return !ok || refusal.Status >= http.StatusInternalServerError || refusal.Status == http.StatusConflict
}
