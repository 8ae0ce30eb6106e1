package localserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const operatorKey = "sk-secret-operator"

func hasModel(t testing.TB, d *llmtest.Double) func(*Options) {
	t.Helper()
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	return func(o *Options) {
		o.LLM = models.Settings{Model: "openai/gpt-x", BaseURL: s.URL, Env: func(name string) string {
			return map[string]string{"OPENAI_API_KEY": operatorKey}[name]
		}}
	}
}

func harbour(t testing.TB) func(llmtest.Request) llmtest.Script {
	t.Helper()
	text := assert.Value(os.ReadFile("draft/testdata/harbour.jsonl"))(t)
	var scripts []llmtest.Script
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		scripts = append(scripts, llmtest.Script{Text: line, In: 100, Out: 10})
	}
	return llmtest.Sequence(scripts...)
}

const wish = `{"description": "A harbour master who hates lies."}`

func TestGenerate(t *testing.T) {
	d := llmtest.New(harbour(t))
	h := begin(t, hasModel(t, d))
	a := h.send(alice, "POST", wire.PathGenerate, wish)
	made := a.want(200)
	got := members(made)
	assert.Equal(t, got, "persona rounds warnings")
	assert.Equal(t, made["rounds"], 8.0, got)
	assert.Equal(t, len(made["warnings"].([]any)), 0, got)
	in, out := a.header.Get(wire.HeaderLLMTokensIn), a.header.Get(wire.HeaderLLMTokensOut)
	assert.True(t, in == "800" && out == "80", "it cost %s and %s", in, out)
	var answer wire.Generated
	a.decode(&answer)
	assert.True(t, len(h.send(alice, "GET", wire.PathPersonas+"?my_personas=true", "").body) <= 4,
		"the draft is saved by itself")
	document := assert.Value(json.Marshal(answer.Persona))(t)
	h.savePersona(string(document))
	for _, r := range d.TextRequests() {
		assert.NotContains(t, r.System, "harbour")
		assert.Contains(t, string(r.Body), "harbour master who hates lies")
	}
	assert.Contains(t, string(h.metrics()), `parley_llm_tokens_total{step="generation",direction="out",provider="openai"} 80`, "/metrics does not count it")
}

func (h *harness) metrics() []byte { return h.send("", "GET", "/metrics", "").body }

// TestGenerateRefuses checks the statuses: no failure that a repetition cannot change is a 5xx.
func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script llmtest.Script
		status int
		code   string
		says   string
	}{
		"words":     {llmtest.Script{Text: "Gladly!"}, 422, wire.CodeUnsound, "did not answer with a draft"},
		"declined":  {llmtest.Script{Finish: "refused"}, 422, wire.CodeDeclined, "other words"},
		"bad key":   {llmtest.Script{Failure: &llmtest.Failure{Status: 401, Code: "invalid_api_key", Message: "no " + operatorKey}}, 502, wire.CodeModelFailed, ""},
		"no credit": {llmtest.Script{Failure: &llmtest.Failure{Status: 429, Code: "insufficient_quota", Message: "pay"}}, 502, wire.CodeModelFailed, ""},
		"hostile":   {llmtest.Script{Text: `{"description": "Ilse \u001b[2J\u202e", "persona_identity_prompt": "\u001b"}`}, 422, wire.CodeUnsound, "did not answer"},
		"huge":      {llmtest.Script{Text: `{"name": "` + strings.Repeat("x", 300<<10) + `"}`}, 422, wire.CodeUnsound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := begin(t, hasModel(t, llmtest.New(llmtest.Sequence(c.script))))
			a := h.send(alice, "POST", wire.PathGenerate, wish)
			e := a.fails(c.status, c.code)
			assert.Contains(t, e.Message, c.says, name)
			assert.True(t, !strings.ContainsAny(string(a.body), "\x1b\u202e"), "%s: %.300s", name, a.body)
			assert.NotContains(t, string(a.body), operatorKey, name)
			assert.True(t, len(a.body) <= 64<<10, "%s: %.300s", name, a.body)
		})
	}
}

func TestGenerateWithoutModel(t *testing.T) {
	for _, model := range []string{"", models.ModelOffline, models.ModelCallers} {
		h := begin(t, func(o *Options) { o.LLM.Model = model })
		e := h.send(alice, "POST", wire.PathGenerate, wish).fails(409, wire.CodeNoModel)
		assert.Contains(t, e.Message, "--llm")
		h.send("", "POST", wire.PathGenerate, wish).fails(401, wire.CodeUnauthenticated)
	}
}

// TestGenerateLimits: a description at its limit is accepted, and a longer one is refused without a
// request to the model.
func TestGenerateLimits(t *testing.T) {
	d := llmtest.New(harbour(t))
	h := begin(t, hasModel(t, d))
	most := strings.Repeat("ä", draft.MaxDescription)
	h.send(alice, "POST", wire.PathGenerate, jsonOf(t, wire.Generate{Description: most})).want(200)
	h.send(alice, "POST", wire.PathGenerate, jsonOf(t, wire.Generate{Description: most + "ä"})).fails(422, wire.CodeInvalid)
	h.send(alice, "POST", wire.PathGenerate, jsonOf(t, wire.Generate{Description: "x", Name: "two\nlines"})).fails(422, wire.CodeInvalid)
	assert.Equal(t, len(d.TextRequests()), 8, "the model was asked")
}

func TestGenerateEndsWithItsCaller(t *testing.T) {
	never := make(chan struct{})
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Wait: never}))
	h := begin(t, hasModel(t, d))
	defer close(never)
	ctx, cancel := context.WithCancel(t.Context())
	r := assert.Value(http.NewRequestWithContext(ctx, http.MethodPost, h.URL()+wire.PathGenerate, strings.NewReader(wish)))(t)
	r.Header.Set("Authorization", "Bearer "+h.token(alice))
	gone := make(chan error, 1)
	go func() {
		answer, err := h.client.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		gone <- err
	}()
	assert.NoError(t, d.AwaitRequests(t.Context(), 1))
	cancel()
	err := <-gone
	assert.True(t, err != nil, "the call was answered")
	assert.NoError(t, d.AwaitAbandoned(t.Context(), 1))
}
