package llm

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Salts keep the choices of one turn apart from each other.
const (
	saltOpening uint64 = iota + 1
	saltReply
	saltEnter
	saltOutcome
)

// reactionLine returns one of the judged state's lines for what happened.
func reactionLine(input Input, result StepResult) (line GeneratedText, found bool, err error) {
	if input.State == nil || input.State.Offline == nil {
		return GeneratedText{}, false, nil
	}
	return chooseLine(input, saltReply, "state "+input.State.Key+", "+resultName(result), input.State.Offline.Lines.Of(resultName(result)))
}

// enterLine returns one of the lines with which a state is entered. A machine's
// first state speaks its opening, any other its enter lines; each stands in for
// the other.
func enterLine(input Input, state *personas.State, first bool) (line GeneratedText, found bool, err error) {
	if state == nil || state.Offline == nil {
		return GeneratedText{}, false, nil
	}
	lines, others := state.Offline.Lines.Enter, state.Offline.Opening
	if first {
		lines, others = others, lines
	}
	if len(lines) == 0 {
		lines = others
	}
	return chooseLine(input, saltEnter, "state "+state.Key+", enter", lines)
}

func enteredLine(input Input, result StepResult) (line GeneratedText, found bool, err error) {
	return enterLine(input, result.Entered, false)
}

// outcomeLine returns one of a terminal state's lines for how the score came out:
// those for pass where the machine was accepted, those for reject where it was not
// (docs/decisions/llm.md, outcome-lines).
func outcomeLine(input Input, result StepResult) (line GeneratedText, found bool, err error) {
	state := result.Entered
	if state == nil || state.Offline == nil || !state.IsTerminal || input.Machine == nil || input.Machine.Mode() == personas.PassFail {
		return GeneratedText{}, false, nil
	}
	switch result.Outcome {
	case personas.Accept:
		return chooseLine(input, saltOutcome, "state "+state.Key+", accepted", state.Offline.Lines.Pass)
	case personas.Reject:
		return chooseLine(input, saltOutcome, "state "+state.Key+", rejected", state.Offline.Lines.Reject)
	}
	return GeneratedText{}, false, nil
}

func resultName(result StepResult) string {
	switch {
	case result.FollowUp:
		return personas.FollowUpName
	case result.Aside:
		return personas.AsideName
	}
	return string(result.Decision)
}

// maxTriedLines is how many lines are looked at for one that the character did not
// just say. A reply holds two lines, so more are looked at only where they are alike.
const maxTriedLines = 16

// chooseLine returns one of the author's lines. Only lines that may be said are
// expanded, and of all others it is only known that they say something.
func chooseLine(input Input, salt uint64, where string, lines []string) (GeneratedText, bool, error) {
	values := newPlaceholderValues(input)
	var spoken []string
	for _, line := range lines {
		if !personas.IsBlankExpanded(line, values.isBlank) {
			spoken = append(spoken, line)
		}
	}
	if len(spoken) == 0 {
		return GeneratedText{}, false, nil
	}
	expand := func(i int) (string, error) { return values.expandLine(where, spoken[i]) }
	i, text, err := findFreshLine(input, salt, len(spoken), expand)
	return GeneratedText{Text: text, Why: fmt.Sprintf("offline: %s, line %d of %d", where, i+1, len(spoken))}, true, err
}

func (p *placeholderValues) expandLine(where, line string) (string, error) {
	text, fits := personas.Expand(line, p.findValue)
	if !fits {
		return "", &ExpansionError{Place: "a line of " + where, Limit: personas.MaxExpanded}
	}
	return strings.TrimSpace(text), nil
}

func pickLine(input Input, salt uint64, lines []string) string {
	_, text, _ := findFreshLine(input, salt, len(lines), func(i int) (string, error) { return lines[i], nil })
	return text
}

