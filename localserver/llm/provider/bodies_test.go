package provider

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// Every kind of request matches its golden file, in each format: the path, the headers of the
// format, and the body.
func TestBodies(t *testing.T) {
	plain := fullRequest()
	plain.Temperature, plain.MaxTokens, plain.System = nil, 0, ""
	requests := []struct {
		name, model string
		r           Request
		stream      bool
		q           quirks
	}{
		{"plain", "", plain, false, quirks{}},
		{"stream", "", fullRequest(), true, quirks{}},
		{"schema", "", schemaRequest(), false, quirks{}},
		{"schema-json", "", schemaRequest(), false, quirks{rung: rungJSON}},
		{"schema-words", "", schemaRequest(), false, quirks{rung: rungWords}},
		{"quirks", "", fullRequest(), true, quirks{noTemperature: true, noUsage: true, noThink: true, otherLimit: true, thinks: true, window: 8192}},
		{"thinker", "openai/gpt-5-mini", fullRequest(), true, quirks{}},
		{"thinker", "gemini/gemini-2.5-flash", fullRequest(), true, quirks{}},
		{"thinker-3", "gemini/gemini-3.7-flash", fullRequest(), false, quirks{}},
	}
	for _, c := range requests {
		for _, model := range models {
			if c.model != "" {
				model = c.model
			}
			before, _, _ := strings.Cut(model, "/")
			t.Run(c.name+"/"+before, func(t *testing.T) {
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: `{"holds":[]}`}))
				s := newFakeProvider(t, d)
				a := s.newAsker(t, model).(*asker)
				s.quirks.keepQuirks(a.base.String()+" "+a.target.Model, c.q)
				mustAsk(t, a, c.r, c.stream)
				assert.Golden(t, filepath.Join("testdata", "bodies", before+"-"+c.name+".txt"), wireText(t, d.LastRequest()))
			})
		}
	}
}

// wireText returns the readable form of a request as sent.
func wireText(t *testing.T, r llmtest.Request) string {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(r.Method + " " + r.Path)
	if r.Query != "" {
		out.WriteString("?" + r.Query)
	}
	out.WriteString("\n")
	for _, name := range []string{"Accept", "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version", "Content-Type", "User-Agent"} {
		if value := r.Header.Get(name); value != "" {
			out.WriteString(name + ": " + value + "\n")
		}
	}
	out.WriteString("\n")
	assert.NoError(t, json.Indent(&out, r.Body, "", "  "))
	return out.String() + "\n"
}
