package hosted_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// TestTimeLimits: a model on this machine gets twice the default time. A configured limit applies
// to all steps. The error contains the limit and the flag.
func TestTimeLimits(t *testing.T) {
	for _, c := range []struct {
		place string
		set   time.Duration
		want  time.Duration
	}{
		{"https://api.openai.com/v1 openai/gpt-x", 0, time.Minute},
		{"http://127.0.0.1:11434 ollama/m", 0, 2 * time.Minute},
		{"http://localhost:8080/v1 llamacpp/m", 0, 2 * time.Minute},
		{"http://gpu.example.com:11434 ollama/m", 0, time.Minute},
		{"http://127.0.0.1:11434 ollama/m", 7 * time.Second, 7 * time.Second},
	} {
		t.Run(c.place, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asker := blockedAsker()
				asker.name = c.place
				limits := hosted.TimeLimits{Evaluation: c.set, Response: c.set}
				m := hosted.New(hosted.Options{Evaluation: asker, Response: asker, Limits: limits})
				began := time.Now()
				_, err := m.Evaluate(t.Context(), inputOf(t))
				took := time.Since(began)
				assert.True(t, took == c.want && err != nil && strings.Contains(err.Error(), "within "+c.want.String()+" (--llm-timeout"), "%s: %v", took, err)
				assert.Equal(t, m.Limits().Response, c.want, "a reply may take")
			})
		})
	}
}

// TestTooManyOptions: if only decisions may be used and the model refuses a large question, the
// judgement fails; the next small question is asked again.
func TestTooManyOptions(t *testing.T) {
	d := llmtest.New(nil).Decide(llmtest.Decisions, func(r llmtest.Request) llmtest.Decided {
		if len(r.OptionKeys()) > 16 {
			return llmtest.Decided{Failure: &llmtest.Failure{Status: 422, Message: "at most 16 choices"}}
		}
		return llmtest.Decided{Matter: 0.98, Options: map[string]float64{"pass": 0.9, "redirect": 0.1}}
	})
	s := httptest.NewServer(d)
	defer s.Close()
	client := provider.New(provider.Options{BaseURL: s.URL})
	defer client.Close()
	asker := assert.Value(client.OperatorModel("nimble"))(t)
	m := hosted.New(hosted.Options{Evaluation: asker, Method: hosted.MethodDecisions})
	e, err := m.Evaluate(t.Context(), manyOptions(t))
	assert.True(t, err != nil && len(e.Holds) == 0 && !e.FollowUp && !e.Aside, "%+v, %v", e, err)
	e, err = m.Evaluate(t.Context(), inputOf(t))
	assert.True(t, err == nil && e.Method == "decisions" && len(e.Holds) == 1, "%+v, %v", e, err)
}