// findFreshLine returns the line that the input's seed falls on, or the next one
// that the character did not just say, with its index.
func findFreshLine(input Input, salt uint64, count int, expand func(i int) (string, error)) (int, string, error) {
	start := int(mixBits(input.Seed+salt) % uint64(count)) //nolint:gosec // count is a length, and so is what remains
	first, err := expand(start)
	last := lastReply(input.Recent)
	if err != nil || !strings.Contains(last, first) {
		return start, first, err
	}
	for k := 1; k < min(count, maxTriedLines); k++ {
		i := (start + k) % count
		text, err := expand(i)
		if err != nil || !strings.Contains(last, text) {
			return i, text, err
		}
	}
	return start, first, nil
}

func lastReply(recent []Message) string {
	for i := len(recent) - 1; i >= 0; i-- {
		if recent[i].Role == "assistant" {
			return recent[i].Text
		}
	}
	return ""
}

// mixBits spreads a seed over all bits (the finaliser of SplitMix64), so that
// seeds next to each other choose independently.
func mixBits(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func noLines(input Input) string {
	return fmt.Sprintf("(%s has no offline lines here, so the built-in offline model answers plainly.)", speakerName(input))
}

func speakerName(input Input) string {
	if input.Persona != nil && input.Persona.Name != "" {
		return input.Persona.Name
	}
	return "The character"
}

func listenerName(input Input) string {
	if input.Player.Name != "" {
		return input.Player.Name
	}
	return "you"
}

func stateTitle(state *personas.State) string {
	if state == nil {
		return "this"
	}
	return state.Title()
}

func plainOpening(input Input) []string {
	who, whom, what := speakerName(input), listenerName(input), stateTitle(input.State)
	return []string{
		fmt.Sprintf("%s looks at %s. (%s)", who, whom, what),
		fmt.Sprintf("%s turns to %s and waits. (%s)", who, whom, what),
		fmt.Sprintf("%s greets %s. (%s)", who, whom, what),
	}
}

// plainReply returns the plain lines for what happened; an ending and a new state
// are told as well.
func plainReply(input Input, result StepResult) []string {
	lines := plainReaction(speakerName(input), stateTitle(input.State), result)
	tail := plainTail(speakerName(input), result)
	if tail == "" {
		return lines
	}
	for i := range lines {
		lines[i] += " " + tail
	}
	return lines
}

func plainReaction(who, what string, result StepResult) []string {
	if result.Aside {
		return []string{who + " does not quite follow you.", who + " listens, and waits.", who + " does not know what to say to that."}
	}
	if result.FollowUp {
		return []string{who + " wants to hear more. (" + what + ")", who + " waits for you to go on. (" + what + ")", who + " asks what you mean by that. (" + what + ")"}
	}
	switch result.Decision {
	case personas.DecidePass:
		return []string{who + " nods. (" + what + ": passed)", who + " is content with that. (" + what + ": passed)", "“Very well,” says " + who + ". (" + what + ": passed)"}
	case personas.DecideReject:
		return []string{who + " shakes their head. (" + what + ": rejected)", who + " does not accept that. (" + what + ": rejected)", "“No,” says " + who + ". (" + what + ": rejected)"}
	case personas.DecideKickOut:
		return []string{who + " sends you away. (" + what + ": kicked out)", who + " has had enough of you. (" + what + ": kicked out)", "“Leave,” says " + who + ". (" + what + ": kicked out)"}
	}
	return []string{who + " comes back to the matter at hand. (" + what + ")", who + " does not see what that has to do with it. (" + what + ")", "“Let us stay with this,” says " + who + ". (" + what + ")"}
}

func plainTail(who string, result StepResult) string {
	switch {
	case result.Outcome == personas.Accept:
		return "The conversation with " + who + " ends well."
	case result.Outcome != personas.NoOutcome:
		return "The conversation with " + who + " is over."
	case result.Entered != nil:
		return "Now: " + result.Entered.Title() + "."
	}
	return ""
}
