package cassette

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxQuote, lead = 60, 20
)

// missingError returns the error for a question that is not in the cassette. The error shows the
// most similar recorded question, because usually a prompt or the player's message has changed.
func (t *cassetteFile) missingError(q question, model string) *provider.Error {
	text := fmt.Sprintf("the recording %s has no answer for this %s", t.name, q.describeStep())
	if e, others := t.nearestEntry(q); e != nil {
		text += fmt.Sprintf(": the most similar one, in line %d, differs in %s", e.line, describeDifference(q, e.question))
	} else {
		text += fmt.Sprintf(" (%s) nor for any other of this step; it has %d answers for other steps", q.lastMessage(), others)
	}
	text += fmt.Sprintf(". To record it again, run the same command with --llm %s --llm-record %s", plaintext.ShellWord(cmp.Or(model, "MODEL")), plaintext.ShellFile(t.name))
	return &provider.Error{Kind: provider.NotRecorded, Provider: "recording", Model: model, Message: text}
}

func (q question) describeStep() string {
	switch q.step {
	case "open":
		return "opening"
	case "response":
		return "reply"
	}
	return cmp.Or(q.step, "question")
}

func (t *cassetteFile) nearestEntry(q question) (found *entry, others int) {
	best := -1.0
	for _, e := range t.copyEntries() {
		if e.question.step != q.step {
			others++
			continue
		}
		if l := compareQuestions(q, e.question); l > best {
			found, best = e, l
		}
	}
	return found, others
}

// compareQuestions returns the similarity of two questions. The instructions count as much as one
// message.
func compareQuestions(a, b question) float64 {
	sum := textLikeness(a.system, b.system)
	for i := range min(len(a.messages), len(b.messages)) {
		if a.messages[i].Role == b.messages[i].Role {
			sum += textLikeness(a.messages[i].Text, b.messages[i].Text)
		}
	}
	if a.schema == b.schema {
		sum += 0.5
	}
	return sum / float64(2+max(len(a.messages), len(b.messages)))
}

func textLikeness(a, b string) float64 {
	if a == b {
		return 1
	}
	same := firstDifference(a, b)
	rest := min(len(a), len(b)) - same
	tail := 0
	for tail < rest && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return float64(same+tail) / float64(max(len(a), len(b)))
}

func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func describeDifference(asked, recorded question) string {
	var parts []string
	if asked.system != recorded.system {
		at := firstDifference(asked.system, recorded.system)
		parts = append(parts, fmt.Sprintf("line %d of the instructions: %s", 1+strings.Count(asked.system[:at], "\n"), showBoth(asked.system, recorded.system)))
	}
	if part := messageDifference(asked, recorded); part != "" {
		parts = append(parts, part)
	}
	if len(parts) == 0 && asked.schema != recorded.schema {
		parts = append(parts, fmt.Sprintf("the shape of the answer: asked %q (%s), recorded %q (%s)",
			asked.schema.Name, asked.schema.Hash, recorded.schema.Name, recorded.schema.Hash))
	}
	return strings.Join(parts, "; and in ")
}

func messageDifference(asked, recorded question) string {
	for i := range max(len(asked.messages), len(recorded.messages)) {
		switch {
		case i >= len(asked.messages):
			return fmt.Sprintf("message %d: asked nothing, recorded %s", i+1, quoteAt(recorded.messages[i].Text, 0))
		case i >= len(recorded.messages):
			return fmt.Sprintf("message %d: asked %s, recorded nothing", i+1, quoteAt(asked.messages[i].Text, 0))
		}
		a, b := asked.messages[i], recorded.messages[i]
		if a.Role != b.Role {
			return fmt.Sprintf("message %d: asked with role %q, recorded with role %q", i+1, a.Role, b.Role)
		}
		if a.Text != b.Text {
			return fmt.Sprintf("message %d: %s", i+1, showBoth(a.Text, b.Text))
		}
	}
	return ""
}

func showBoth(asked, recorded string) string {
	at := firstDifference(asked, recorded)
	return fmt.Sprintf("asked %s, recorded %s", quoteAt(asked, at), quoteAt(recorded, at))
}

func quoteAt(text string, at int) string {
	before := []rune(text[:at])
	runes := []rune(text)
	start := max(len(before)-lead, 0)
	end := min(start+maxQuote, len(runes))
	shown := string(runes[start:end])
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(runes) {
		shown += "…"
	}
	return strconv.Quote(shown)
}
