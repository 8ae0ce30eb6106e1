package llmtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestDecides: a double answers decisions on one wire and 404 on the other.
func TestDecides(t *testing.T) {
	const openAI = `POST /v1/decisions {"model": "m", "input": "x", "questions": [{"type": "predicate", "name": "matter"}, {"type": "choice", "name": "verdict", "choices": [{"value": "pass"}, {"value": "reject"}]}]}`
	const systemOne = `POST /v1/systemone {"model": "m", "state": "x", "questions": {"matter": {}, "verdict": {"criteria": {"pass": "yes", "reject": "no"}}}}`
	for _, c := range []struct {
		wire         Format
		asked, other string
		answer       Decided
		status       int
		want         string
	}{
		{Decisions, openAI, systemOne, Decided{Matter: 0.9, Options: map[string]float64{"pass": 1}}, 200, `"value":"pass"`},
		{Decisions, openAI, systemOne, Decided{Refused: true}, 200, `"refusal"`},
		{Decisions, openAI, systemOne, Decided{Failure: &Failure{Status: 403, Message: "no access"}}, 403, "no access"},
		{SystemOne, systemOne, openAI, Decided{Matter: 0.9, Options: map[string]float64{"pass": 1}}, 200, `"pass":1`},
		{SystemOne, systemOne, openAI, Decided{Matter: 0.9, Unanswered: true}, 200, `"noul":0.9`},
	} {
		t.Run(string(c.wire)+c.want, func(t *testing.T) {
			d := New(nil).Decide(c.wire, func(r Request) Decided {
				assert.EqualSlices(t, slices.Sorted(slices.Values(r.OptionKeys())), []string{"pass", "reject"}, "the options")
				return c.answer
			})
			w := sendQuestion(t, d, c.asked)
			assert.True(t, w.Code == c.status && strings.Contains(w.Body.String(), c.want), "%d %s", w.Code, w.Body)
			assert.Equal(t, sendQuestion(t, d, c.other).Code, 404, "the other wire")
		})
	}
}

// TestDescribesTemplate: instructions do not reach a model without a place for them.
func TestDescribesTemplate(t *testing.T) {
	for template, want := range map[string]string{"{{ .Prompt }}": "", "{{ .System }} {{ .Prompt }}": "S"} {
		d := New(nil).DescribeTemplate(template)
		assert.Contains(t, sendQuestion(t, d, `POST /api/show {"model": "m"}`).Body.String(), template)
		sendQuestion(t, d, questions[Ollama][0])
		assert.Equal(t, d.LastRequest().System, want, "%s: the model sees", template)
	}
}
