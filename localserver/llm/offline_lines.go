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

// reacting is one of the judged state's lines for what happened.
func reacting(scene Scene, beat Beat) (Speech, bool) {
	if scene.State == nil || scene.State.Offline == nil {
		return Speech{}, false
	}
	return line(scene, saltReply, "state "+scene.State.Key+", "+beatName(beat), scene.State.Offline.Lines.Of(beatName(beat)))
}

// entering is one of the lines with which a state is entered. A machine's first
// state speaks its opening, any other its enter lines; each stands in for the
// other.
func entering(scene Scene, state *personas.State, first bool) (Speech, bool) {
	if state == nil || state.Offline == nil {
		return Speech{}, false
	}
	lines, others := state.Offline.Lines.Enter, state.Offline.Opening
	if first {
		lines, others = others, lines
	}
	if len(lines) == 0 {
		lines = others
	}
	return line(scene, saltEnter, "state "+state.Key+", enter", lines)
}

func beatName(beat Beat) string {
	if beat.FollowUp {
		return personas.FollowUpName
	}
	return string(beat.Decision)
}

func line(scene Scene, salt uint64, where string, lines []string) (Speech, bool) {
	said := make([]string, 0, len(lines))
	for _, l := range lines {
		if text := strings.TrimSpace(personas.Expand(l, scene.value)); text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return Speech{}, false
	}
	i := choose(scene, salt, said)
	return Speech{Text: said[i], Why: fmt.Sprintf("offline: %s, line %d of %d", where, i+1, len(said))}, true
}

func pick(scene Scene, salt uint64, lines []string) string { return lines[choose(scene, salt, lines)] }

// choose is the index of the line that the scene's seed falls on, or of the next
// one that the character did not just say.
func choose(scene Scene, salt uint64, lines []string) int {
	start := int(mix(scene.Seed+salt) % uint64(len(lines)))
	last := lastSaid(scene.Recent)
	for k := range lines {
		i := (start + k) % len(lines)
		if !strings.Contains(last, lines[i]) {
			return i
		}
	}
	return start
}

func lastSaid(recent []Message) string {
	for i := len(recent) - 1; i >= 0; i-- {
		if recent[i].Role == "assistant" {
			return recent[i].Text
		}
	}
	return ""
}

// mix spreads a seed over all bits (the finaliser of SplitMix64), so that seeds
// next to each other choose independently.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func noLines(scene Scene) string {
	return fmt.Sprintf("(%s has no offline lines here, so the built-in offline model answers plainly.)", speaker(scene))
}

func speaker(scene Scene) string {
	if scene.Persona != nil && scene.Persona.Name != "" {
		return scene.Persona.Name
	}
	return "The character"
}

func listener(scene Scene) string {
	if scene.Player.Name != "" {
		return scene.Player.Name
	}
	return "you"
}

func title(state *personas.State) string {
	if state == nil {
		return "this"
	}
	return state.Title()
}

func plainOpening(scene Scene) []string {
	who, whom, what := speaker(scene), listener(scene), title(scene.State)
	return []string{
		fmt.Sprintf("%s looks at %s. (%s)", who, whom, what),
		fmt.Sprintf("%s turns to %s and waits. (%s)", who, whom, what),
		fmt.Sprintf("%s greets %s. (%s)", who, whom, what),
	}
}

// plainReply are the plain lines for what happened; an ending and a new state
// are told as well.
func plainReply(scene Scene, beat Beat) []string {
	lines := plainBeat(speaker(scene), title(scene.State), beat)
	tail := plainTail(speaker(scene), beat)
	if tail == "" {
		return lines
	}
	for i := range lines {
		lines[i] += " " + tail
	}
	return lines
}

func plainBeat(who, what string, beat Beat) []string {
	if beat.FollowUp {
		return []string{who + " wants to hear more. (" + what + ")", who + " waits for you to go on. (" + what + ")", who + " asks what you mean by that. (" + what + ")"}
	}
	switch beat.Decision {
	case personas.DecidePass:
		return []string{who + " nods. (" + what + ": passed)", who + " is content with that. (" + what + ": passed)", "“Very well,” says " + who + ". (" + what + ": passed)"}
	case personas.DecideReject:
		return []string{who + " shakes their head. (" + what + ": rejected)", who + " does not accept that. (" + what + ": rejected)", "“No,” says " + who + ". (" + what + ": rejected)"}
	case personas.DecideKickOut:
		return []string{who + " sends you away. (" + what + ": kicked out)", who + " has had enough of you. (" + what + ": kicked out)", "“Leave,” says " + who + ". (" + what + ": kicked out)"}
	}
	return []string{who + " comes back to the matter at hand. (" + what + ")", who + " does not see what that has to do with it. (" + what + ")", "“Let us stay with this,” says " + who + ". (" + what + ")"}
}

func plainTail(who string, beat Beat) string {
	switch {
	case beat.Outcome == personas.Accept:
		return "The conversation with " + who + " ends well."
	case beat.Outcome != personas.NoOutcome:
		return "The conversation with " + who + " is over."
	case beat.Entered != nil:
		return "Now: " + beat.Entered.Title() + "."
	}
	return ""
}
