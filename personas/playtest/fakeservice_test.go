package playtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// doors is a persona with a scoring machine, a second machine that is locked until the first has
// ended, two transitions with the same reply, and a variable.
const doors = `name: Keeper
description: Two doors.
persona_identity_prompt: p
machines:
  - machine_key: outer
    is_entry_machine: true
    pass_threshold: 2
    early_fail_bound: -2
    states:
      - state_key: closed
        is_initial_state: true
        max_redirects: 1
        evaluation_criteria: {follow_up: The player only knocks.}
      - {state_key: open, is_terminal_state: true}
    transitions:
      - {from_state_key: closed, to_state_key: open, decision_type: pass, score_delta: 2, condition: the word}
      - {from_state_key: closed, to_state_key: open, decision_type: pass, score_delta: 2, priority: 1, condition: the key}
      - {from_state_key: closed, decision_type: redirect, score_delta: -1}
      - {from_state_key: closed, decision_type: kick_out}
  - machine_key: inner
    scoring_mode: pass_fail
    states:
      - {state_key: shut, is_initial_state: true}
      - {state_key: wide, is_terminal_state: true}
    transitions:
      - {from_state_key: shut, to_state_key: wide, decision_type: pass}
machine_links:
  - {source_machine_key: outer, target_machine_key: inner, condition_type: score_gte, condition_value: 2}
`

// fakeService is a service that consists only of the engine. The tracker reads a message that ends
// in "[[...]]" as a decision, and the word "key" fires the second pass. Other messages do not fire
// a transition.
type fakeService struct {
	subject  *Subject
	machine  string
	session  engine.Session
	unlocked []string
	broken   string // a message that makes the service fail
	lockCode string // of the refusal to open a locked machine
}

func newFakeService(t testing.TB, src string) (*fakeService, *Subject, personas.SourceMap) {
	t.Helper()
	doc, places, faults := personas.Parse("doors.yaml", []byte(src))
	assert.Empty(t, faults)
	var machines []wire.Machine
	for _, m := range doc.Machines {
		machines = append(machines, wire.Machine{ID: "id-of-" + m.Key, Machine: m})
	}
	subject := assert.Value(NewSubject("p1", &doc, machines))(t)
	return &fakeService{subject: subject, lockCode: wire.CodeMachineLocked}, subject, places
}

func newRefusal(status int, message string) error {
	return &wire.Error{Status: status, Message: message}
}

func (s *fakeService) InitSession(_ context.Context, _, machine string, body wire.InitSession) (wire.Opening, error) {
	rules := s.subject.rules
	if machine == "" {
		machine = rules.Primary()
	}
	if rules.Machine(machine) == nil {
		return wire.Opening{}, newRefusal(http.StatusNotFound, "there is no such machine")
	}
	if !rules.IsAvailable(machine, s.unlocked) {
		return wire.Opening{}, &wire.Error{Status: http.StatusForbidden, Code: s.lockCode, Message: "the machine is not unlocked yet"}
	}
	s.machine, s.session = machine, rules.Machine(machine).Start()
	return wire.Opening{Message: "Halt, " + body.PlayerName + ".", MachineID: "id-of-" + machine}, nil
}

func (s *fakeService) verdictFor(text string) engine.Verdict {
	t := tracker{subject: s.subject}
	t.reset(s.subject, s.machine, Hits{})
	t.session = s.session
	if v, ok := readMark(t.doc, t.machine, t.session.State, text); ok {
		return v
	}
	if strings.Contains(text, "key") {
		return engine.Fire(1)
	}
	return engine.None
}

func (s *fakeService) SendMessage(_ context.Context, _, _ string, body wire.Message) (wire.Reply, error) {
	if body.Message == s.broken {
		return wire.Reply{}, errors.New("connection lost")
	}
	step, err := s.subject.rules.Machine(s.machine).Step(s.session, s.verdictFor(body.Message))
	if err != nil {
		return wire.Reply{}, newRefusal(http.StatusConflict, err.Error())
	}
	s.session = step.Session
	reply := wire.Reply{Message: "Mm: " + body.Message, CurrentState: step.Session.State, Score: step.Session.Score, FollowUp: step.FollowUp || step.Aside, Aside: step.Aside, RedirectCount: &step.Session.Redirects}
	if step.Decision != "" {
		reply.Decision = new(string(step.Decision))
	}
	if step.IsCompleted() {
		reply.Outcome, reply.RedirectCount, reply.MachineCompleted = new(string(step.Session.Outcome)), nil, true
		for _, key := range s.subject.rules.Complete(s.unlocked, s.machine, step.Session.Outcome, step.Session.Score) {
			s.unlocked = append(s.unlocked, key)
			reply.Unlocked = append(reply.Unlocked, "id-of-"+key)
		}
	}
	return reply, nil
}

func (s *fakeService) Progress(context.Context, string, string) (wire.Progress, error) {
	return wire.Progress{CrossMachineVars: map[string]string{"word": "mellon"}}, nil
}

func parsePlay(t testing.TB, src string) (File, personas.SourceMap) {
	t.Helper()
	f, places, faults := Parse("a.play.yaml", []byte(src))
	assert.Empty(t, faults, src)
	return f, places
}

func playAll(t testing.TB, s *fakeService, subject *Subject, src string) ([]Result, personas.SourceMap) {
	t.Helper()
	f, places := parsePlay(t, src)
	var results []Result
	for i := range f.Plays {
		s.machine, s.unlocked = "", nil
		results = append(results, subject.Run(t.Context(), s, fmt.Sprint("user", i), &f.Plays[i]))
	}
	return results, places
}
