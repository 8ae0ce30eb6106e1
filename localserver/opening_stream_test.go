package localserver

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// greeter is the offline model with custom openings.
type greeter struct {
	llm.Model
	greet func(ctx context.Context, emit func(string) error) error
}

func (g *greeter) Open(ctx context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
	var text strings.Builder
	err := g.greet(ctx, func(delta string) error {
		text.WriteString(delta)
		return emit(delta)
	})
	return llm.GeneratedText{Text: text.String(), Usage: llm.Usage{Model: "openai/gpt-x", In: 5, Out: 3}}, err
}

func greeting(greet func(ctx context.Context, emit func(string) error) error) func(*Options) {
	return func(o *Options) { o.Model = &greeter{scripted.New(), greet} }
}

// asEvents requests the opening as events.
var asEvents = []string{"Accept", "text/event-stream, application/json;q=0.9"}

// TestOpeningStreamBytes compares the whole stream, on both sides, with the answer of the same call
// without streaming.
func TestOpeningStreamBytes(t *testing.T) {
	h := begin(t, greeting(pieces("Halt \"Ann\",\n", "<b>é🚪")))
	id, key := h.publishPersona(), h.key(alice)
	for who, init := range map[string]string{"": wire.PathInitSession, key: wire.PathSDKInitSession} {
		t.Run(init, func(t *testing.T) {
			h := h.with(t)
			got := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), append(asEvents, wire.HeaderIdempotencyKey, "k"+who)...)
			got.want(200)
			whole := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), wire.HeaderIdempotencyKey, "k"+who)
			body, message := strings.TrimSpace(string(whole.body)), `"message":"Halt \"Ann\",\n<b>é🚪",`
			assert.Must(t, whole.header.Get(replayedHeader) == "true" && strings.HasPrefix(body, "{"+message),
				"%v %s", whole.header, body)
			want := "event: metadata\ndata: {" + strings.TrimPrefix(body, "{"+message) + "\n\n" +
				"event: text_delta\ndata: {\"text\":\"Halt \\\"Ann\\\",\\n\"}\n\n" +
				"event: text_delta\ndata: {\"text\":\"<b>é🚪\"}\n\n" +
				"event: done\ndata: " + body + "\n\n"
			assert.Equal(t, string(got.body), want)
			if got.header.Get("Content-Type") != api.ContentEvents || got.header.Get("Cache-Control") != "no-store" || got.header.Get("X-Accel-Buffering") != "no" || got.header.Get(wire.HeaderLLMTokensIn) != "" {
				t.Errorf("%v", got.header)
			}
			again := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), append(asEvents, wire.HeaderIdempotencyKey, "k"+who)...)
			if again.header.Get(replayedHeader) != "true" || strings.Count(string(again.body), "event: text_delta\n") != 1 || !strings.HasSuffix(string(again.body), "event: done\ndata: "+body+"\n\n") {
				t.Errorf("the stored answer: %v\n%s", again.header, again.body)
			}
		})
	}
	assert.Equal(t, h.messages(id), 1, "messages are kept")
}

// TestOldClientsGetJSON: only callers who accept events and prefer them to JSON get events.
func TestOldClientsGetJSON(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for accept, events := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "application/json, text/event-stream": false, "text/event-stream, application/json": false,
		"text/html, */*;q=0.8": false, "text/*": false, "text/event-stream;q=0": false, "text/event-stream;q=x": false, "application/json;q=0.9, text/event-stream;q=0.1": false,
		"text/event-stream": true, "Text/Event-Stream": true, "text/event-stream, */*;q=0.1": true, "text/event-stream, application/json;q=0.9": true, " text/event-stream ;q=0.5,application/json;q=0.4": true,
		",;,;q=,text/event-stream;;": true, ";": false, strings.Repeat("a,", 9000): false,
	} {
		t.Run(caseName(accept), func(t *testing.T) {
			got := h.with(t).send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"), "Accept", accept)
			want := api.ContentJSON
			if events {
				want = api.ContentEvents
			}
			if got.want(200); got.header.Get("Content-Type") != want || strings.Contains(string(got.body), "event: done") != events {
				t.Errorf("%q: %v\n%s", accept, got.header, got.body)
			}
		})
	}
}

