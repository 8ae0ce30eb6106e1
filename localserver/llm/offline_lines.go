package llm

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/offline"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Salts keep the choices of one turn apart from each other.
const (
	saltOpening uint64 = iota + 1
	saltReply
	saltEnter
	saltOutcome
)

// reactionLine returns what belongs to the example that was matched, else one of
// the judged state's lines for what happened.
func (o *Offline) reactionLine(input Input, result StepResult, v *offline.Verdict) (line GeneratedText, found bool, err error) {
	if v.Example != nil && v.Example.Answer != "" && v.Decision == resultName(result) {
		return o.chooseLine(input, saltReply, "an example's answer", []string{v.Example.Answer})
	}
	if input.State == nil || input.State.Offline == nil {
		return GeneratedText{}, false, nil
	}
	name, known := resultName(result), &input.State.Offline.Lines
	lines := known.Of(name)
	if name == personas.FollowUpName && len(lines) == 0 {
		name, lines = "unknown", known.Unknown
	}
	return o.chooseLine(input, saltReply, "state "+input.State.Key+", "+name, lines)
}

// enterLine returns one of the lines with which a state is entered. A machine's
// first state speaks its opening, any other its enter lines; each stands in for
// the other.
func (o *Offline) enterLine(input Input, state *personas.State, first bool) (line GeneratedText, found bool, err error) {
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
	return o.chooseLine(input, saltEnter, "state "+state.Key+", enter", lines)
}

func (o *Offline) enteredLine(input Input, result StepResult) (line GeneratedText, found bool, err error) {
	return o.enterLine(input, result.Entered, false)
}

// outcomeLine returns one of a terminal state's lines for how the score came out:
// those for pass where the machine was accepted, those for reject where it was not
// (docs/decisions/llm.md, outcome-lines).
func (o *Offline) outcomeLine(input Input, result StepResult) (line GeneratedText, found bool, err error) {
	state := result.Entered
	if state == nil || state.Offline == nil || !state.IsTerminal || input.Machine == nil || input.Machine.Mode() == personas.PassFail {
		return GeneratedText{}, false, nil
	}
	switch result.Outcome {
	case personas.Accept:
		return o.chooseLine(input, saltOutcome, "state "+state.Key+", accepted", state.Offline.Lines.Pass)
	case personas.Reject:
		return o.chooseLine(input, saltOutcome, "state "+state.Key+", rejected", state.Offline.Lines.Reject)
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
	return string(cmp.Or(result.Decision, personas.DecideRedirect))
}

// maxTriedLines is how many lines are looked at for one that the character has not
// said yet.
const maxTriedLines = 16

// chooseLine returns one of the author's lines. Only lines that may be said are
// expanded, and of all others it is only known that they say something.
func (o *Offline) chooseLine(input Input, salt uint64, where string, lines []string) (GeneratedText, bool, error) {
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
	i, text, err := findFreshLine(input.Recent, o.orderLines(input, salt, spoken), expand)
	return GeneratedText{Text: text, Why: fmt.Sprintf("offline: %s, line %d of %d", where, i+1, len(spoken))}, true, err
}

func (p *placeholderValues) expandLine(where, line string) (string, error) {
	text, fits := personas.Expand(line, p.findValue)
	if !fits {
		return "", &ExpansionError{Place: "a line of " + where, Limit: personas.MaxExpanded}
	}
	return strings.TrimSpace(text), nil
}

func (o *Offline) pickLine(input Input, salt uint64, lines []string) string {
	_, text, _ := findFreshLine(input.Recent, o.orderLines(input, salt, lines), func(i int) (string, error) { return lines[i], nil })
	return text
}

// nearLine is the likeness from which a line answers the very words of a
// message.
const nearLine = 0.2

// orderLines returns the numbers of the lines in which they are tried: the
// nearest to the message first, where one is near, then from where the
// conversation's seed falls.
func (o *Offline) orderLines(input Input, salt uint64, lines []string) []int {
	start := int(mixBits(o.seedOf(input)+salt) % uint64(len(lines))) //nolint:gosec // a length, and so is what remains
	order := make([]int, 0, maxTriedLines+1)
	if near := o.nearestLine(input.Message, lines); near >= 0 {
		order = append(order, near)
	}
	for k := 0; k < len(lines) && len(order) < maxTriedLines; k++ {
		if i := (start + k) % len(lines); !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// nearestLine returns the line that has most in common with a message, of the
// first that are looked at; -1 for none.
func (o *Offline) nearestLine(message string, lines []string) int {
	words, _, _ := CutDirectorMark(message)
	if len(lines) < 2 || strings.TrimSpace(words) == "" {
		return -1
	}
	lines = lines[:min(len(lines), maxTriedLines)]
	kinds, clipped := make([]int, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		kinds[i], clipped[i] = i, plaintext.ClipWithin(line, 400)
	}
	x := o.reader().Lexicon()
	best, top := -1, nearLine
	for i, score := range x.NewIndex(x.ReadAll(clipped...), kinds).ScoreAll(plaintext.ClipWithin(words, 400)) {
		if score > top {
			best, top = i, score
		}
	}
	return best
}

// findFreshLine returns the first line, in order, that the character has not said
// in this conversation, else the one that it said longest ago, with its number.
func findFreshLine(recent []Message, order []int, expand func(i int) (string, error)) (int, string, error) {
	said := replies(recent)
	oldest, oldestText, oldestAt := -1, "", 0
	for _, i := range order {
		text, err := expand(i)
		at := strings.LastIndex(said, text)
		if err != nil || at < 0 {
			return i, text, err
		}
		if oldest < 0 || at < oldestAt {
			oldest, oldestText, oldestAt = i, text, at
		}
	}
	return oldest, oldestText, nil
}

// replies returns all that the character said of late.
func replies(recent []Message) string {
	var b strings.Builder
	for i := range recent {
		if recent[i].Role == "assistant" {
			b.WriteString(recent[i].Text)
			b.WriteByte(0)
		}
	}
	return b.String()
}

// seedOf makes a seed of the conversation's own words, so that the same
// conversation always has the same text; the operator's seed varies it
// (docs/decisions/llm.md, choice-of-lines).
func (o *Offline) seedOf(input Input) uint64 {
	h := fnv.New64a()
	write := func(text string) {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	if input.Machine != nil {
		write(input.Machine.Key)
	}
	for i := range input.Recent {
		if input.Recent[i].Role == "user" {
			write(input.Recent[i].Text)
		}
	}
	write(input.Message)
	return h.Sum64() ^ mixBits(o.seed)
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
	return plainOf(input).somebody
}

func stateTitle(state *personas.State) string {
	if state == nil {
		return "this"
	}
	return state.Title()
}
