package llm

import (
	"context"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/offline"
)

// Offline is the built-in model (persona-file section 5): it needs no key and
// no network, and gives the same conversation the same text. personas/offline
// understands the player; what is said are the author's lines, else a narrator's.
// It is safe for concurrent use.
type Offline struct {
	reader func() *offline.Reader // made when it is first needed
	seed   uint64
}

// NewOffline makes the built-in model.
func NewOffline() *Offline { return &Offline{reader: sync.OnceValue(offline.NewReader)} }

// WithSeed returns the same model with a seed that varies which of several lines
// is said.
func (o *Offline) WithSeed(seed uint64) *Offline { return &Offline{reader: o.reader, seed: seed} }

var _ Model = (*Offline)(nil)

// Open returns one of the initial state's opening lines, else one of its enter
// lines, else a plain line. A machine without any lines says so here, and only
// here. emit gets all of it at once.
func (o *Offline) Open(ctx context.Context, input Input, emit func(delta string) error) (GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return GeneratedText{}, err
	}
	reply := GeneratedText{Text: o.pickLine(input, saltOpening, plainOpening(input)), Why: "offline: plain opening"}
	line, found, err := o.enterLine(input, input.State, true)
	if err != nil {
		return GeneratedText{}, err
	}
	if found {
		reply = line
	}
	if !hasLines(input.Machine) {
		reply.Text += "\n\n" + noLines(input)
	}
	if emit == nil {
		return reply, nil
	}
	return reply, emit(reply.Text)
}

// Reply returns one of the judged state's lines for what happened, then, in a
// paragraph of its own, one of the lines of the state that was entered. Without
// either it says plainly what happened. emit gets the text word by word.
func (o *Offline) Reply(ctx context.Context, input Input, result StepResult, emit func(delta string) error) (GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return GeneratedText{}, err
	}
	reply, err := o.composeReply(input, result)
	if err != nil {
		return GeneratedText{}, err
	}
	for rest := reply.Text; rest != ""; {
		if err := ctx.Err(); err != nil {
			return GeneratedText{}, err
		}
		word := firstWord(rest)
		if err := emit(word); err != nil {
			return GeneratedText{}, err
		}
		rest = rest[len(word):]
	}
	return reply, nil
}

// composeReply gives what is said to what happened: the line for the decision, the
// line with which a state is entered, and the line for the outcome, each in a
// paragraph of its own.
func (o *Offline) composeReply(input Input, result StepResult) (GeneratedText, error) {
	v := result.Understood
	if v == nil {
		decided := o.decide(input)
		v = &decided
	}
	if result.Aside {
		return o.answerAside(input, v)
	}
	var texts, reasons []string
	for _, choose := range [...]func() (GeneratedText, bool, error){
		func() (GeneratedText, bool, error) { return o.reactionLine(input, result, v) },
		func() (GeneratedText, bool, error) { return o.enteredLine(input, result) },
		func() (GeneratedText, bool, error) { return o.outcomeLine(input, result) },
	} {
		line, found, err := choose()
		if err != nil {
			return GeneratedText{}, err
		}
		if found {
			texts, reasons = append(texts, line.Text), append(reasons, line.Why)
		}
	}
	if len(texts) == 0 {
		return GeneratedText{Text: o.pickLine(input, saltReply, plainReply(input, result)), Why: "offline: plain line for " + resultName(result)}, nil
	}
	return GeneratedText{Text: strings.Join(texts, "\n\n"), Why: strings.Join(reasons, "; ")}, nil
}

// firstWord returns the first word of a text with the blanks around it.
func firstWord(text string) string {
	start := len(text) - len(strings.TrimLeft(text, " \n\t\r"))
	end := strings.IndexAny(text[start:], " \n\t\r")
	if end < 0 {
		return text
	}
	end += start
	for end < len(text) && strings.IndexByte(" \n\t\r", text[end]) >= 0 {
		end++
	}
	return text[:end]
}

// hasLines reports whether any state of the machine has something to say.
func hasLines(m *personas.Machine) bool {
	if m == nil {
		return false
	}
	for i := range m.States {
		off := m.States[i].Offline
		if off == nil {
			continue
		}
		l := &off.Lines
		for _, lines := range [...][]string{off.Opening, l.Pass, l.Redirect, l.Reject, l.KickOut, l.FollowUp, l.Enter, l.Unknown} {
			if len(lines) > 0 {
				return true
			}
		}
	}
	return false
}
