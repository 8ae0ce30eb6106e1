package tuitest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// Service is a conversation.Service in memory for one player. The first four letters of a message
// select a decision, such as "pass", "redi" or "reje". The message "lost" fails with ErrLost. "pass
// cut" counts, but the reply is lost. "wait" blocks until ctx ends.
type Service struct {
	Persona    wire.FullPersona
	Items      []wire.PersonaItem
	sessions   map[string]*engine.Session
	names      map[string]string // player names by machine
	Messages   map[string][]wire.HistoryMessage
	Unlocked   []string
	Answer     string
	Tokens     wire.Tokens
	Traces     map[string][]wire.TurnTrace
	TraceError error
	Vars       map[string]string
	ListError  error
	TurnErrors []error // of the next turns, or nil for success
	// HistoryErrors are the errors of the next calls of History, or nil for success.
	HistoryErrors []error
	Keys          []string
	// OpeningErrors are the errors of the next openings, or nil for success.
	OpeningWords  []string
	OpeningErrors []error
	Choices       []wire.TraceChoice
	NoBranches    bool

	states   map[string][]engine.Session
	branches []*branch
	present  int
}

// ErrNobody is the client's error for a service that does not run.
var ErrNobody = errors.New("nothing answers at http://127.0.0.1:8787: connection refused; start the service")

// ErrLost is the client's error for a broken connection.
var ErrLost = errors.New("the connection was lost: is the server running?")

// NewService returns a service with two personas. Only mira can be played.
func NewService() *Service {
	return &Service{
		Persona:  Persona(),
		sessions: map[string]*engine.Session{}, names: map[string]string{}, states: map[string][]engine.Session{},
		Messages: map[string][]wire.HistoryMessage{}, Traces: map[string][]wire.TurnTrace{},
		Items: []wire.PersonaItem{
			{ID: "mira", Name: "Mira", Description: "Guards the gate of a small town, and what lies below it."},
			{ID: "oskar", Name: "Oskar", Description: "A merchant who never pays the first price."},
		},
	}
}

func (s *Service) doc(machine string) *wire.Machine {
	i := slices.IndexFunc(s.Persona.Machines, func(m wire.Machine) bool { return m.ID == machine })
	return &s.Persona.Machines[max(i, 0)]
}

func (s *Service) Published(context.Context) ([]wire.PersonaItem, error) {
	return s.Items, s.ListError
}

func (s *Service) FullPersona(_ context.Context, id string) (wire.FullPersona, error) {
	if id != "mira" {
		return wire.FullPersona{}, &wire.Error{Status: http.StatusNotFound, Message: "there is no persona " + id}
	}
	return s.Persona, nil
}

func (s *Service) AvailableMachines(context.Context, string, string) ([]wire.AvailableMachine, error) {
	var list []wire.AvailableMachine
	for _, m := range s.Persona.Machines {
		if session := s.sessions[m.ID]; m.IsEntry || session != nil || slices.Contains(s.Unlocked, m.ID) {
			a := wire.AvailableMachine{MachineID: m.ID, MachineKey: m.Key, Name: m.Name, HasSession: session != nil}
			if session != nil && session.IsFinished() {
				a.SessionOutcome = (*string)(&session.Outcome)
			}
			list = append(list, a)
		}
	}
	return list, nil
}

func (s *Service) Progress(ctx context.Context, persona, user string) (wire.Progress, error) {
	available, _ := s.AvailableMachines(ctx, persona, user)
	p := wire.Progress{HasLinks: true, CrossMachineVars: s.Vars, AvailableMachines: available}
	for _, m := range s.Persona.Machines {
		if session := s.sessions[m.ID]; session != nil && session.IsFinished() {
			p.TotalScore += session.Score
			completed := wire.CompletedMachine{MachineID: m.ID, Outcome: string(session.Outcome), Score: session.Score}
			p.CompletedMachines = append(p.CompletedMachines, completed)
		}
	}
	return p, nil
}

func (s *Service) InitSession(_ context.Context, _, machine string, body wire.InitSession) (wire.Opening, error) {
	m := s.doc(machine)
	s.sessions[m.ID], s.names[m.ID] = &engine.Session{State: m.States[0].Key}, body.PlayerName
	s.states[m.ID] = []engine.Session{*s.sessions[m.ID]}
	line := "Halt, **" + body.PlayerName + "**! Who goes there, and what do you want in *" + m.Name + "*?"
	s.Messages[m.ID] = []wire.HistoryMessage{
		{ID: "0", Role: wire.RoleAssistant, Content: line, StateKeyAtTime: m.States[0].Key},
	}
	s.Traces[m.ID] = []wire.TurnTrace{{MessageID: "0", Reply: "offline: state asked, enter, line 1 of 1"}}
	return wire.Opening{Message: line, SessionID: "s-" + m.ID, MachineID: m.ID, Tokens: s.Tokens}, nil
}

