package provider

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// recordedText is the model's answer in the recorded exchanges with 12 tokens, and recordedRest the
// text after it.
const (
	recordedText = " State your business, traveller. The gate is shut"
	recordedRest = " at night – so be brief!"
)

// TestOllamaExchanges reads exchanges of a real Ollama, and of its documentation (testdata/ollama/README.md).
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

// TestOllamaRefusals: refusals of a real Ollama have the right kinds.
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

// TestInstructionsReachTheModel: a request that needs its instructions is not sent to a model of
// Ollama that never sees them, and the template is looked at once.
func TestInstructionsReachTheModel(t *testing.T) {
	instructed := fullRequest()
	instructed.Instructed = true
	for _, c := range []struct {
		name, model, template string
		request               Request
		wants                 string
	}{
		{"without a template", "ollama/bare", "{{ .Prompt }}", instructed, "lacks a chat template"},
		{"with one", "ollama/whole", "{{ .System }}{{ .Prompt }}", instructed, ""},
		{"of all messages", "ollama/whole", "{{ range .Messages }}{{ .Content }}{{ end }}", instructed, ""},
		{"not described", "ollama/old", "", instructed, ""},
		{"without instructions", "ollama/bare", "{{ .Prompt }}", fullRequest(), ""},
		{"of another API", "openai/gpt-4o", "{{ .Prompt }}", instructed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFakeProvider(t, llmtest.New(nil).DescribeTemplate(c.template))
			a := p.newAsker(t, c.model)
			for range 2 {
				_, err := a.Ask(t.Context(), c.request, nil)
				if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
					t.Errorf("%v", err)
				}
			}
			asked := len(p.double.TextRequests())
			assert.Equal(t, asked == 2, c.wants == "", "%d questions were sent", asked)
			looked := len(p.double.Requests()) - len(p.double.TextRequests())
			assert.True(t, c.wants != "" || looked <= 1, "the template was looked at %d times", looked)
		})
	}
}

// TestInstructionsByOpenAI: an Ollama is also looked at behind its OpenAI-compatible address.
func TestInstructionsByOpenAI(t *testing.T) {
	instructed := fullRequest()
	instructed.Instructed = true
	for _, c := range []struct {
		name, model, path, template string
		paths                       []string // of the other requests
		isRefused                   bool
	}{
		{"without a template", "openai/bare", "/v1", "{{ .Prompt }}", []string{"/api/version", "/api/show", "/api/version", "/api/show"}, true},
		{"behind a proxy", "vllm/bare", "/box/v1/", "{{ .Prompt }}", []string{"/box/api/version", "/box/api/show", "/box/api/version", "/box/api/show"}, true},
		{"with one", "openai/whole", "/v1", "{{ .System }}{{ .Prompt }}", []string{"/api/version", "/api/show"}, false},
		{"of another server", "llamacpp/qwen", "/v1", "", []string{"/api/version"}, false},
		{"with a template of another server", "llamacpp/qwen", "/v1", "{% for message in messages %}", []string{"/api/version", "/api/show"}, false},
		{"without /v1", "openai/bare", "/openai", "{{ .Prompt }}", nil, false},
		{"of another API", "anthropic/claude", "/v1", "{{ .Prompt }}", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFakeProvider(t, llmtest.New(nil).DescribeTemplate(c.template), func(o *Options) {
				o.BaseURL = o.Addresses["openai"] + c.path
				o.Addresses = everyAddress(o.BaseURL)
				delete(o.Addresses, "openai")
			})
			a := p.newAsker(t, c.model)
			for range 2 {
				_, err := a.Ask(t.Context(), instructed, nil)
				if (err != nil) != c.isRefused || err != nil && !strings.Contains(err.Error(), "lacks a chat template") {
					t.Errorf("%v", err)
				}
			}
			var paths []string
			for _, r := range p.double.Requests() {
				if r.Format == llmtest.Other {
					paths = append(paths, r.Path)
				}
			}
			assert.EqualSlices(t, paths, c.paths, "looked at")
		})
	}
	base := assert.Value(parseAddress(Providers[0], Providers[0].BaseURL))(t)
	public := (&asker{client: New(Options{}), provider: Providers[0], base: base}).ollamaRoot()
	assert.True(t, public == nil, "the provider itself would be asked")
}

// TestRenderedPrompt: a model with a prompt built by Ollama itself does not need a template.
func TestRenderedPrompt(t *testing.T) {
	for description, want := range map[string]bool{
		`{"template": "{{ .Prompt }}"}`:                                                true,
		`{"template": "{{ .Prompt }}", "renderer": "qwen3-coder"}`:                     false,
		`{"template": "{{ .Prompt }}", "modelfile": "FROM x\nRENDERER qwen3-coder\n"}`: false,
		`{"template": "{{ .System }}"}`:                                                false,
		`{}`:                                                                           false,
		`nonsense`:                                                                     false,
	} {
		assert.Equal(t, dropsInstructions([]byte(description)), want, description)
	}
}

