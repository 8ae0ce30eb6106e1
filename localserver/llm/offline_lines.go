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
)

// reactionLine returns one of the judged state's lines for what happened.
func reactionLine(input Input, result StepResult) (GeneratedText, bool) {
	if input.State == nil || input.State.Offline == nil {
		return GeneratedText{}, false
	}
	return chooseLine(input, saltReply, "state "+input.State.Key+", "+resultName(result), input.State.Offline.Lines.Of(resultName(result)))
}

// enterLine returns one of the lines with which a state is entered. A machine's
// first state speaks its opening, any other its enter lines; each stands in for
// the other.
func enterLine(input Input, state *personas.State, first bool) (GeneratedText, bool) {
	if state == nil || state.Offline == nil {
		return GeneratedText{}, false
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

func resultName(result StepResult) string {
	if result.FollowUp {
		return personas.FollowUpName
	}
	return string(result.Decision)
}

func chooseLine(input Input, salt uint64, where string, lines []string) (GeneratedText, bool) {
	said := make([]string, 0, len(lines))
	for _, l := range lines {
		if text := strings.TrimSpace(personas.Expand(l, input.placeholderValue)); text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return GeneratedText{}, false
	}
	i := lineIndex(input, salt, said)
	return GeneratedText{Text: said[i], Why: fmt.Sprintf("offline: %s, line %d of %d", where, i+1, len(said))}, true
}

func pickLine(input Input, salt uint64, lines []string) string {
	return lines[lineIndex(input, salt, lines)]
}

// lineIndex returns the index of the line that the input's seed falls on, or of
// the next one that the character did not just say.
func lineIndex(input Input, salt uint64, lines []string) int {
	start := int(mixBits(input.Seed+salt) % uint64(len(lines)))
	last := lastReply(input.Recent)
	for k := range lines {
		i := (start + k) % len(lines)
		if !strings.Contains(last, lines[i]) {
			return i
		}
	}
	return start
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
