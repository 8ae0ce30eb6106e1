package localserver

import (
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
)

// Token counts that the actor reports for every request.
const (
	actorIn  = 11
	actorOut = 7
)

// serverKey is the key of the operator.
const serverKey = "sk-own-key-of-the-server"

// act answers as a sensible model: it judges a message by the decision in the message, as in
// "please [pass]", and otherwise replies in three pieces.
func act(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: actorIn, Out: actorOut}
	switch {
	case isEvaluation(r):
		s.Text = judgeMessage(r)
	case isSummary(r):
		s.Text = "They talked."
	default:
		s.Pieces = []string{"Spoken ", "by " + r.Model, ". é🚪"}
	}
	return s
}

func isEvaluation(r llmtest.Request) bool { return r.IsJudgement() }

func isSummary(r llmtest.Request) bool {
	return len(r.Schema) == 0 && strings.Contains(r.LastMessage(), "The messages, oldest first:")
}

// judgedDecision returns the decision in a message, as in "please [pass]".
var judgedDecision = regexp.MustCompile(`\[([a-z_]+)\]`)

// judgeMessage returns a judgement with the decision in the message, or else a redirect.
func judgeMessage(r llmtest.Request) string {
	if found := judgedDecision.FindStringSubmatch(r.PlayerSaid()); found != nil {
		return r.JudgedAs(found[1])
	}
	return r.JudgedAs("redirect")
}

// newDouble starts a double and returns it with the settings of a server that uses a model of it,
// with keys and addresses of all providers.
func newDouble(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*llmtest.Double, models.Settings) {
	t.Helper()
	d := llmtest.New(script)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	l := models.Settings{Model: model, Openings: "model", Env: environment("OPENAI_API_KEY", serverKey, "ANTHROPIC_API_KEY", serverKey, "GEMINI_API_KEY", serverKey, "GROQ_API_KEY", serverKey)}
	l.Addresses = map[string]string{"openai": server.URL + "/v1", "groq": server.URL + "/v1", "anthropic": server.URL + "/v1", "gemini": server.URL + "/v1beta", "ollama": server.URL}
	return d, l
}

// playing starts a server with such a model.
func playing(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*harness, *llmtest.Double) {
	t.Helper()
	d, l := newDouble(t, model, script)
	return begin(t, func(o *Options) { o.LLM = l }), d
}

// steps returns the steps of a double's requests, in order.
func steps(requests []llmtest.Request) []string {
	var list []string
	for _, r := range requests {
		switch {
		case isEvaluation(r):
			list = append(list, "evaluation")
		case isSummary(r):
			list = append(list, "summarization")
		default:
			list = append(list, "speech")
		}
	}
	return list
}

func keysOf(requests []llmtest.Request) []string {
	var keys []string
	for _, r := range requests {
		if !slices.Contains(keys, r.Key) {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// environment returns variables from pairs of name and value.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}
