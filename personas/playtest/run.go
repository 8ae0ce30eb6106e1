package playtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// Service contains the operations of a chat service that play-throughs need.
type Service interface {
	InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error)
	SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
}

// Subject is the persona under test, as a document and on a service.
type Subject struct {
	ID       string
	Doc      *personas.Persona
	Machines map[string]string // keys by id on the service
	rules    *engine.Persona
}

// NewSubject compiles a document. machines is the service's description of the document's machines.
func NewSubject(id string, doc *personas.Persona, machines []wire.Machine) (*Subject, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	s := &Subject{ID: id, Doc: doc, Machines: make(map[string]string, len(machines)), rules: rules}
	for i := range machines {
		s.Machines[machines[i].ID] = machines[i].Key
	}
	return s, nil
}

func (s *Subject) machineKey(machine string) string {
	if key, ok := s.Machines[machine]; ok {
		return key
	}
	return machine
}

// Failure is an unmet expectation. For a rejected step, Member is empty and Got is the reason.
type Failure struct {
	Path      string // in the play file
	Member    string
	Want, Got string
	variable  string
}

// Message describes the failure in one line.
func (f *Failure) Message() string {
	switch f.Member {
	case "":
		return f.Got
	case ExpectContains, ExpectMatches, ExpectLacks:
		verbs := map[string]string{
			ExpectContains: "does not contain", ExpectMatches: "does not match", ExpectLacks: "contains",
		}
		return fmt.Sprintf("the reply %s %q: %q", verbs[f.Member], f.Want, f.Got)
	}
	name := f.Member
	if f.Member == ExpectVariable {
		name = "variable " + f.variable
	}
	return fmt.Sprintf("%s: expected %s, got %s", name, f.Want, f.Got)
}

// StepResult is the result of one step.
type StepResult struct {
	Step     *Step
	Failures []Failure
	Skipped  bool // the machine could not continue
}

// Result is the result of one play-through.
type Result struct {
	Play  *Play
	Steps []StepResult
	Hits  Hits
	// Notes report replies with an unknown transition.
	Notes []Note
	// Err is set if the service did not respond. The play-through ends with Err.
	Err error
}

// Note is information about a step, not a failure.
type Note struct{ Path, Text string }

// Failures returns all failures in the order of the steps.
func (r *Result) Failures() []Failure {
	var all []Failure
	for i := range r.Steps {
		all = append(all, r.Steps[i].Failures...)
	}
	return all
}

// CountSteps returns the number of played steps of the play file, without the opening.
func (r *Result) CountSteps() int {
	n := len(r.Steps)
	if n > 0 && r.Steps[0].Step.Opening {
		n--
	}
	return n
}

// Run plays a play-through as a user new to the service. A failed expectation does not end the run.
// After a rejected message, Run continues with the next start of a machine.
func (s *Subject) Run(ctx context.Context, service Service, user string, play *Play) Result {
	r := &playRun{Subject: s, service: service, user: user, result: Result{Play: play, Hits: Hits{}}}
	for i := range play.Steps {
		done, err := r.playStep(ctx, &play.Steps[i])
		r.result.Steps = append(r.result.Steps, done)
		if err != nil {
			r.result.Err = err
			break
		}
	}
	return r.result
}

type playRun struct {
	*Subject
	service Service
	user    string
	machine string // key
	playing bool
	tracker tracker
	result  Result
}

func (r *playRun) playStep(ctx context.Context, step *Step) (StepResult, error) {
	done := StepResult{Step: step}
	var seen observation
	var err error
	switch {
	case step.Start:
		seen, err = r.startMachine(ctx, step)
	case !r.playing:
		done.Skipped = true
		return done, nil
	default:
		seen, err = r.sendMessage(ctx, step)
	}
	refusal, isRefusal := errors.AsType[*wire.Error](err)
	switch {
	case isRefusal && refusal.Status < wire.StatusOf(wire.CodeInternal) &&
		refusal.Status != wire.StatusOf(wire.CodeUnauthenticated) && refusal.Status != wire.StatusOf(wire.CodeRateLimited):
		expectsLocked := slices.ContainsFunc(step.Expect, func(e Expectation) bool {
			return e.Member == ExpectLocked && e.Want == "true"
		})
		if expectsLocked && refusal.Code == wire.CodeMachineLocked {
			seen = observation{locked: true} // the previous machine can continue
			break
		}
		r.playing = false
		done.Failures = []Failure{{Path: step.Path, Got: "refused: " + refusal.Message}}
		return done, nil
	case err != nil:
		return done, err
	}
	if slices.ContainsFunc(step.Expect, func(e Expectation) bool { return e.Member == ExpectVariable }) {
		progress, err := r.service.Progress(ctx, r.ID, r.user)
		if err != nil {
			return done, err
		}
		seen.variables = progress.CrossMachineVars
	}
	done.Failures = compareStep(step, &seen)
	return done, nil
}

