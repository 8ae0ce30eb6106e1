package playtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// Take is a stored conversation on one machine.
type Take struct {
	Machine  string // key
	Messages []wire.HistoryMessage
	Outcome  string // "" for an open conversation
}

// ErrOtherRules is returned for a conversation that is impossible with the persona.
var ErrOtherRules = errors.New("the conversation was played with another version of the persona")

// WriteRecording returns a play file for a conversation with the service's results as expectations.
// wantsMark reports whether a step from 0 needs a director's mark for the offline model. The error
// is ErrOtherRules for a conversation that the persona does not allow.
func WriteRecording(
	persona string, doc *personas.Persona, player Player, takes []Take, wantsMark func(step int) bool,
) ([]byte, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	r := &recording{playWriter: *newPlayWriter(doc, rules), wantsMark: wantsMark}
	r.textFor, r.margin = r.playerText, "  "
	r.printf("# A conversation, saved by the chat. A mark in [[brackets]] forces a decision that\n"+
		"# the offline model would not make by itself.\n"+
		"persona: %s\nplayer: {name: %s, gender: %s}\nsteps:\n",
		strconv.Quote(persona), strconv.Quote(player.Name), strconv.Quote(player.Gender))
	for _, t := range takes {
		if err := r.writeConversation(t); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

type recording struct {
	playWriter
	wantsMark func(step int) bool
	step      int
	message   string // of the current step
}

func (r *recording) writeConversation(t Take) error {
	if r.rules.Machine(t.Machine) == nil {
		return fmt.Errorf("there is no machine %q: %w", t.Machine, ErrOtherRules)
	}
	r.writeStart(t.Machine)
	r.step++
	for i := 1; i < len(t.Messages); i++ {
		sent, reply := &t.Messages[i-1], &t.Messages[i]
		if sent.Role != wire.RoleUser || reply.Role != wire.RoleAssistant {
			continue
		}
		outcome := ""
		if i == len(t.Messages)-1 {
			outcome = t.Outcome
		}
		v, err := r.findVerdict(reply, outcome)
		if err != nil {
			return fmt.Errorf("message %d in %s: %w", i, t.Machine, err)
		}
		r.message = sent.Content
		if err := r.writeMessage(v); err != nil {
			return err
		}
		r.step++
	}
	return nil
}

func (r *recording) playerText(v engine.Verdict) string {
	mark := " [[" + r.markFor(v) + "]]"
	if !r.wantsMark(r.step) || strings.HasSuffix(r.message, mark) {
		return r.message
	}
	return r.message + mark
}

func (r *recording) findVerdict(reply *wire.HistoryMessage, outcome string) (engine.Verdict, error) {
	m := r.rules.Machine(r.machine)
	for _, v := range m.Verdicts(r.session.State) {
		step, err := m.Step(r.session, v)
		after := step.Session
		if err == nil && string(step.Decision) == wire.TextOf(reply.Decision) &&
			step.FollowUp == (reply.FollowUpTriggered && !reply.Aside) && step.Aside == reply.Aside &&
			after.State == reply.StateKeyAtTime && after.Score == reply.ScoreAtTime && string(after.Outcome) == outcome {
			return v, nil
		}
	}
	return 0, ErrOtherRules
}
