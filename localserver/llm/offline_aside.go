package llm

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/offline"
)

// hintAfter is after how many asides in a row the character says what it is
// about.
const hintAfter = 2

// answerAside answers what decides nothing: with the author's words, else with a
// narrator's for the intent, else as words that were not understood.
func (o *Offline) answerAside(input Input, v *offline.Verdict) (GeneratedText, error) {
	if v.Answer != nil {
		line, found, err := o.chooseLine(input, saltReply, "an answer", v.Answer.Say)
		if found || err != nil {
			return line, err
		}
	}
	if v.Language != "" {
		return GeneratedText{Text: foreignLine(input, v.Language), Why: "offline: plain line for " + v.Language}, nil
	}
	if lines := plainOf(input).intents[v.Intent]; len(lines) > 0 && o.hasAnswerFor(input, v.Intent) {
		text := o.pickLine(input, saltReply, fillAll(input, input.State, lines, ""))
		return GeneratedText{Text: text, Why: fmt.Sprintf("offline: plain line for %s", v.Intent)}, nil
	}
	return o.answerUnknown(input)
}

// hasAnswerFor reports whether what a plain answer needs is known.
func (o *Offline) hasAnswerFor(input Input, intent personas.Intent) bool {
	switch intent {
	case personas.IntentMyName:
		return input.Player.Name != ""
	case personas.IntentRepeat, personas.IntentNotUnderstood:
		return lastReply(input.Recent) != ""
	}
	return true
}

// answerUnknown is what the character says to words that it does not understand;
// after the second in a row it hints at the objective.
func (o *Offline) answerUnknown(input Input) (GeneratedText, error) {
	var line GeneratedText
	var found bool
	var err error
	if input.State != nil && input.State.Offline != nil {
		line, found, err = o.chooseLine(input, saltReply, "state "+input.State.Key+", unknown", input.State.Offline.Lines.Unknown)
	}
	if err != nil {
		return GeneratedText{}, err
	}
	if !found {
		line = GeneratedText{Text: o.pickLine(input, saltReply, plainReply(input, StepResult{Aside: true})), Why: "offline: plain line for words not understood"}
	}
	if input.Asides+1 >= hintAfter && goalOf(input) != "" {
		line.Text += "\n\n" + fillPlain(input, input.State, plainOf(input).hint)
		line.Why += "; a hint"
	}
	return line, nil
}
