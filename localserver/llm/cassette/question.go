package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// question is what matters of a provider.Request: all that decides about the
// answer and is the same on every machine. Temperature and limits are not in it,
// and neither is the model (docs/decisions/cassette.md, same-question).
type question struct {
	step     string
	system   string
	messages []llm.Message
	schema   mark
}

// mark stands for a schema; the zero mark is none.
type mark struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// ask makes a question of a request, without keys in it.
func (s scrubber) ask(r provider.Request) question {
	q := question{step: r.Step, system: s.clean(r.System), messages: make([]llm.Message, len(r.Messages))}
	for i, m := range r.Messages {
		q.messages[i] = llm.Message{Role: m.Role, Text: s.clean(m.Text)}
	}
	if r.Schema != nil {
		q.schema = mark{Name: r.Schema.Name, Hash: schemaHash(r.Schema.JSON)}
	}
	return q
}

// schemaHash does not see the white space of a schema.
func schemaHash(raw json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return shortHash(string(raw))
	}
	return shortHash(compact.String())
}

// shortHash names a text within a file.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// digest names a question. It is made of the texts themselves and their lengths
// and not of an encoding, so that no version of an encoder changes it.
func (q question) digest() string {
	d := digester{sha256.New()}
	d.text("parley cassette 1")
	d.text(q.step)
	d.text(q.system)
	d.text(q.schema.Name)
	d.text(q.schema.Hash)
	d.number(len(q.messages))
	for _, m := range q.messages {
		d.text(m.Role)
		d.text(m.Text)
	}
	return hex.EncodeToString(d.Sum(nil))
}

type digester struct{ hash.Hash }

func (d digester) number(n int) {
	// A hash never fails to be written.
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func (d digester) text(s string) {
	d.number(len(s))
	_, _ = d.Write([]byte(s))
}

// plain is a text as it is kept: UTF-8, with one kind of line end.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
}
