package localserver

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// priced is the offline model with a cost.
type priced struct{ llm.Model }

func (p *priced) Open(ctx context.Context, s llm.Input, emit func(string) error) (llm.GeneratedText, error) {
	speech, err := p.Model.Open(ctx, s, emit)
	speech.Usage = llm.Usage{Model: "openai/gpt-x", In: 100, Out: 10}
	return speech, err
}

func (p *priced) Evaluate(ctx context.Context, s llm.Input) (llm.Evaluation, error) {
	e, err := p.Model.Evaluate(ctx, s)
	e.Usage = llm.Usage{Model: "groq/llama", In: 200, Out: 2}
	return e, err
}

func (p *priced) Reply(ctx context.Context, s llm.Input, b llm.StepResult, emit func(string) error) (llm.GeneratedText, error) {
	speech, err := p.Model.Reply(ctx, s, b, emit)
	speech.Usage = llm.Usage{Model: "openai/gpt-x", In: 300, Out: 30}
	return speech, err
}

// TestTokensInSight: the cost of a call is in its headers, or for a stream in its trailers. It is
// missing if no model was asked, and on a stored answer.
func TestTokensInSight(t *testing.T) {
	for _, c := range []struct {
		model               llm.Model
		openIn, openOut     string
		turnIn, turnOut     string
		usageOfTheTurnTrace string
	}{
		{&priced{scripted.New()}, "100", "10", "500", "32", `"evaluation":{"model":"groq/llama","in":200,"out":2}`},
		{nil, "", "", "", "", `"usage":{}`},
	} {
		t.Run(caseName(c.model != nil), func(t *testing.T) {
			h := begin(t, func(o *Options) { o.Model = c.model })
			id, key := h.publishPersona(), h.key(alice)
			costs := func(what string, header http.Header, in, out string) {
				assert.Equal(t, header.Get(wire.HeaderLLMTokensIn), in, what)
				assert.Equal(t, header.Get(wire.HeaderLLMTokensOut), out, what)
			}
			for who, path := range map[string][3]string{
				"":  {wire.PathInitSession, wire.PathMessage, wire.PathMessageStream},
				key: {wire.PathSDKInitSession, wire.PathSDKMessage, wire.PathSDKMessageStream},
			} {
				opened := h.send(who, "POST", wire.Path(path[0], id), initJSON("ann"))
				opened.want(200)
				costs("opening", opened.header, c.openIn, c.openOut)
				once := []string{wire.HeaderIdempotencyKey, "k" + who}
				said := h.send(who, "POST", wire.Path(path[1], id), messageJSON("ann", "so [[redirect]]"), once...)
				said.want(200)
				costs("message", said.header, c.turnIn, c.turnOut)
				again := h.send(who, "POST", wire.Path(path[1], id), messageJSON("ann", "so [[redirect]]"), once...)
				again.want(200)
				costs("the same message again", again.header, "", "")
				trailer := h.trailer(who, wire.Path(path[2], id), messageJSON("ann", "so [[redirect]]"))
				costs("stream", trailer, c.turnIn, c.turnOut)
			}
			trace := h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "")
			if trace.want(200); !strings.Contains(string(trace.body), c.usageOfTheTurnTrace) {
				t.Errorf("the trace is %s", trace.body)
			}
		})
	}
}

// trailer returns the trailer of a stream.
func (h *harness) trailer(who, path, body string) http.Header {
	h.Helper()
	r := assert.Value(http.NewRequestWithContext(h.Context(), "POST", h.URL()+path, strings.NewReader(body)))(h)
	if r.Header.Set("Content-Type", api.ContentJSON); who != "" {
		r.Header.Set(wire.HeaderAPIKey, who)
		r.Header.Set(wire.HeaderLLMKey, llmKey)
	}
	r.Close = true
	answer := assert.Value(http.DefaultTransport.RoundTrip(r))(h)
	defer answer.Body.Close()
	var text strings.Builder
	_, err := io.Copy(&text, answer.Body)
	assert.Must(h, err == nil && strings.Contains(text.String(), "event: done"), "%v: %s", err, text.String())
	assert.Equal(h, answer.Header.Get(wire.HeaderLLMTokensIn), "", "a stream's head cannot know what it costs")
	return answer.Trailer
}
