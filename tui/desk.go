package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// desk asks the service on a player's behalf; both modes stand on it. Every
// question gets a deadline.
type desk struct {
	service     Service
	memory      Memory
	newID       func() string
	describe    func(error) string
	lost        func(error) bool
	unsent      func(error) bool
	callTimeout time.Duration
	turnTimeout time.Duration
}

func newDesk(o Options) *desk {
	return &desk{
		service: o.Service, memory: o.Memory, newID: o.NewID, describe: o.Describe, lost: o.Lost, unsent: o.Unsent,
		callTimeout: o.CallTimeout, turnTimeout: o.TurnTimeout,
	}
}

// visit is a player with a persona.
type visit struct {
	cast *cast
	who  Known
	// kept says that the user_session_id has been used before.
	kept bool
}

func (v *visit) complete() bool { return v.who.PlayerName != "" && isGender(v.who.PlayerGender) }

// scene is a machine's session as it stands: what was said and where the
// player is.
type scene struct {
	machine  *machine
	session  string
	messages []wire.HistoryMessage
	at       standing
	// resumed says that the session began in an earlier chat.
	resumed bool
	// tokens are what its opening line has cost now.
	tokens wire.Tokens
	// warning is a trouble that does not keep anybody from playing.
	warning string
}

// explain makes one clean line of an error.
func (d *desk) explain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the service did not answer in time: try again"
	}
	return Clean(firstLine(d.describe(err)))
}

func (d *desk) published(ctx context.Context) ([]wire.PersonaItem, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	return d.service.Published(ctx)
}

// visit reads the persona and recalls the player; fresh forgets the sessions
// but not who the player is.
func (d *desk) visit(ctx context.Context, persona string, given Known, fresh bool) (*visit, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	full, err := d.service.FullPersona(ctx, persona)
	if err != nil {
		return nil, err
	}
	c := newCast(persona, full)
	known, kept := d.memory.Recall(c.id)
	v := &visit{cast: c, kept: kept && !fresh && known.UserSessionID != ""}
	v.who = Known{
		Persona:       c.id,
		PersonaName:   c.name,
		UserSessionID: known.UserSessionID,
		PlayerName:    cmp.Or(given.PlayerName, known.PlayerName),
		PlayerGender:  cmp.Or(given.PlayerGender, known.PlayerGender),
		Machine:       known.Machine,
	}
	if !v.kept {
		v.who.UserSessionID, v.who.Machine = d.newID(), ""
	}
	return v, nil
}

// enter goes on with the player's session of a machine, or begins one where
// there is none. "" is the machine that the player was in; when the service has
// forgotten that session, the persona's primary machine begins, because what had
// been unlocked is forgotten too.
func (d *desk) enter(ctx context.Context, v *visit, machine string) (*scene, error) {
	if v.kept {
		sc, err := d.resume(ctx, v, cmp.Or(machine, v.who.Machine))
		if err == nil || !isMissing(err) {
			return sc, err
		}
	}
	return d.begin(ctx, v, machine)
}

func isMissing(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusNotFound
}

// begin starts a machine's session anew; an older one of it is replaced.
func (d *desk) begin(ctx context.Context, v *visit, machine string) (*scene, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	opening, err := d.service.InitSession(ctx, v.cast.id, d.idOf(v, machine), wire.InitSession{
		UserSessionID: v.who.UserSessionID, PlayerName: v.who.PlayerName, PlayerGender: v.who.PlayerGender,
	})
	if err != nil {
		return nil, err
	}
	m := v.cast.machine(opening.MachineID)
	sc := &scene{machine: m, session: opening.SessionID, at: standing{state: m.initial()}, tokens: opening.Tokens}
	sc.messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: opening.Message}}
	d.remember(v, sc)
	return sc, nil
}

func (d *desk) idOf(v *visit, machine string) string {
	if machine == "" {
		return ""
	}
	return v.cast.machine(machine).id
}

// remember keeps the player's place. A memory that fails costs the resume, not
// the play.
func (d *desk) remember(v *visit, sc *scene) {
	v.who.Machine, v.kept = sc.machine.id, true
	if err := d.memory.Remember(v.who); err != nil {
		sc.warning = "your place could not be kept: " + Clean(firstLine(err.Error()))
	}
}

