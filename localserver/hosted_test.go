package localserver

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestFormats plays a persona to its ending with a model of each wire format: the machine moves as
// the model judges, the stored text equals the stream, and the cost is reported.
func TestFormats(t *testing.T) {
	for model, key := range map[string]string{"openai/gpt-x": serverKey, "anthropic/claude-x": serverKey, "gemini/gemini-x": serverKey, "ollama/llama-x": ""} {
		t.Run(model, func(t *testing.T) { playFormat(t, model, key) })
	}
}

func playFormat(t *testing.T, model, key string) {
	h, d := playing(t, model, act)
	id := h.publishPersona()
	_, name, _ := strings.Cut(model, "/")
	spoken := "Spoken by " + name + ". é🚪"
	opened := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"))
	checkJSON(t, opened.want(200), `{"message": "`+spoken+`"}`)
	said := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "no reason"))
	checkJSON(t, said.want(200), `{"message": "`+spoken+`", "decision": "redirect", "current_state": "outside", "redirect_count": 1}`)
	ended := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]")).is(200)
	text, done := heard(t, ended.body)
	assert.Equal(t, text, spoken)
	assert.Equal(t, done.Message, spoken)
	assert.True(t, done.MachineCompleted, "heard %q, then %+v", text, done)
	assert.Equal(t, *done.Outcome, "ACCEPT")
	history := h.kept(id)
	assert.Equal(t, history.Messages[len(history.Messages)-1].Content, text, "shown")
	asked := d.TextRequests()
	assert.EqualSlices(t, steps(asked), []string{"speech", "evaluation", "speech", "evaluation", "speech", "summarization"}, "asked for")
	assert.EqualSlices(t, keysOf(asked), []string{key}, "asked with the keys")
	checkTrace(t, h, id, model)
	counts := h.readMetrics()
	provider, _, _ := strings.Cut(model, "/")
	for name, want := range map[string]float64{
		`parley_llm_requests_total{step="evaluation",provider="` + provider + `"}`:                 2,
		`parley_llm_tokens_total{step="response",direction="in",provider="` + provider + `"}`:      2 * actorIn,
		`parley_llm_tokens_total{step="open",direction="out",provider="` + provider + `"}`:         actorOut,
		`parley_llm_tokens_total{step="summarization",direction="in",provider="` + provider + `"}`: actorIn,
	} {
		assert.Equal(t, counts[name], want, name)
	}
}

func checkTrace(t *testing.T, h *harness, id, model string) {
	t.Helper()
	trace := h.trace(id)
	assert.Must(t, len(trace.Turns) == 3, "%+v", trace.Turns)
	assert.True(t, trace.Turns[0].Transition == nil, "%+v", trace.Turns)
	assert.Equal(t, *trace.Turns[2].Transition, 0)
	assert.Equal(t, trace.Turns[2].Holds[0].Why, "probability 1.00")
	checkJudged(t, trace.Turns[2])
	once := wire.Usage{Model: model, In: actorIn, Out: actorOut}
	for i, want := range [][]string{{"open"}, {"evaluation", "response"}, {"evaluation", "response", "summarization"}} {
		assert.True(t, len(trace.Turns[i].Usage) == len(want), "turn %d cost %+v", i, trace.Turns[i].Usage)
		for _, step := range want {
			assert.Equal(t, trace.Turns[i].Usage[step], once, "turn %d: the %s cost", i, step)
		}
	}
}

func heard(t *testing.T, body []byte) (text string, done wire.Reply) {
	t.Helper()
	var name string
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		if event, ok := strings.CutPrefix(line, "event: "); ok {
			name = event
		}
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case ok && name == wire.EventTextDelta:
			var delta wire.TextDelta
			assert.NoError(t, json.Unmarshal([]byte(data), &delta))
			text += delta.Text
		case ok && name == wire.EventDone:
			assert.NoError(t, json.Unmarshal([]byte(data), &done))
		}
	}
	return text, done
}

func checkJudged(t *testing.T, turn wire.TurnTrace) {
	t.Helper()
	sum := 0.0
	for _, c := range turn.Choices {
		sum += c.Probability
	}
	last := len(turn.Choices) - 1
	assert.Equal(t, turn.Method, "json")
	assert.True(t, last >= 1, "the trace has %q, %+v", turn.Method, turn.Choices)
	assert.True(t, sum >= 0.99 && sum <= 1.01, "the trace has %q, %+v", turn.Method, turn.Choices)
	assert.Equal(t, turn.Choices[last].Decision, "aside")
	assert.True(t, turn.Choices[last].Transition == nil, "the trace has %q, %+v", turn.Method, turn.Choices)
}

