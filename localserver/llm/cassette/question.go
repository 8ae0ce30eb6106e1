package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/plaintext"
)

type question struct {
	step     string
	system   string
	messages []messageLine
	schema   schemaRef
}

type schemaRef struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

func (s scrubber) newQuestion(r provider.Request) question {
	r = r.SpellMeanings()
	q := question{step: r.Step, system: s.cleanText(r.System), messages: make([]messageLine, len(r.Messages))}
	for i, m := range r.Messages {
		q.messages[i] = messageLine{m.Role, s.cleanText(m.Text)}
	}
	if r.Schema != nil {
		q.schema = schemaRef{Name: r.Schema.Name, Hash: schemaHash(r.Schema.JSON)}
	}
	return q
}

func schemaHash(raw json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return shortHash(string(raw))
	}
	return shortHash(compact.String())
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// digestText hashes texts with their lengths. The digest does not depend on an encoder.
func (q question) digestText() string {
	d := digester{sha256.New()}
	d.addText("parley cassette 1")
	d.addText(q.step)
	d.addText(q.system)
	d.addText(q.schema.Name)
	d.addText(q.schema.Hash)
	d.addNumber(len(q.messages))
	for _, m := range q.messages {
		d.addText(m.Role)
		d.addText(m.Text)
	}
	return hex.EncodeToString(d.Sum(nil))
}

type digester struct{ hash.Hash }

func (d digester) addNumber(n int) {
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) //nolint:gosec // a length is not negative
}

func (d digester) addText(s string) {
	d.addNumber(len(s))
	_, _ = d.Write([]byte(s))
}

func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
}

const (
	maxQuote = 60 // characters
	lead     = 20 // characters before the difference
)

func (t *cassetteFile) missingError(q question, model string) *provider.Error {
	text := fmt.Sprintf("the recording %s has no answer for this %s", t.name, q.describeStep())
	wanted, longest := q.joinTexts(), -1
	difference := fmt.Sprintf(" (%s) nor for any other of this step", q.lastMessage())
	for _, e := range t.copyEntries() {
		recorded := e.question.joinTexts()
		if offset := firstDifference(wanted, recorded); e.question.step == q.step && offset > longest {
			longest = offset
			difference = fmt.Sprintf(": the most similar one, in line %d, differs: asked %s, recorded %s",
				e.line, quoteAt(wanted, offset), quoteAt(recorded, offset))
		}
	}
	text += difference + fmt.Sprintf(". To record it again, run the same command with --llm %s --llm-record %s",
		plaintext.ShellWord(cmp.Or(model, "MODEL")), plaintext.ShellFile(t.name))
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

func quoteAt(text string, offset int) string {
	before := []rune(text[:offset])
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
