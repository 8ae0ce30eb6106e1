package scripted

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Salts make the random choices within a turn independent.
const (
	saltOpening uint64 = iota + 1
	saltReply
	saltEnter
	saltOutcome
)

func (s *scene) reactionLine(result llm.StepResult, v *intent.Verdict) (llm.GeneratedText, error) {
	if v.Example != nil && v.Example.Answer != "" && v.Decision == resultName(result) {
		return s.expandFreshLine(saltReply, "an example's answer", []string{v.Example.Answer})
	}
	if s.State == nil || s.State.Offline == nil {
		return llm.GeneratedText{}, nil
	}
	name, fallback := resultName(result), &s.State.Offline.Lines
	lines := fallback.Of(name)
	if name == personas.FollowUpName && len(lines) == 0 {
		name, lines = "unknown", fallback.Unknown
	}
	return s.expandFreshLine(saltReply, "state "+s.State.Key+", "+name, lines)
}

func (s *scene) enterLine(state *personas.State, first bool) (llm.GeneratedText, error) {
	if state == nil || state.Offline == nil {
		return llm.GeneratedText{}, nil
	}
	lines, others := state.Offline.Lines.Enter, state.Offline.Opening
	if first {
		lines, others = others, lines
	}
	if len(lines) == 0 {
		lines = others
	}
	return s.expandFreshLine(saltEnter, "state "+state.Key+", enter", lines)
}

func (s *scene) outcomeLine(result llm.StepResult) (llm.GeneratedText, error) {
	state := result.Entered
	if state == nil || state.Offline == nil || !state.IsTerminal {
		return llm.GeneratedText{}, nil
	}
	if s.Machine == nil || s.Machine.Mode() == personas.PassFail {
		return llm.GeneratedText{}, nil
	}
	switch result.Outcome {
	case personas.Accept:
		return s.expandFreshLine(saltOutcome, "state "+state.Key+", accepted", state.Offline.Lines.Pass)
	case personas.Reject:
		return s.expandFreshLine(saltOutcome, "state "+state.Key+", rejected", state.Offline.Lines.Reject)
	}
	return llm.GeneratedText{}, nil
}

func resultName(result llm.StepResult) string {
	switch {
	case result.FollowUp:
		return personas.FollowUpName
	case result.Aside:
		return personas.AsideName
	}
	return string(cmp.Or(result.Decision, personas.DecideRedirect))
}

const maxTriedLines = 16

func (s *scene) expandFreshLine(salt uint64, where string, lines []string) (llm.GeneratedText, error) {
	var spoken []string
	for _, line := range lines {
		if !personas.IsBlankExpanded(line, s.isBlank) {
			spoken = append(spoken, line)
		}
	}
	if len(spoken) == 0 {
		return llm.GeneratedText{}, nil
	}
	expand := func(i int) (string, error) {
		text, fits := personas.Expand(spoken[i], s.findValue)
		if !fits {
			return "", &llm.ExpansionError{Place: "a line of " + where, Limit: personas.MaxExpanded}
		}
		return strings.TrimSpace(text), nil
	}
	i, text, err := findFreshLine(s.recentMessages(), s.orderLines(salt, spoken), expand)
	return llm.GeneratedText{Text: text, Why: fmt.Sprintf("offline: %s, line %d of %d", where, i+1, len(spoken))}, err
}

func (s *scene) freshLine(salt uint64, lines []string, reason string) llm.GeneratedText {
	unchanged := func(i int) (string, error) { return lines[i], nil }
	_, text, _ := findFreshLine(s.recentMessages(), s.orderLines(salt, lines), unchanged)
	return llm.GeneratedText{Text: text, Why: "offline: " + reason}
}

func (s *scene) recentMessages() []llm.Message {
	if s.Heard == "" {
		return s.Recent
	}
	return append(s.Recent[:len(s.Recent):len(s.Recent)], llm.Message{Role: "assistant", Text: s.Heard})
}

const nearLine = 0.2

func (s *scene) orderLines(salt uint64, lines []string) []int {
	start := int(mixBits(s.seed()+salt) % uint64(len(lines))) //nolint:gosec // a length, and so is what remains
	order := make([]int, 0, maxTriedLines+1)
	if near := s.nearestLine(lines); near >= 0 {
		order = append(order, near)
	}
	for k := 0; k < len(lines) && len(order) < maxTriedLines; k++ {
		if i := (start + k) % len(lines); !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

func (s *scene) nearestLine(lines []string) int {
	words, _, _ := cutDirectorMark(s.Message)
	if len(lines) < 2 || strings.TrimSpace(words) == "" {
		return -1
	}
	lines = lines[:min(len(lines), maxTriedLines)]
	clipped := make([]string, len(lines))
	for i, line := range lines {
		clipped[i] = plaintext.ClipWithin(line, 400)
	}
	best, top := -1, nearLine
	for i, score := range s.model.reader().Lexicon().Compare(plaintext.ClipWithin(words, 400), clipped...) {
		if score > top {
			best, top = i, score
		}
	}
	return best
}

func findFreshLine(recent []llm.Message, order []int, expand func(i int) (string, error)) (int, string, error) {
	earlier := strings.Join(characterLines(recent), "\x00")
	oldest, oldestText, oldestAt := -1, "", 0
	for _, i := range order {
		text, err := expand(i)
		index := strings.LastIndex(earlier, text)
		if err != nil || index < 0 {
			return i, text, err
		}
		if oldest < 0 || index < oldestAt {
			oldest, oldestText, oldestAt = i, text, index
		}
	}
	return oldest, oldestText, nil
}

func characterLines(messages []llm.Message) []string {
	var lines []string
	for i := range messages {
		if messages[i].Role == "assistant" {
			lines = append(lines, messages[i].Text)
		}
	}
	return lines
}

func (s *scene) seed() uint64 {
	h := fnv.New64a()
	write := func(text string) {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	if s.Machine != nil {
		write(s.Machine.Key)
	}
	for i := range s.Recent {
		if s.Recent[i].Role == "user" {
			write(s.Recent[i].Text)
		}
	}
	write(s.Message)
	return h.Sum64() ^ mixBits(s.model.seed)
}

// mixBits is the finaliser of SplitMix64. Consecutive seeds give independent results.
func mixBits(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
