package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// Check makes the cheapest call that proves key and model.
func TestCheck(t *testing.T) {
	for model, paths := range map[string][]string{
		"openai/gpt-4o":        {"/v1/models/gpt-4o"},
		"anthropic/claude-x":   {"/models/claude-x"},
		"gemini/gemini-x":      {"/models/gemini-x"},
		"ollama/llama3.2:3b":   {"/api/show"},
		"groq/listed":          {"/v1/models"},
		"groq/alias":           {"/v1/models", "/v1/chat/completions"},
		"openrouter/a/b":       {"/v1/key", "/v1/models", "/v1/chat/completions"},
		"openrouter/listed":    {"/v1/key", "/v1/models"},
		"lmstudio/qwen/qwen3":  {"/v1/chat/completions"},
		"mistral/listed":       {"/v1/models"},
		"together_ai/listed":   {"/v1/models"},
		"xai/listed":           {"/v1/models"},
		"deepseek/listed":      {"/v1/models"},
		"vllm/listed":          {"/v1/chat/completions"},
		"llamacpp/listed":      {"/v1/chat/completions"},
		"anthropic/claude-y/z": {"/models/claude-y/z"},
	} {
		t.Run(model, func(t *testing.T) {
			_, name, _ := strings.Cut(model, "/")
			d := llmtest.New(nil).ListModels("listed", name)
			if name == "alias" || name == "a/b" {
				d = llmtest.New(nil)
			}
			s := newFakeProvider(t, d)
			assert.NoError(t, s.Check(t.Context(), s.newAsker(t, model)))
			var seen []string
			for _, r := range d.Requests() {
				seen = append(seen, r.Path)
				assert.True(t, r.Format == llmtest.Other || r.MaxTokens == 1, "asked for %d tokens", r.MaxTokens)
			}
			assert.EqualSlices(t, seen, paths)
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, p := range Providers {
		t.Run(p.Name, func(t *testing.T) {
			bad := newFakeProvider(t, llmtest.New(nil).AcceptKeys("another"), func(o *Options) {
				o.Env = llmtest.Env("OLLAMA_API_KEY", "x-x", "LM_STUDIO_API_KEY", "x", "LLAMACPP_API_KEY", "x", "VLLM_API_KEY", "x")
			})
			kind := KeyRefused
			if p.Local {
				// A caller's key does not go there.
				kind = KeyMissing
			}
			mustFail(t, bad.Check(t.Context(), bad.newAsker(t, p.Name+"/m")), kind)
			none := newFakeProvider(t, llmtest.New(nil).ListModels("other"))
			mustFail(t, none.Check(t.Context(), none.newAsker(t, p.Name+"/m")), NoModel)
			down := newFakeProvider(t, llmtest.New(nil))
			down.server.Close()
			mustFail(t, down.Check(t.Context(), down.newAsker(t, p.Name+"/m")), Down)
		})
	}
}

// TestCheckBlamesNoGoodKey: only an answer about the key or the model blames it.
func TestCheckBlamesNoGoodKey(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		good   bool
	}{
		{200, `{"choices":[{"message":{"content":"Yes, with the greatest pleasure! How may I help you today?"},"finish_reason":"stop"}]}`, true},
		{200, `{"choices":[{"message":{"content":"I am sorry, but I cannot say yes."},"finish_reason":"stop"}]}`, true},
		{200, `{"choices":[{"message":{"content":"Your API key is invalid."},"finish_reason":"stop"}]}`, true},
		{200, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, true},
		{200, `{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}`, true},
		{200, `{"choices":[{"message":{"content":"No"},"finish_reason":"content_filter"}]}`, true},
		{400, `{"error":{"message":"The prompt was flagged","code":"content_filter"}}`, true},
		{200, `{"choices":[]}`, false},
		{200, `{"message":"Welcome!"}`, false},
		{200, "Welcome!", false},
		{200, "<html>Welcome!</html>", false},
		{202, `{"status":"queued"}`, false},
		{302, ``, false},
		{400, `{"error":{"message":"max_tokens must be at least 16"}}`, false},
		{403, "<html>Sorry, you have been blocked</html>", false},
		{403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, false},
		{404, `{"detail":"Not Found"}`, false},
		{409, `{"error":{"message":"Please come again"}}`, false},
		{418, `{"error":{"message":"With pleasure, but I am a teapot."}}`, false},
		{429, `{"error":{"message":"Please slow down, thank you."}}`, false},
		{451, `{"error":{"message":"For legal reasons"}}`, false},
		{503, `{"error":{"message":"Please come again"}}`, false},
	} {
		t.Run(fmt.Sprint(c.status, " ", c.body), func(t *testing.T) {
			script := llmtest.Script{Failure: &llmtest.Failure{Status: c.status, Body: c.body}}
			if c.status == 200 {
				script = llmtest.Script{Raw: []byte(c.body)}
			}
			s := newFakeProvider(t, llmtest.New(llmtest.Sequence(script)))
			err := s.Check(t.Context(), s.newAsker(t, "vllm/m"))
			e, _ := errors.AsType[*Error](err)
			if (err == nil) != c.good || e != nil && slices.Contains([]Kind{KeyRefused, KeyMissing, NoModel, NoCredit}, e.Kind) {
				t.Errorf("%v", err)
			}
		})
	}
}

// At a custom address only an answer is conclusive.
func TestCheckAtAnotherAddress(t *testing.T) {
	d := llmtest.New(nil)
	server := httptest.NewServer(d)
	defer server.Close()
	c := New(Options{BaseURL: server.URL})
	defer c.Close()
	a := assert.Value(c.OperatorModel("my-model"))(t)
	err := c.Check(t.Context(), a)
	assert.True(t, err == nil && d.LastRequest().Path == "/v1/chat/completions" && d.LastRequest().Key == "", "%v, %+v", err, d.LastRequest())
}

// scriptedAsker is an asker from outside this package.
type scriptedAsker struct{ asked Request }

func (s *scriptedAsker) Model() string { return "none/none" }

func (s *scriptedAsker) Place() string { return "none/none" }

func (s *scriptedAsker) Ask(_ context.Context, r Request, _ func(string) error) (Answer, error) {
	s.asked = r
	return Answer{}, &Error{Kind: NotRecorded}
}

func TestCheckOfAnotherAsker(t *testing.T) {
	s := &scriptedAsker{}
	mustFail(t, New(Options{}).Check(t.Context(), s), NotRecorded)
	assert.Equal(t, s.asked.Step, "check")
	assert.Equal(t, s.asked.MaxTokens, 1)
}

func findListing(t *testing.T, all []Listing, name string) Listing {
	t.Helper()
	for _, l := range all {
		if l.Provider == name {
			return l
		}
	}
	t.Fatalf("no listing of %s", name)
	return Listing{}
}

// Models asks local providers without a key, and others only on request.
func TestModels(t *testing.T) {
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprint(asked), func(t *testing.T) {
			d := llmtest.New(nil).ListModels("b", "a", "bad name", "esc\x1b")
			s := newFakeProvider(t, d, func(o *Options) {
				o.Env = llmtest.Env("OPENAI_API_KEY", testKey, "OLLAMA_API_KEY", testKey, "GOOGLE_API_KEY", testKey)
			})
			all := s.ListModels(t.Context(), asked)
			assert.Must(t, len(all) == len(Providers), "%d listings", len(all))
			noKey(t, "the listings", all)
			l := findListing(t, all, "ollama")
			assert.True(t, l.Local, "%+v", l)
			assert.True(t, l.Asked, "%+v", l)
			assert.True(t, l.Reached, "%+v", l)
			assert.EqualSlices(t, l.Models, []string{"ollama/a", "ollama/b"})
			assert.Equal(t, l.KeyVariable, "OLLAMA_API_KEY")
			assert.Equal(t, l.Err, nil)
			l = findListing(t, all, "gemini")
			if l.Asked != asked || l.Reached != asked || l.KeyVariable != "GOOGLE_API_KEY" || asked && !slices.Equal(l.Models, []string{"gemini/a", "gemini/b"}) {
				t.Errorf("%+v", l)
			}
			l = findListing(t, all, "groq")
			assert.True(t, l.KeyVariable == "" && l.Err == nil && slices.Equal(l.Variables, []string{"GROQ_API_KEY"}), "%+v", l)
			for _, r := range d.Requests() {
				local := strings.HasSuffix(r.Path, "/api/tags")
				assert.True(t, !local || r.Header.Get("Authorization") == "", "a key went to a local provider: %v", r.Header)
			}
		})
	}
}