// StreamInitSession streams OpeningWords before the result of InitSession.
func (s *Service) StreamInitSession(
	ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(string) error,
) (wire.Opening, error) {
	for _, word := range s.OpeningWords {
		if err := onDelta(word); err != nil {
			return wire.Opening{}, err
		}
	}
	if len(s.OpeningErrors) > 0 {
		err := s.OpeningErrors[0]
		if s.OpeningErrors = s.OpeningErrors[1:]; err != nil {
			return wire.Opening{}, err
		}
	}
	return s.InitSession(ctx, persona, machine, body)
}

func (s *Service) SendMessage(ctx context.Context, _, machine string, body wire.Message) (wire.Reply, error) {
	s.Keys = append(s.Keys, body.Key)
	if len(s.TurnErrors) > 0 {
		err := s.TurnErrors[0]
		if s.TurnErrors = s.TurnErrors[1:]; err != nil {
			return wire.Reply{}, err
		}
	}
	m, session := s.doc(machine), s.sessions[machine]
	compiled, _ := engine.Compile(&m.Machine)
	verdict := engine.None
	switch word := body.Message[:min(4, len(body.Message))]; word {
	case "lost":
		return wire.Reply{}, ErrLost
	case "wait", "mute":
		<-ctx.Done()
		return wire.Reply{}, ctx.Err()
	case "more":
		verdict = engine.FollowUp
	case "asid":
		verdict = engine.Aside
	default:
		for i, t := range m.Transitions {
			if t.From == session.State && string(t.Decision)[:4] == word {
				verdict = engine.Fire(i)
			}
		}
	}
	r, err := compiled.Step(*session, verdict)
	if err != nil {
		return wire.Reply{}, &wire.Error{Status: http.StatusConflict, Message: err.Error()}
	}
	*session = r.Session
	reply := s.reply(machine, body.Message, r)
	if body.Message == "pass cut" {
		return wire.Reply{}, ErrLost
	}
	return reply, nil
}

// StreamMessage is SendMessage with a streamed reply. "wait" blocks and "break" fails after two
// words. "mute" blocks without a word.
func (s *Service) StreamMessage(
	ctx context.Context, persona, machine string, body wire.Message, onDelta func(string) error,
) (wire.Reply, error) {
	for _, word := range []string{"wait", "break"} {
		if strings.HasPrefix(body.Message, word) {
			_ = onDelta("Well, ")
			_ = onDelta("I ")
		}
	}
	if strings.HasPrefix(body.Message, "break") {
		return wire.Reply{}, ErrLost
	}
	reply, err := s.SendMessage(ctx, persona, machine, body)
	for word := range strings.SplitAfterSeq(reply.Message, " ") {
		if err == nil {
			err = onDelta(word)
		}
	}
	return reply, err
}

func (s *Service) reply(machine, message string, r engine.Result) wire.Reply {
	text := s.Answer
	if text == "" {
		text = "You said: " + message + ". Here is what I think about it."
	}
	reply := wire.Reply{
		Message: text, Tokens: s.Tokens, SessionID: "s-" + machine,
		CurrentState: r.Session.State, Score: r.Session.Score,
		FollowUp: r.FollowUp || r.Aside, Aside: r.Aside, MachineCompleted: r.IsCompleted(),
	}
	if r.IsCompleted() {
		reply.Outcome = (*string)(&r.Session.Outcome)
		for _, l := range s.Persona.Links {
			target := "m-" + l.Target
			opens := l.Source == s.doc(machine).Key && engine.Opens(&l, r.Session.Outcome, r.Session.Score)
			if opens && !slices.Contains(s.Unlocked, target) {
				reply.Unlocked = append(reply.Unlocked, target)
				s.Unlocked = append(s.Unlocked, target)
			}
		}
	} else {
		reply.RedirectCount = &r.Session.Redirects
	}
	s.addTurn(machine, message, text, r)
	return reply
}

func (s *Service) addTurn(machine, message, text string, r engine.Result) {
	id := strconv.Itoa(len(s.Messages[machine]) + 1)
	s.Messages[machine] = append(s.Messages[machine], wire.HistoryMessage{Role: wire.RoleUser, Content: message},
		wire.HistoryMessage{
			ID: id, Role: wire.RoleAssistant, Content: text,
			StateKeyAtTime: r.Session.State, ScoreAtTime: r.Session.Score,
			Decision: (*string)(&r.Decision), FollowUpTriggered: r.FollowUp || r.Aside, Aside: r.Aside,
		})
	turn := wire.TurnTrace{
		MessageID: id, Aside: r.Aside, Evaluation: "like \"" + message + "\" (1.00)",
		Reply: "offline: line 1 of 1", Choices: s.Choices,
	}
	if r.Transition >= 0 {
		turn.Transition, turn.Holds = &r.Transition, []wire.Hold{{Transition: r.Transition, Why: "the first word"}}
	}
	s.Traces[machine] = append(s.Traces[machine], turn)
	s.states[machine] = append(s.states[machine], r.Session)
	s.noteBranch(machine)
}