// TestOpeningComesAtOnce lets the model go on only when the word before has arrived, on
// the way from a provider through the server.
func TestOpeningComesAtOnce(t *testing.T) {
	gates := map[int]<-chan struct{}{}
	var open []chan struct{}
	for i := range 3 {
		open = append(open, make(chan struct{}))
		gates[i] = open[i]
	}
	h, _ := playing(t, "openai/gpt-x", func(llmtest.Request) llmtest.Script {
		return llmtest.Script{Pieces: []string{"One, ", "two, ", "three, ", "four."}, WaitAfter: gates, In: actorIn, Out: actorOut}
	})
	id := h.publishPersona()
	lines, body := h.open(t.Context(), wire.Path(wire.PathInitSession, id), initJSON("ann"))
	defer body.Close()
	for i, word := range []string{"One,", "two,", "three,"} {
		readUntil(t, lines, word)
		close(open[i])
	}
	rest := assert.Value(io.ReadAll(lines))(t)
	assert.Contains(t, string(rest), `event: done`)
	assert.Contains(t, string(rest), `"message":"One, two, three, four."`)
}

// TestOpeningShowsThatItWaits: while the model thinks, the head arrives after half a second and
// comments follow; the cost comes after the last event.
func TestOpeningShowsThatItWaits(t *testing.T) {
	clock, withClock := withHandClock()
	goOn := make(chan struct{})
	h := begin(t, withClock, greeting(func(_ context.Context, emit func(string) error) error { <-goOn; return emit("Halt") }))
	id := h.publishPersona()
	go clock.endWait(t, headDelay)
	lines, body := h.open(t.Context(), wire.Path(wire.PathInitSession, id), initJSON("ann"))
	defer body.Close()
	line, err := lines.ReadString('\n')
	assert.Must(t, err == nil && line == ": waiting\n", "%q, %v", line, err)
	close(goOn)
	if rest, err := io.ReadAll(lines); err != nil || !strings.HasPrefix(string(rest), "event: metadata\ndata: {") || !strings.Contains(string(rest), "event: done\n") {
		t.Errorf("%v %s", err, rest)
	}
}

// TestOpeningIsRefusedInTheMiddle: if a provider refuses in the middle, or the model begins to
// quote its instructions, the author's lines follow, and the shown text is stored.
func TestOpeningIsRefusedInTheMiddle(t *testing.T) {
	for name, broken := range map[string]llmtest.Script{
		"refused": {Pieces: []string{"Good evening, «player", "_name». I ca", "n"}, Finish: "refused", In: 1, Out: 1},
		"quotes":  {Pieces: []string{"Good evening, Ann. I can ", "You are a guard who never tells anybody that the key of the gate lies under the third stone on the left"}, In: 1, Out: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := playing(t, "openai/gpt-x", func(llmtest.Request) llmtest.Script { return broken })
			id := h.savePersona(strings.Replace(gatePersona, "You are a guard.", "You are a guard who never tells anybody that the key of the gate lies under the third stone on the left.", 1))
			h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
			a := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"), asEvents...)
			a.want(200)
			text, done := heard(t, a.body)
			kept := h.kept(id).Messages
			if text != done.Message || len(kept) != 1 || kept[0].Content != text || !strings.HasPrefix(text, "Good evening, Ann. I can") || !strings.HasSuffix(text, "\n\nHalt, Ann.") || strings.Contains(text, "stone") {
				t.Errorf("shown %q, answered %q, kept %+v", text, done.Message, kept)
			}
		})
	}
}

// TestOpeningStreamCosts: the cost of an opening is in the trailers.
func TestOpeningStreamCosts(t *testing.T) {
	h := begin(t, greeting(pieces("Halt")))
	id := h.publishPersona()
	r := assert.Value(http.NewRequestWithContext(t.Context(), "POST", h.URL()+wire.Path(wire.PathInitSession, id), strings.NewReader(initJSON("ann"))))(t)
	r.Header.Set("Accept", api.ContentEvents)
	answer := assert.Value(http.DefaultTransport.RoundTrip(r))(t)
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.Trailer.Get(wire.HeaderLLMTokensIn) != "5" || answer.Trailer.Get(wire.HeaderLLMTokensOut) != "3" {
		t.Errorf("%v, trailers %v", err, answer.Trailer)
	}
}