// An unreachable provider, a refused key, and a provider that never answers have different errors.
func TestModelsThatCannotBeReached(t *testing.T) {
	refuses := httptest.NewServer(llmtest.New(nil).AcceptKeys("another"))
	defer refuses.Close()
	closed := httptest.NewServer(llmtest.New(nil))
	closed.Close()
	never := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer never.Close()
	c := New(Options{
		Env:       llmtest.Env("OPENAI_API_KEY", testKey, "OLLAMA_HOST", "http://u:geheim@x"),
		Addresses: map[string]string{"openai": refuses.URL, "lmstudio": closed.URL, "vllm": never.URL, "llamacpp": closed.URL},
		Limits:    Limits{Probe: 30 * time.Millisecond},
	})
	defer c.Close()
	all := c.ListModels(t.Context(), true)
	l := findListing(t, all, "openai")
	assert.True(t, l.Asked && l.Reached && l.Err != nil, "%+v", l)
	mustFail(t, findListing(t, all, "openai").Err, KeyRefused)
	l = findListing(t, all, "lmstudio")
	assert.True(t, l.Asked && !l.Reached, "%+v", l)
	mustFail(t, findListing(t, all, "lmstudio").Err, Down)
	mustFail(t, findListing(t, all, "vllm").Err, Late)
	l = findListing(t, all, "ollama")
	assert.True(t, l.Err != nil && l.Address == "" && !strings.Contains(l.Err.Error(), "geheim"), "%+v", l)
}

func TestLists(t *testing.T) {
	for body, want := range map[Format]string{
		OpenAI: `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`,
		Gemini: `{"models":[{"name":"models/a","supportedGenerationMethods":["generateContent"]},{"name":"models/x","supportedGenerationMethods":["embedContent"]},{"name":"models/b"}]}`,
		Ollama: `{"models":[{"name":"a","model":"a"},{"name":"b"}]}`,
	} {
		t.Run(string(body), func(t *testing.T) {
			got, err := formats[body].readModels([]byte(want))
			assert.True(t, err == nil && slices.Equal(got, []string{"a", "b"}), "%s: %q, %v", body, got, err)
		})
	}
	if got, err := (openAI{}).readModels([]byte(`[{"id":"a"},{"id":"b"}]`)); err != nil || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
	_, err := (openAI{}).readModels([]byte(`<html>`))
	assert.True(t, err != nil, "a page is no list")
}
