package provider

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// recordedText is the model's answer in the recorded exchanges with 12 tokens, and recordedRest the
// text after it.
const (
	recordedText = " State your business, traveller. The gate is shut"
	recordedRest = " at night – so be brief!"
)

// TestOllamaExchanges reads exchanges as Ollama's own API has them: those named recorded
// are of a real Ollama 0.12.0, the others are written after its documentation
// (testdata/ollama/README.md).
func TestOllamaExchanges(t *testing.T) {
	for _, c := range []struct {
		file, text, words, shown string
		schema                   bool
		finish                   Finish
		in, out                  int
	}{
		{file: "plain.ndjson", text: "State your business.", finish: Stopped, in: 113, out: 5},
		{file: "thinking.ndjson", text: "You lie.", finish: Stopped, in: 98, out: 9},
		{file: "length.ndjson", text: "Once upon a", finish: Length, in: 20, out: 3},
		{file: "broken.ndjson", words: "unexpected EOF", shown: "State"},
		{file: "whole.json", text: `{"holds":[1]}`, schema: true, finish: Stopped, in: 140, out: 8},
		{file: "recorded-plain.ndjson", text: recordedText + recordedRest, finish: Stopped, in: 37, out: 20},
		{file: "recorded-length.ndjson", text: recordedText, finish: Length, in: 37, out: 12},
		{file: "recorded-whole.json", text: recordedText + recordedRest, finish: Stopped, in: 37, out: 20},
		{file: "recorded-whole-length.json", text: recordedText, finish: Length, in: 37, out: 12},
		{file: "recorded-schema.json", text: `{"holds":[7]}`, schema: true, finish: Stopped, in: 37, out: 14},
		{file: "recorded-window.ndjson", text: recordedText, finish: Length, in: 64, out: 12},
		{file: "recorded-thinking.ndjson", text: "You lie~", finish: Stopped, in: 38, out: 9},
		{file: "recorded-thinking.json", text: "You lie~", finish: Stopped, in: 38, out: 9},
		{file: "recorded-thinking-cut.ndjson", words: "spent all of its tokens on thinking"},
		{file: "recorded-broken.ndjson", words: "unexpected EOF", shown: " round and about round and about round and about round and about round and about"},
	} {
		for _, slices := range []int{0, 1, 17} {
			t.Run(c.file, func(t *testing.T) {
				raw := assert.Value(os.ReadFile(filepath.Join("testdata", "ollama", c.file)))(t)
				r := fullRequest()
				if c.schema {
					r = schemaRequest()
				}
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Raw: raw, Slices: slices}))
				answer, shown, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "ollama/llama3.2:3b"), r, true)
				if c.words != "" {
					e := mustFail(t, err, Down)
					assert.True(t, strings.Contains(e.Message, c.words) && strings.Join(shown, "") == c.shown, "%q, then %v", shown, e)
					return
				}
				assert.NoError(t, err)
				assert.Equal(t, answer.Text, c.text)
				assert.Equal(t, answer.Finish, c.finish)
				assert.Equal(t, answer.Usage.In, c.in)
				assert.Equal(t, answer.Usage.Out, c.out)
			})
		}
	}
}

// TestOllamaRefusals reads refusals of a real Ollama: each has the right kind, and is asked in
// another way if possible.
func TestOllamaRefusals(t *testing.T) {
	for _, c := range []struct {
		file, words string
		status      int
		kind        Kind
		// asked is the number of requests for JSON.
		asked int
	}{
		{"recorded-404.json", "`ollama pull` downloads a model", http.StatusNotFound, NoModel, 1},
		{"recorded-400-thinking.json", "does not support thinking", http.StatusBadRequest, BadRequest, 4},
		{"recorded-500-schema.json", "invalid JSON schema in format", http.StatusInternalServerError, BadRequest, 3},
		{"recorded-500-format.json", "invalid format", http.StatusInternalServerError, BadRequest, 3},
	} {
		t.Run(c.file, func(t *testing.T) {
			asked := 0
			a := newRecordedOllama(t, c.file, c.status, &asked)
			_, _, err := askPieces(t, a, schemaRequest(), true)
			e := mustFail(t, err, c.kind)
			assert.True(t, strings.Contains(e.Message, c.words) && e.Status == c.status && asked == c.asked, "asked %d times, then %v", asked, e)
		})
	}
}

// newRecordedOllama returns a model at a server that answers everything with one recorded answer.
func newRecordedOllama(t *testing.T, file string, status int, asked *int) Asker {
	t.Helper()
	raw := assert.Value(os.ReadFile(filepath.Join("testdata", "ollama", file)))(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		*asked++
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(raw)
	}))
	t.Cleanup(s.Close)
	client := newFakeProvider(t, llmtest.New(nil), func(o *Options) { o.Addresses = everyAddress(s.URL) })
	return client.newAsker(t, "ollama/tiny")
}

// TestOllamaModels reads a recorded list of models.
func TestOllamaModels(t *testing.T) {
	raw := assert.Value(os.ReadFile(filepath.Join("testdata", "ollama", "recorded-tags.json")))(t)
	names, err := ollama{}.readModels(raw)
	slices.Sort(names)
	if want := []string{"tiny-endless:latest", "tiny-thinking:latest", "tiny:latest"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
}