// resume reads a session as it stands. History does not name its machine, so
// without one it is looked up among the player's machines.
func (d *desk) resume(ctx context.Context, v *visit, machine string) (*scene, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	if machine == "" {
		progress, err := d.service.Progress(ctx, v.cast.id, v.who.UserSessionID)
		if err != nil {
			return nil, err
		}
		machine = lastEntered(progress)
	}
	if machine == "" {
		return nil, &wire.Error{Status: http.StatusNotFound, Message: "no session yet"}
	}
	m := v.cast.machine(machine)
	h, err := d.service.History(ctx, v.cast.id, v.who.UserSessionID, m.id)
	if err != nil {
		return nil, err
	}
	sc := sceneOf(m, h)
	d.remember(v, sc)
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

func sceneOf(m *machine, h wire.History) *scene {
	sc := &scene{machine: m, session: h.SessionID, messages: h.Messages, resumed: true}
	sc.at = standing{state: h.CurrentState, score: h.Score, redirects: -1}
	if h.Outcome != nil {
		sc.at.outcome = *h.Outcome
	}
	return sc
}

// turn is one message of the player. Its key is the same however often it is
// sent, so that a service that knows keys counts it once.
type turn struct{ text, key string }

func (d *desk) newTurn(text string) turn { return turn{text: text, key: d.newID()} }

// make makes a turn; heard, which may be nil, is told the reply's words as they
// come. This is the one place where a turn is made.
func (d *desk) make(ctx context.Context, v *visit, sc *scene, t turn, heard func(string) error) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	var reply wire.Reply
	var err error
	body := wire.Message{Message: t.text, UserSessionID: v.who.UserSessionID, Key: t.key}
	if heard == nil {
		reply, err = d.service.SendMessage(ctx, v.cast.id, sc.machine.id, body)
	} else {
		reply, err = d.service.StreamMessage(ctx, v.cast.id, sc.machine.id, body, heard)
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// look reads the session again.
func (d *desk) look(ctx context.Context, v *visit, sc *scene) (*scene, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	h, err := d.service.History(ctx, v.cast.id, v.who.UserSessionID, sc.machine.id)
	if err != nil {
		return nil, err
	}
	return sceneOf(sc.machine, h), nil
}

// reset clears the machine's conversation and gives its new beginning.
func (d *desk) reset(ctx context.Context, v *visit, m *machine) (*scene, error) {
	ctx, cancel := context.WithTimeout(ctx, d.turnTimeout)
	defer cancel()
	done, err := d.service.ResetSession(ctx, v.cast.id, v.who.UserSessionID, m.id)
	if isMissing(err) { // A service that has forgotten the session can begin it.
		return d.begin(ctx, v, m.id)
	}
	if err != nil {
		return nil, err
	}
	sc := &scene{machine: m, session: done.SessionID, at: standing{state: m.initial()}}
	sc.messages = []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: done.Message}}
	return sc, nil
}

// counted tells whether a refused or lost turn may have been kept all the same:
// only a clear refusal says that it was not, and a service that never had it.
func (d *desk) counted(err error) bool {
	if d.unsent(err) {
		return false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	return !ok || refusal.Status >= http.StatusInternalServerError || refusal.Status == http.StatusConflict
}

// placeStatus is how a machine stands for a player.
type placeStatus int

const (
	placeLocked placeStatus = iota
	placeOpen
	placeRunning
	placeEnded
)

// place is a machine in a player's list of machines.
type place struct {
	id, key, title, about string
	status                placeStatus
	outcome               string // how it ended, "" else
	score                 int
	scoring               bool
	hint                  string // what opens it, only while it is locked
}

func (p place) words() string {
	switch p.status {
	case placeLocked:
		return "locked"
	case placeRunning:
		return "begun"
	case placeEnded:
		if p.scoring {
			return fmt.Sprintf("%s with %d", outcomeWords(p.outcome), p.score)
		}
		return outcomeWords(p.outcome)
	}
	return "open"
}

// places lists the persona's machines as they stand for the player.
func (d *desk) places(ctx context.Context, v *visit) ([]place, wire.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	available, err := d.service.AvailableMachines(ctx, v.cast.id, v.who.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	progress, err := d.service.Progress(ctx, v.cast.id, v.who.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	return v.cast.places(available, progress.CompletedMachines), progress, nil
}

func (c *cast) places(available []wire.AvailableMachine, completed []wire.CompletedMachine) []place {
	list := make([]place, 0, max(len(c.machines), len(available)))
	for i := range c.machines {
		m := &c.machines[i]
		list = append(list, place{id: m.id, key: m.key, title: m.title, about: m.about, scoring: m.scoring, hint: c.hint(m)})
	}
	for _, a := range available {
		i := slices.IndexFunc(list, func(p place) bool { return p.id == a.MachineID || p.key == a.MachineKey })
		if i < 0 {
			i = len(list)
			list = append(list, place{id: a.MachineID, key: a.MachineKey, title: Clean(cmp.Or(a.Name, a.MachineKey)), about: Clean(a.Description), scoring: true})
		}
		list[i].open(a)
	}
	for _, done := range completed {
		if i := slices.IndexFunc(list, func(p place) bool { return p.id == done.MachineID }); i >= 0 {
			list[i].end(done)
		}
	}
	return list
}

func (p *place) open(a wire.AvailableMachine) {
	p.hint, p.status = "", placeOpen
	if a.HasSession {
		p.status = placeRunning
	}
	if a.SessionOutcome != nil && *a.SessionOutcome != "" {
		p.status, p.outcome = placeEnded, *a.SessionOutcome
	}
}

// end notes a completion; a machine that is being played again stays begun.
func (p *place) end(done wire.CompletedMachine) {
	p.score = done.Score
	if p.status != placeRunning {
		p.status, p.outcome, p.hint = placeEnded, done.Outcome, ""
	}
}

// findPlace finds a machine by its number in the list or by its key.
func findPlace(places []place, arg string) (place, error) {
	n, _ := strconv.Atoi(arg)
	for i, at := range places {
		if i+1 != n && at.key != arg && at.id != arg {
			continue
		}
		if at.status == placeLocked {
			return at, fmt.Errorf("%s is locked: %s", at.title, at.hint)
		}
		return at, nil
	}
	return place{}, fmt.Errorf("there is no machine %q: /machines lists them", Clean(arg))
}