// localDouble starts a double with a version of Ollama at an address of this machine.
func localDouble(t *testing.T, d *llmtest.Double, version string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, r.Header.Get("Authorization"), "", "%s came with a key", r.URL.Path)
		if r.URL.Path == "/api/version" && version != "" {
			_, _ = w.Write([]byte(`{"version": "` + version + `"}`))
			return
		}
		d.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// deciding makes a double that refuses an empty question for a decision.
func deciding(d *llmtest.Double) *llmtest.Double {
	return d.Decide(llmtest.SystemOne, func(llmtest.Request) llmtest.Decided {
		return llmtest.Decided{Failure: &llmtest.Failure{Status: 422, Message: "questions is missing"}}
	})
}

// TestFindLocal: servers of this machine are found with their models and methods. They get no
// key, and a server on another machine is not asked.
func TestFindLocal(t *testing.T) {
	env := map[string]string{
		"OLLAMA_HOST":          localDouble(t, llmtest.New(nil).ListModels("llama3.2", "a-embed"), "0.17.4"),
		"LM_STUDIO_API_BASE":   localDouble(t, deciding(llmtest.New(nil).ListModels("qwen")), ""),
		"LLAMACPP_API_BASE":    "http://127.0.0.1:9",
		"HOSTED_VLLM_API_BASE": "http://models.example.com/v1",
		"OLLAMA_API_KEY":       testKey, "LM_STUDIO_API_KEY": testKey,
	}
	c := New(Options{Env: func(name string) string { return env[name] }})
	defer c.Close()
	found := c.FindLocal(t.Context())
	var got []string
	for _, l := range found {
		got = append(got, l.Title+" "+l.ChatModel()+" "+strings.Join(l.Judges, "+"))
	}
	want := []string{"Ollama ollama/llama3.2 letter+json", "LM Studio lmstudio/qwen decisions+letter+json", "llama.cpp  ", "vLLM  "}
	assert.EqualSlices(t, got, want)
	vllm := found[3]
	assert.True(t, !vllm.Asked && vllm.Address == "", "another machine: %+v", vllm)
}

// TestOllamaVersions: only an Ollama that reports the probabilities of tokens judges by letter.
func TestOllamaVersions(t *testing.T) {
	for version, want := range map[string]string{"0.12.11": "letter+json", "0.12.10": "json", "0.9.6": "json", "1.0.0-rc1": "letter+json", "0.13": "letter+json", "new": "json", "": "json", "0.0.0": "letter+json"} {
		t.Run(version, func(t *testing.T) {
			address := localDouble(t, llmtest.New(nil).ListModels("m"), version)
			c := New(Options{Env: func(name string) string { return map[string]string{"OLLAMA_HOST": address}[name] }, Addresses: map[string]string{
				"lmstudio": "http://127.0.0.1:9", "llamacpp": "http://127.0.0.1:9", "vllm": "http://127.0.0.1:9",
			}})
			defer c.Close()
			assert.Equal(t, strings.Join(c.FindLocal(t.Context())[0].Judges, "+"), want)
		})
	}
}

// TestFindLocalIsBounded: servers without a usable answer cost one short time together.
func TestFindLocalIsBounded(t *testing.T) {
	var mu sync.Mutex
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		elsewhere = append(elsewhere, r.URL.Path)
	}))
	defer other.Close()
	serve := func(handler http.HandlerFunc) string {
		s := httptest.NewServer(handler)
		t.Cleanup(s.CloseClientConnections)
		t.Cleanup(s.Close)
		return s.URL
	}
	c := New(Options{Limits: Limits{Probe: 300 * time.Millisecond, Body: 1 << 16}, Addresses: map[string]string{
		"ollama": serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		"lmstudio": serve(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(`{"data": [` + strings.Repeat(" ", 1<<12))); err != nil {
					return
				}
			}
		}),
		"llamacpp": serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/models", http.StatusFound)
		}),
		"vllm": serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }),
	}})
	defer c.Close()
	began := time.Now()
	for _, l := range c.FindLocal(t.Context()) {
		assert.True(t, len(l.Models) == 0 && l.Err != nil, "%+v", l)
	}
	took := time.Since(began)
	assert.True(t, took <= 10*time.Second, "it took %s", took)
	if mu.Lock(); len(elsewhere) > 0 {
		t.Errorf("a redirect was followed: %q", elsewhere)
	}
	mu.Unlock()
}
