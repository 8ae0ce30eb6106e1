package localserver

import (
	"encoding/json"
	"strings"
	"testing"

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
	ended := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]"))
	ended.want(200)
	text, done := heard(t, ended.body)
	assert.True(t, text == spoken && done.Message == spoken && done.MachineCompleted && *done.Outcome == "ACCEPT",
		"heard %q, then %+v", text, done)
	var history wire.History
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").decode(&history)
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

// checkTrace reads the trace of an opening, a redirect and a pass that ends.
func checkTrace(t *testing.T, h *harness, id, model string) {
	t.Helper()
	var trace wire.Trace
	h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").decode(&trace)
	if len(trace.Turns) != 3 || trace.Turns[0].Transition != nil || *trace.Turns[2].Transition != 0 || trace.Turns[2].Holds[0].Why != "probability 1.00" {
		t.Fatalf("%+v", trace.Turns)
	}
	checkJudged(t, trace.Turns[2])
	once := wire.Usage{Model: model, In: actorIn, Out: actorOut}
	for i, want := range [][]string{{"open"}, {"evaluation", "response"}, {"evaluation", "response", "summarization"}} {
		if len(trace.Turns[i].Usage) != len(want) {
			t.Errorf("turn %d cost %+v", i, trace.Turns[i].Usage)
		}
		for _, step := range want {
			assert.Equal(t, trace.Turns[i].Usage[step], once, "turn %d: the %s cost", i, step)
		}
	}
}

// heard returns the text of a stream and its last event.
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

// checkJudged: the trace of a turn contains each choice with its probability, and the method of
// asking the judge.
func checkJudged(t *testing.T, turn wire.TurnTrace) {
	t.Helper()
	sum := 0.0
	for _, c := range turn.Choices {
		sum += c.Probability
	}
	last := len(turn.Choices) - 1
	if turn.Method != "json" || last < 1 || sum < 0.99 || sum > 1.01 || turn.Choices[last].Decision != "aside" || turn.Choices[last].Transition != nil {
		t.Errorf("the trace has %q, %+v", turn.Method, turn.Choices)
	}
}
