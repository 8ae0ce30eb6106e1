package tui

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// requester asks the service on a player's behalf; both modes stand on it. Every
// question gets a deadline.
type requester struct {
	service     Service
	memory      Memory
	newID       func() string
	describe    func(error) string
	isLost      func(error) bool
	neverSent   func(error) bool
	callTimeout time.Duration
	turnTimeout time.Duration
}

func newRequester(o *TalkOptions) *requester {
	return &requester{
		service: o.Service, memory: o.Memory, newID: o.NewID, describe: o.Describe, isLost: o.Lost, neverSent: o.Unsent,
		callTimeout: o.CallTimeout, turnTimeout: o.TurnTimeout,
	}
}

// explainError makes one clean line of an error.
func (d *requester) explainError(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the service did not answer in time: try again"
	}
	return Clean(firstLine(d.describe(err)))
}

func (d *requester) listPersonas(ctx context.Context) ([]wire.PersonaItem, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	return d.service.Published(ctx)
}

// openPersona reads the persona and recalls the player; fresh forgets the sessions
// but not who the player is.
func (d *requester) openPersona(ctx context.Context, persona string, given SavedSession, fresh bool) (*userSession, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	full, err := d.service.FullPersona(ctx, persona)
	if err != nil {
		return nil, err
	}
	c := newPersona(persona, full)
	known, kept := d.memory.Recall(c.id)
	v := &userSession{persona: c, used: kept && !fresh && known.UserSessionID != ""}
	v.saved = SavedSession{
		Persona:       c.id,
		PersonaName:   c.name,
		UserSessionID: known.UserSessionID,
		PlayerName:    cmp.Or(given.PlayerName, known.PlayerName),
		PlayerGender:  cmp.Or(given.PlayerGender, known.PlayerGender),
		Machine:       known.Machine,
	}
	if !v.used {
		v.saved.UserSessionID, v.saved.Machine = d.newID(), ""
	}
	return v, nil
}

// enterMachine goes on with the player's session of a machine, or begins one where
// there is none. "" is the machine that the player was in; when the service has
// forgotten that session, the persona's primary machine begins, because what had
// been unlocked is forgotten too.
func (d *requester) enterMachine(ctx context.Context, v *userSession, machine string) (*session, error) {
	if v.used {
		sc, err := d.resumeMachine(ctx, v, cmp.Or(machine, v.saved.Machine))
		if err == nil || !isMissing(err) {
			return sc, err
		}
	}
	return d.beginMachine(ctx, v, machine)
}

func isMissing(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusNotFound
}

// beginMachine starts a machine's session anew; an older one of it is replaced.
func (d *requester) beginMachine(ctx context.Context, v *userSession, machine string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	opening, err := d.service.InitSession(ctx, v.persona.id, d.idOf(v, machine), wire.InitSession{
		UserSessionID: v.saved.UserSessionID, PlayerName: v.saved.PlayerName, PlayerGender: v.saved.PlayerGender,
	})
	if err != nil {
		return nil, err
	}
	m := v.persona.findMachine(opening.MachineID)
	sc := &session{machine: m, id: opening.SessionID, standing: standing{state: m.initialState()}, tokens: opening.Tokens}
	sc.messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: opening.Message}}
	d.rememberSession(v, sc)
	return sc, nil
}

func (d *requester) idOf(v *userSession, machine string) string {
	if machine == "" {
		return ""
	}
	return v.persona.findMachine(machine).id
}

// rememberSession keeps the player's place. A memory that fails costs the resume, not
// the play.
func (d *requester) rememberSession(v *userSession, sc *session) {
	v.saved.Machine, v.used = sc.machine.id, true
	if err := d.memory.Remember(v.saved); err != nil {
		sc.warning = "your place could not be kept: " + Clean(firstLine(err.Error()))
	}
}

// resumeMachine reads a session as it stands. History does not name its machine, so
// without one it is looked up among the player's machines.
func (d *requester) resumeMachine(ctx context.Context, v *userSession, machine string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	if machine == "" {
		progress, err := d.service.Progress(ctx, v.persona.id, v.saved.UserSessionID)
		if err != nil {
			return nil, err
		}
		machine = lastEntered(progress)
	}
	if machine == "" {
		return nil, &wire.Error{Status: http.StatusNotFound, Message: "no session yet"}
	}
	m := v.persona.findMachine(machine)
	h, err := d.service.History(ctx, v.persona.id, v.saved.UserSessionID, m.id)
	if err != nil {
		return nil, err
	}
	sc := sessionOf(m, h)
	d.rememberSession(v, sc)
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

// turn is one message of the player. Its key is the same however often it is
// sent, so that a service that knows keys counts it once.
type turn struct{ text, key string }

func (d *requester) newTurn(text string) turn { return turn{text: text, key: d.newID()} }

// sendTurn makes a turn; heard, which may be nil, is told the reply's words as they
// come. This is the one place where a turn is made.
func (d *requester) sendTurn(ctx context.Context, v *userSession, sc *session, t turn, heard func(string) error) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	var reply wire.Reply
	var err error
	body := wire.Message{Message: t.text, UserSessionID: v.saved.UserSessionID, Key: t.key}
	if heard == nil {
		reply, err = d.service.SendMessage(ctx, v.persona.id, sc.machine.id, body)
	} else {
		reply, err = d.service.StreamMessage(ctx, v.persona.id, sc.machine.id, body, heard)
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// readSession reads the session again.
func (d *requester) readSession(ctx context.Context, v *userSession, sc *session) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	h, err := d.service.History(ctx, v.persona.id, v.saved.UserSessionID, sc.machine.id)
	if err != nil {
		return nil, err
	}
	return sessionOf(sc.machine, h), nil
}

// resetMachine clears the machine's conversation and gives its new beginning.
func (d *requester) resetMachine(ctx context.Context, v *userSession, m *machine) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	done, err := d.service.ResetSession(ctx, v.persona.id, v.saved.UserSessionID, m.id)
	if isMissing(err) { // A service that has forgotten the session can begin it.
		return d.beginMachine(ctx, v, m.id)
	}
	if err != nil {
		return nil, err
	}
	sc := &session{machine: m, id: done.SessionID, standing: standing{state: m.initialState()}}
	sc.messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: done.Message}}
	return sc, nil
}

// mayHaveCounted tells whether a refused or lost turn may have been kept all the same:
// only a clear refusal says that it was not, and a service that never had it.
func (d *requester) mayHaveCounted(err error) bool {
	if d.neverSent(err) {
		return false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	return !ok || refusal.Status >= http.StatusInternalServerError || refusal.Status == http.StatusConflict
}