func (h *harness) kept(id string) wire.History {
	h.Helper()
	return decoded[wire.History](h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", ""))
}

// TestSummaryFailsBehindAReply: if the summary fails after the reply, the turn is stored.
func TestSummaryFailsBehindAReply(t *testing.T) {
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		if isSummary(r) {
			return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Message: "no such parameter"}}
		}
		return act(r)
	})
	id := h.openGate()
	a := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]"))
	text, done := heard(t, a.body)
	history := h.kept(id)
	assert.True(t, text != "", "%q, %+v: %s", text, history, a.body)
	assert.True(t, done.MachineCompleted, "%q, %+v: %s", text, history, a.body)
	assert.Equal(t, len(history.Messages), 3)
	assert.Equal(t, *history.Outcome, "ACCEPT")
	trace := h.trace(id)
	why := trace.Turns[1].Summary
	assert.True(t, strings.Contains(why, "openai/gpt-x") && strings.Contains(why, "tries again"), "the trace says %q", why)
	assert.Equal(t, h.readMetrics()[`parley_llm_failures_total{step="summarization",provider="openai",kind="bad-request"}`], 1, "failures are counted")
}

// TestRecordAndReplay: a recorded play is replayed with the same texts and no connections.
func TestRecordAndReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	play := func(l models.Settings) (texts []string) {
		h := begin(t, func(o *Options) { o.LLM = l })
		id := h.publishPersona()
		texts = append(texts, h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)["message"].(string))
		text, _ := heard(t, h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "no")).body)
		texts = append(texts, text, h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "please [pass]")).want(200)["message"].(string))
		assert.NoError(t, h.Close())
		return texts
	}
	d, l := newDouble(t, "openai/gpt-x", act)
	l.Record = file
	first := play(l)
	asked := len(d.Requests())
	again := play(models.Settings{Replay: file, Openings: "model"})
	assert.EqualSlices(t, first, again)
	assert.Equal(t, len(first), 3)
	assert.Equal(t, len(d.Requests()), asked)
	h := begin(t, func(o *Options) { o.LLM = models.Settings{Replay: file, Openings: "model"} })
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), strings.Replace(initJSON("ann"), `"Ann"`, `"Bo"`, 1)).fails(502, wire.CodeModelFailed)
	text := assert.Value(os.ReadFile(file))(t)
	assert.NotContains(t, string(text), serverKey, "the key is in the recording")
	assert.Equal(t, len(h.Recording().Unused), len(d.TextRequests()))
}

func gather(h *harness, id string, size int) {
	h.Helper()
	for i := range size {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(fmt.Sprint("player", i))).want(200)
	}
}

// TestHundredTurnsAtOnce: while a hundred turns wait for the model, the server answers all else.
func TestHundredTurnsAtOnce(t *testing.T) {
	const size = 100
	gate := make(chan struct{})
	var waiting, most atomic.Int32
	h, d := playing(t, "ollama/llama-x", func(r llmtest.Request) llmtest.Script {
		s := act(r)
		if strings.Contains(r.PlayerSaid(), "slowly") && isEvaluation(r) {
			s.Wait = gate
			if n := waiting.Add(1); n > most.Load() {
				most.Store(n)
			}
		}
		return s
	})
	id := h.publishPersona()
	gather(h, id, size+1)
	asked := len(d.Requests())
	var turns sync.WaitGroup
	for i := range size {
		turns.Go(func() {
			h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(fmt.Sprint("player", i), "slowly")).want(200)
		})
	}
	assert.NoError(t, d.AwaitRequests(t.Context(), asked+size))
	quick := fmt.Sprint("player", size)
	h.send("", "GET", wire.PathPersonas, "").want(200)
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=player0", "").want(200)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(quick, "quickly")).want(200)
	h.savePersona(gatePersona)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("newcomer")).want(200)
	close(gate)
	turns.Wait()
	assert.Equal(t, most.Load(), size, "turns were in the model at once")
	for i := range size {
		history := decoded[wire.History](h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+fmt.Sprint("player", i), ""))
		assert.Must(t, len(history.Messages) == 3, "player %d has %d messages", i, len(history.Messages))
	}
}

// Token counts that the actor reports for every request.
const (
	actorIn  = 11
	actorOut = 7
)

const serverKey = "sk-own-key-of-the-server"

// act answers as a sensible model: it judges a message by the decision in the message, as in
// "please [pass]", and otherwise replies in three pieces.
func act(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: actorIn, Out: actorOut}
	switch {
	case isEvaluation(r):
		s.Text = r.JudgedByMark()
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

func newDouble(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*llmtest.Double, models.Settings) {
	t.Helper()
	d := llmtest.New(script)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	l := models.Settings{
		Model: model, Openings: "model",
		Env: llmtest.Env("OPENAI_API_KEY", serverKey, "ANTHROPIC_API_KEY", serverKey, "GEMINI_API_KEY", serverKey, "GROQ_API_KEY", serverKey),
	}
	l.Addresses = map[string]string{
		"openai": server.URL + "/v1", "groq": server.URL + "/v1", "anthropic": server.URL + "/v1",
		"gemini": server.URL + "/v1beta", "ollama": server.URL,
	}
	return d, l
}

func playing(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*harness, *llmtest.Double) {
	t.Helper()
	d, l := newDouble(t, model, script)
	return begin(t, func(o *Options) { o.LLM = l }), d
}

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