func (s *Service) History(_ context.Context, _, user, machine string) (wire.History, error) {
	if s.branches != nil {
		s.enter(user, machine)
	}
	if len(s.HistoryErrors) > 0 {
		err := s.HistoryErrors[0]
		if s.HistoryErrors = s.HistoryErrors[1:]; err != nil {
			return wire.History{}, err
		}
	}
	session := s.sessions[machine]
	if session == nil {
		return wire.History{}, &wire.Error{Status: http.StatusNotFound, Message: "there is no session"}
	}
	h := wire.History{
		SessionID: "s-" + machine, Messages: s.Messages[machine], CurrentState: session.State, Score: session.Score,
		PlayerName: s.names[machine],
	}
	if session.IsFinished() {
		h.Outcome = (*string)(&session.Outcome)
	} else {
		h.RedirectCount = new(session.Redirects)
	}
	return h, nil
}

func (s *Service) HistoryAtOnce(ctx context.Context, persona, user, machine string) (wire.History, error) {
	return s.History(ctx, persona, user, machine)
}

func (s *Service) ResetSession(ctx context.Context, persona, _, machine string) (wire.ResetDone, error) {
	opening, err := s.InitSession(ctx, persona, machine, wire.InitSession{PlayerName: "Alex"})
	return wire.ResetDone{SessionID: opening.SessionID, Message: opening.Message}, err
}

// Trace returns the explanation of each message.
func (s *Service) Trace(_ context.Context, _, _, machine string) (wire.Trace, error) {
	if s.TraceError != nil {
		return wire.Trace{}, s.TraceError
	}
	return wire.Trace{SessionID: "s-" + machine, Turns: s.Traces[machine]}, nil
}

// Persona returns mira with three machines. The gate unlocks the cellar and then the tower.
func Persona() wire.FullPersona {
	two, one := 2, 1
	move := func(from, to string, d personas.Decision, delta int) personas.Transition {
		return personas.Transition{From: from, To: to, Decision: d, ScoreDelta: delta}
	}
	refuses := personas.Criteria{Reject: "The player refuses or says no."}
	gate := personas.Machine{
		Key: "gate", Name: "The gate", PlayerGoal: "Talk the guard into it.", IsEntry: true, PassThreshold: &two,
		States: []personas.State{
			{Key: "asked", Label: "At the gate", IsInitial: true, MaxRedirects: &two, Criteria: refuses},
			{Key: "inside", Label: "In the yard", MaxRedirects: &one, Criteria: refuses},
			{Key: "end", Label: "Through the gate", IsTerminal: true},
		},
		Transitions: []personas.Transition{
			move("asked", "inside", personas.DecidePass, 1), move("inside", "end", personas.DecidePass, 1),
			move("asked", "", personas.DecideKickOut, -2), move("asked", "end", personas.DecideReject, 0),
			move("inside", "end", personas.DecideReject, 0), move("asked", "", personas.DecideRedirect, 0),
		},
	}
	trial := func(key, name string) personas.Machine {
		return personas.Machine{
			Key: key, Name: name, ScoringMode: personas.PassFail,
			States: []personas.State{
				{Key: "dark", Label: "In the dark", IsInitial: true},
				{Key: "out", Label: "In the light", IsTerminal: true},
			},
			Transitions: []personas.Transition{
				move("dark", "out", personas.DecidePass, 0), move("dark", "", personas.DecideReject, 0),
			},
		}
	}
	item := wire.PersonaItem{ID: "mira", Name: "Mira", Description: "Guards the gate of a small town."}
	full := wire.FullPersona{Persona: wire.Persona{PersonaItem: item}}
	for _, m := range []personas.Machine{gate, trial("cellar", "The cellar"), trial("tower", "The tower")} {
		full.Machines = append(full.Machines, wire.Machine{ID: "m-" + m.Key, Machine: m})
	}
	full.Links = []personas.Link{
		{Source: "gate", Target: "cellar", Condition: personas.IfOutcome, Outcome: personas.Accept},
		{Source: "cellar", Target: "tower", Condition: personas.IfOutcome, Outcome: personas.Accept, AutoAdvance: true},
	}
	return full
}

// LimitedFor returns a rate limit error (429). A positive wait becomes Retry-After.
func LimitedFor(wait time.Duration) error {
	return &wire.Error{Status: http.StatusTooManyRequests, RetryAfter: wait, Message: "limit exceeded"}
}

// RefusedWith returns an error of the service with a status and a code.
func RefusedWith(status int, code string) error {
	return &wire.Error{Status: status, Code: code, Message: "refused with " + code}
}
