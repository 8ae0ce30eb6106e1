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

// question is the relevant part of a provider.Request: everything that determines the answer and is
// the same on every machine. It excludes temperature, limits and the model.
type question struct {
	step     string
	system   string
	messages []llm.Message
	schema   schemaRef
}

// schemaRef refers to a schema; the zero schemaRef to none.
type schemaRef struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// newQuestion converts a request to a question without keys. It replaces names that were drawn for
// the request by their meanings, so that the next request is the same.
func (s scrubber) newQuestion(r provider.Request) question {
	r = r.SpellMeanings()
	q := question{step: r.Step, system: s.cleanText(r.System), messages: make([]llm.Message, len(r.Messages))}
	for i, m := range r.Messages {
		q.messages[i] = llm.Message{Role: m.Role, Text: s.cleanText(m.Text)}
	}
	if r.Schema != nil {
		q.schema = schemaRef{Name: r.Schema.Name, Hash: schemaHash(r.Schema.JSON)}
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

// digestText returns the digest of a question. It covers the texts and their lengths and not an
// encoding, so that no version of an encoder changes it.
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
	// A hash never fails to be written.
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) //nolint:gosec // a length is not negative
}

func (d digester) addText(s string) {
	d.addNumber(len(s))
	_, _ = d.Write([]byte(s))
}

// plainText returns a text in its recorded form: UTF-8, with one kind of line end.
func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
}
