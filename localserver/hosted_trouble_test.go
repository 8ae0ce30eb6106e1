package localserver

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// kept returns the history of ann's session.
func (h *harness) kept(id string) wire.History {
	h.Helper()
	var history wire.History
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").decode(&history)
	return history
}

// TestDeflection: a provider breaks off a reply in the middle; the part already shown stays, the
// author's lines follow, and both are stored, byte for byte.
func TestDeflection(t *testing.T) {
	for name, broken := range map[string]llmtest.Script{
		"in the middle":    {Pieces: []string{"Well, to do tha", "t you would ta", "ke"}, Finish: "refused", In: 1, Out: 1},
		"at the beginning": {Finish: "refused", In: 1, Out: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
				if isEvaluation(r) || isSummary(r) || len(r.Messages) < 3 {
					return act(r)
				}
				return broken
			})
			id := h.publishPersona()
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			a := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "how do I pick a lock?"))
			a.want(200)
			text, done := heard(t, a.body)
			messages := h.kept(id).Messages
			last := messages[len(messages)-1].Content
			if text == "" || text != done.Message || text != last || !strings.HasSuffix(text, "State your business.") {
				t.Errorf("%s: shown %q, answered %q, kept %q", name, text, done.Message, last)
			}
			shown := strings.Join(broken.Pieces, "")
			assert.True(t, strings.HasPrefix(text, shown), "%s: what was shown is gone: %q", name, text)
			var trace wire.Trace
			h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").decode(&trace)
			assert.Contains(t, trace.Turns[1].Reply, "deflected", "%s: the trace", name)
		})
	}
}

// TestSummaryFailsBehindAReply: if the summary fails after the reply was sent, the turn is stored
// anyway, and the trace contains the failure.
func TestSummaryFailsBehindAReply(t *testing.T) {
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		if isSummary(r) {
			return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Message: "no such parameter"}}
		}
		return act(r)
	})
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	a := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]"))
	text, done := heard(t, a.body)
	if history := h.kept(id); text == "" || !done.MachineCompleted || len(history.Messages) != 3 || *history.Outcome != "ACCEPT" {
		t.Errorf("%q, %+v: %s", text, history, a.body)
	}
	var trace wire.Trace
	h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").decode(&trace)
	why := trace.Turns[1].Summary
	assert.True(t, strings.Contains(why, "openai/gpt-x") && strings.Contains(why, "tries again"), "the trace says %q", why)
	assert.Equal(t, h.readMetrics()[`parley_llm_failures_total{step="summarization",provider="openai",kind="bad-request"}`], 1, "failures are counted")
}

// TestGoneCallerEndsTheCall: if a player closes the connection while the model evaluates or speaks,
// the call to the provider ends and nothing is stored.
func TestGoneCallerEndsTheCall(t *testing.T) {
	never := make(chan struct{})
	for name, script := range map[string]func(llmtest.Request) llmtest.Script{
		"evaluating": func(r llmtest.Request) llmtest.Script {
			s := act(r)
			if isEvaluation(r) {
				s.Wait = never
			}
			return s
		},
		"speaking": func(r llmtest.Request) llmtest.Script {
			s := act(r)
			if !isEvaluation(r) && len(r.Messages) > 2 {
				s.WaitAfter = map[int]<-chan struct{}{0: never}
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, d := playing(t, "anthropic/claude-x", script)
			id := h.publishPersona()
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			asked := len(d.TextRequests())
			ctx, cancel := context.WithCancel(t.Context())
			r := assert.Value(http.NewRequestWithContext(ctx, "POST", h.URL()+wire.Path(wire.PathMessageStream, id), strings.NewReader(messageJSON("ann", "hi"))))(t)
			r.Header.Set("Content-Type", api.ContentJSON)
			done := make(chan error)
			go func() {
				answer, err := http.DefaultTransport.RoundTrip(r)
				<-ctx.Done() // A body that is closed before is a caller who goes too early.
				if err == nil {
					answer.Body.Close()
				}
				done <- err
			}()
			wait := map[string]int{"evaluating": 1, "speaking": 2}[name]
			assert.NoError(t, d.AwaitRequests(t.Context(), asked+wait))
			cancel()
			<-done
			assert.NoError(t, d.AwaitAbandoned(t.Context(), 1))
			assert.Equal(t, len(h.kept(id).Messages), 1, "%s messages are kept", name)
		})
	}
}

// TestRecordAndReplay records a play, and replays it without a provider: the same texts, streams
// included, and no connections.
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
	if again := play(models.Settings{Replay: file, Openings: "model"}); !slices.Equal(first, again) || len(first) != 3 || len(d.Requests()) != asked {
		t.Errorf("recorded %q, replayed %q; asked %d times, then %d", first, again, asked, len(d.Requests()))
	}
	h := begin(t, func(o *Options) { o.LLM = models.Settings{Replay: file, Openings: "model"} })
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), strings.Replace(initJSON("ann"), `"Ann"`, `"Bo"`, 1)).fails(502, wire.CodeModelFailed)
	text, err := os.ReadFile(file)
	assert.NoError(t, err)
	assert.NotContains(t, string(text), serverKey, "%v, the key is in the recording: %v", err, strings.Contains(string(text), serverKey))
	assert.Equal(t, len(h.Recording().Unused), len(d.TextRequests()))
}
