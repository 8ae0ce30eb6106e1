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
// recorded question with the longest common beginning, because usually a prompt or the player's
// message has changed.
func (t *cassetteFile) missingError(q question, model string) *provider.Error {
	text := fmt.Sprintf("the recording %s has no answer for this %s", t.name, q.describeStep())
	asked, same := q.joinTexts(), -1
	difference := fmt.Sprintf(" (%s) nor for any other of this step", q.lastMessage())
	for _, e := range t.copyEntries() {
		recorded := e.question.joinTexts()
		if at := firstDifference(asked, recorded); e.question.step == q.step && at > same {
			same = at
			difference = fmt.Sprintf(": the most similar one, in line %d, differs: asked %s, recorded %s", e.line, quoteAt(asked, at), quoteAt(recorded, at))
		}
	}
	text += difference + fmt.Sprintf(". To record it again, run the same command with --llm %s --llm-record %s", plaintext.ShellWord(cmp.Or(model, "MODEL")), plaintext.ShellFile(t.name))
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

func (q question) joinTexts() string {
	var out strings.Builder
	out.WriteString(q.system)
	for _, m := range q.messages {
		out.WriteString("\n" + m.Role + ": " + m.Text)
	}
	return out.String() + "\n" + q.schema.Name + " " + q.schema.Hash
}

func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
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