func (r *playRun) startMachine(ctx context.Context, s *Step) (observation, error) {
	player := &r.result.Play.Player
	opening, err := r.service.InitSession(ctx, r.ID, s.Machine,
		wire.InitSession{UserSessionID: r.user, PlayerName: player.Name, PlayerGender: player.Gender})
	if err != nil {
		return observation{}, err
	}
	r.machine, r.playing = r.machineKey(opening.MachineID), true
	r.tracker.reset(r.Subject, r.machine, r.result.Hits)
	return observation{reply: opening.Message}, nil
}

func (r *playRun) sendMessage(ctx context.Context, s *Step) (observation, error) {
	reply, err := r.service.SendMessage(ctx, r.ID, r.machine, wire.Message{Message: s.Say, UserSessionID: r.user})
	if err != nil {
		return observation{}, err
	}
	if note := r.tracker.followReply(s.Say, &reply, r.result.Hits); note != "" {
		r.result.Notes = append(r.result.Notes, Note{s.Path, note})
	}
	return r.observeReply(&reply), nil
}

type observation struct {
	reply     string
	members   map[string]string
	unlocked  []string
	variables map[string]string
	locked    bool
}

func (s *Subject) observeReply(reply *wire.Reply) observation {
	seen := observation{reply: reply.Message, unlocked: []string{}, members: map[string]string{
		ExpectDecision:  orNone(reply.Decision),
		ExpectState:     reply.CurrentState,
		ExpectScore:     strconv.Itoa(reply.Score),
		ExpectRedirects: None,
		ExpectFollowUp:  strconv.FormatBool(reply.FollowUp),
		ExpectAside:     strconv.FormatBool(reply.Aside),
		ExpectOutcome:   orNone(reply.Outcome),
	}}
	if reply.RedirectCount != nil {
		seen.members[ExpectRedirects] = strconv.Itoa(*reply.RedirectCount)
	}
	for _, id := range reply.Unlocked {
		seen.unlocked = append(seen.unlocked, s.machineKey(id))
	}
	slices.Sort(seen.unlocked)
	return seen
}

func orNone(p *string) string { return cmp.Or(wire.TextOf(p), None) }

func compareStep(s *Step, seen *observation) []Failure {
	var failures []Failure
	for i := range s.Expect {
		e := &s.Expect[i]
		got, ok := e.isMet(seen)
		if ok {
			continue
		}
		want := e.Want
		if e.Member == ExpectUnlocked {
			want = formatKeys(e.List)
		}
		failures = append(failures, Failure{Path: e.Path, Member: e.Member, Want: want, Got: got, variable: e.Variable})
	}
	return failures
}

const noValue = "nothing"

func formatKeys(keys []string) string { return "[" + strings.Join(keys, ", ") + "]" }

func (e *Expectation) isMet(seen *observation) (got string, ok bool) {
	switch e.Member {
	case ExpectContains:
		return seen.reply, strings.Contains(strings.ToLower(seen.reply), strings.ToLower(e.Want))
	case ExpectLacks:
		return seen.reply, !strings.Contains(strings.ToLower(seen.reply), strings.ToLower(e.Want))
	case ExpectMatches:
		return seen.reply, e.pattern != nil && e.pattern.MatchString(seen.reply)
	case ExpectUnlocked:
		return formatKeys(seen.unlocked), slices.Equal(slices.Sorted(slices.Values(e.List)), seen.unlocked)
	case ExpectLocked:
		return fmt.Sprint(seen.locked), e.Want == fmt.Sprint(seen.locked)
	case ExpectVariable:
		value, ok := seen.variables[e.Variable]
		if !ok {
			return noValue, false
		}
		return value, value == e.Want
	}
	got = seen.members[e.Member]
	return got, got == e.Want
}
