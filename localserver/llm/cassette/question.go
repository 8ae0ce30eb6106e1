package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

// question is the part of a provider.Request that identifies the request in a cassette. It contains
// everything that determines the answer, and nothing that differs between machines.
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

// newQuestion converts a request to a question. It masks keys, and replaces drawn names by their
// meanings, so that the question is the same in every run.
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

// digestText returns the digest of a question. It is computed from texts and their lengths, so that
// it does not depend on the version of an encoder.
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
	// Writing to a hash never fails.
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) //nolint:gosec // a length is not negative
}

func (d digester) addText(s string) {
	d.addNumber(len(s))
	_, _ = d.Write([]byte(s))
}

func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
}
