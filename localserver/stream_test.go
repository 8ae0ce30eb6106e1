package localserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

type teller struct {
	llm.Model
	tell func(ctx context.Context, emit func(string) error) error
}

func (t *teller) Reply(ctx context.Context, _ llm.Input, _ llm.StepResult, emit func(string) error) (llm.GeneratedText, error) {
	var text strings.Builder
	err := t.tell(ctx, func(delta string) error {
		text.WriteString(delta)
		return emit(delta)
	})
	return llm.GeneratedText{Text: text.String()}, err
}

func telling(tell func(ctx context.Context, emit func(string) error) error) func(*Options) {
	return func(o *Options) { o.Model = &teller{scripted.New(), tell} }
}

func pieces(texts ...string) func(context.Context, func(string) error) error {
	return func(_ context.Context, emit func(string) error) error {
		for _, text := range texts {
			if err := emit(text); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestStreamBytes compares whole streams, byte by byte, for any text.
func TestStreamBytes(t *testing.T) {
	h := begin(t, telling(pieces("Pass \"then\",\n", "<b>& \r\ngo ", "\u2028é🚪")))
	id, key := h.publishPersona(), h.key(alice)
	hall := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)["machines"].([]any)[1].(map[string]any)["id"]
	for _, side := range []struct{ who, init, stream, unlocked string }{
		{"", wire.PathInitSession, wire.PathMessageStream, `["%s"]`},
		{key, wire.PathSDKInitSession, wire.PathSDKMessageStream, `[{"machine_id":"%s","machine_key":"hall","name":"hall","is_auto_advance":false}]`},
	} {
		h.run(t, side.init, func(t *testing.T, h *harness) {
			session := h.send(side.who, "POST", wire.Path(side.init, id), initJSON("ann")).want(200)["session_id"]
			got := h.send(side.who, "POST", wire.Path(side.stream, id), messageJSON("ann", "so [[pass]]"))
			rest := fmt.Sprintf(`"current_state":"inside","score":2,"outcome":"ACCEPT","decision":"pass","follow_up":false,"redirect_count":null,`+
				`"session_id":"%s","scoring_mode":"scoring","machine_completed":true,"unlocked_machines":`+side.unlocked+"}\n\n", session, hall)
			want := "event: metadata\ndata: {" + rest +
				"event: text_delta\ndata: {\"text\":\"Pass \\\"then\\\",\\n\"}\n\n" +
				"event: text_delta\ndata: {\"text\":\"<b>& \\r\\ngo \"}\n\n" +
				"event: text_delta\ndata: {\"text\":\"\\u2028é🚪\"}\n\n" +
				"event: done\ndata: {\"message\":\"Pass \\\"then\\\",\\n<b>& \\r\\ngo \\u2028é🚪\"," + rest
			assert.Equal(t, got.status, 200)
			assert.Equal(t, string(got.body), want)
			assert.Equal(t, got.header.Get("Content-Type"), "text/event-stream")
			assert.Equal(t, got.header.Get("Cache-Control"), "no-store")
			assert.Equal(t, got.header.Get("X-Accel-Buffering"), "no")
		})
	}
}

func TestStreamRefusals(t *testing.T) {
	down := errors.New("down")
	var fails error
	h := begin(t, withFirstStep(func(context.Context, string) error { return fails }), func(o *Options) {
		o.Model = &greeter{o.Model, func(context.Context, func(string) error) error { return fails }}
	})
	id, hidden, key := h.publishPersona(), h.savePersona(gatePersona), h.key(alice)
	web, game := wire.Path(wire.PathMessageStream, id), wire.Path(wire.PathSDKMessageStream, id)
	opens, gameOpens := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathSDKInitSession, id)
	h.send(bob, "POST", opens, initJSON("bob")).want(200)
	h.send(bob, "POST", web, messageJSON("bob", "hi [[pass]]")).want(200)
	h.send(key, "POST", gameOpens, initJSON("ann")).want(200)
	for _, c := range []struct {
		who, path, body string
		fails           error
		status          int
		code            string
	}{
		{"", web, "{", nil, 400, wire.CodeBadRequest},
		{"", web, "{}", nil, 422, wire.CodeInvalid},
		{"", web, messageJSON("bob", "hi"), nil, 404, wire.CodeNotFound},
		{bob, web, messageJSON("bob", "hi"), nil, 409, wire.CodeFinished},
		{h.key(bob), game, messageJSON("ann", "hi"), nil, 403, wire.CodeForbidden},
		{key, game, strings.Repeat(" ", wire.MaxBody+1), nil, 413, wire.CodeTooLarge},
		{key, game, messageJSON("ann", "hi"), down, 502, wire.CodeModelFailed},
		{key, game, messageJSON("ann", "hi"), context.DeadlineExceeded, 504, wire.CodeModelTimeout},
		{"", opens, "{", nil, 400, wire.CodeBadRequest},
		{"", opens + "?machine_id=hall", initJSON("ann"), nil, 403, wire.CodeMachineLocked},
		{"", wire.Path(wire.PathInitSession, hidden), initJSON("ann"), nil, 404, wire.CodeNotFound},
		{h.key(bob), gameOpens, initJSON("ann"), nil, 403, wire.CodeForbidden},
		{"", opens, initJSON("ann"), down, 502, wire.CodeModelFailed},
		{key, gameOpens, initJSON("ann"), context.DeadlineExceeded, 504, wire.CodeModelTimeout},
		{"", opens, initJSON("ann") + strings.Repeat(" ", wire.MaxBody+1), nil, 413, wire.CodeTooLarge},
	} {
		h.run(t, caseName(c.path, c.status, c.body), func(t *testing.T, h *harness) {
			fails = c.fails
			h.send(c.who, "POST", c.path, c.body, asEvents...).fails(c.status, c.code)
			h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").fails(404, wire.CodeNotFound)
		})
	}
}

// streams are the calls that stream. Each has the number of messages that are stored before the
// call, and what makes its turn impossible to store.
var streams = []struct {
	name, path, body string
	model            func(func(ctx context.Context, emit func(string) error) error) func(*Options)
	stored           int
	interfere        func(h *harness, id string)
}{
	{"message", wire.PathMessageStream, messageJSON("ann", "hi"), telling, 1, func(h *harness, id string) {
		h.send("", "POST", wire.Path(wire.PathReset, id)+"?user_session_id=ann", "").want(200)
	}},
	{"opening", wire.PathInitSession, initJSON("ann"), greeting, 3, func(h *harness, id string) {
		h.send(alice, "POST", wire.PathSave+"?persona_id="+id, gatePersona).want(200)
	}},
}

// TestStreamBreaks fails in the middle of a stream: the last event has the code of the status,
// nothing of the call is stored, and a panic cuts the stream off.
func TestStreamBreaks(t *testing.T) {
	for _, s := range streams {
		fault := func() error { return nil }
		h := begin(t, s.model(func(_ context.Context, emit func(string) error) error { return errors.Join(emit("Well"), fault()) }))
		id := h.publishPersona()
		path := wire.Path(s.path, id)
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
		if s.stored == 3 {
			h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]")).want(200)
		}
		for code, f := range map[string]func() error{
			wire.CodeModelFailed:  func() error { return errors.New("no route to the host, but internal") },
			wire.CodeModelTimeout: func() error { return context.DeadlineExceeded },
			wire.CodeConflict:     func() error { s.interfere(h, id); return nil },
		} {
			h.run(t, s.name+" "+code, func(t *testing.T, h *harness) {
				fault = f
				got := h.send("", "POST", path, s.body, asEvents...).is(200)
				events := strings.Split(strings.TrimSuffix(string(got.body), "\n\n"), "\n\n")
				last := events[len(events)-1]
				assert.Equal(t, len(events), 3, "events in %s", got.body)
				assert.Contains(t, last, "event: error\ndata: {\"error\":{\"message\":")
				assert.Contains(t, last, `"code":"`+code+`"`)
				assert.Contains(t, last, got.header.Get(wire.HeaderRequestID))
				assert.NotContains(t, last, "internal")
				assert.Equal(t, h.messages(id), s.stored, "stored messages")
			})
		}
		fault = func() error { panic("boom") }
		lines, body := h.open(t.Context(), path, s.body)
		defer body.Close()
		text, err := io.ReadAll(lines)
		assert.True(t, err != nil && !strings.Contains(string(text), "done"), "%s: a panic ends the stream as if it were whole: %s", s.name, text)
		assert.Equal(t, h.messages(id), s.stored, "%s: stored messages after a panic", s.name)
	}
}

func (h *harness) open(ctx context.Context, path, body string) (*bufio.Reader, io.Closer) {
	h.Helper()
	r := assert.Value(http.NewRequestWithContext(ctx, "POST", h.URL()+path, strings.NewReader(body)))(h)
	r.Header.Set("Accept", api.ContentEvents)
	answer := assert.Value(http.DefaultTransport.RoundTrip(r))(h)
	return bufio.NewReader(answer.Body), answer.Body
}

func readUntil(t *testing.T, lines *bufio.Reader, wanted string) {
	t.Helper()
	for {
		line := assert.Value(lines.ReadString('\n'))(t)
		if strings.Contains(line, wanted) {
			return
		}
	}
}

// TestStreamGivenUp: disconnecting ends the model's context, and nothing is stored.
func TestStreamGivenUp(t *testing.T) {
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			told, slow := make(chan error, 1), true
			h := begin(t, s.model(func(ctx context.Context, emit func(string) error) error {
				if err := emit("Once upon"); err != nil || !slow {
					return err
				}
				select {
				case <-ctx.Done():
					told <- ctx.Err()
					return ctx.Err()
				case <-time.After(patience):
					told <- errors.New("nobody told the model")
					return nil
				}
			}))
			id := h.publishPersona()
			path, history := wire.Path(s.path, id), wire.Path(wire.PathHistory, id)+"?user_session_id=ann"
			whole := 1
			if s.name == "message" {
				h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
				whole = 3
			}
			ctx, leave := context.WithCancel(t.Context())
			lines, body := h.open(ctx, path, s.body)
			defer body.Close()
			readUntil(t, lines, "Once upon")
			leave()
			assert.ErrorIs(t, <-told, context.Canceled)
			if s.name == "message" {
				assert.Equal(t, h.messages(id), 1, "stored messages")
			} else {
				h.send("", "GET", history, "").fails(404, wire.CodeNotFound)
			}
			slow = false
			h.send("", "POST", path, s.body, asEvents...).want(200)
			assert.Equal(t, h.messages(id), whole, "stored messages")
			assert.NotContains(t, h.journal.String(), `"level":"ERROR"`, "a caller who goes is logged as an error")
		})
	}
}

func (h *harness) messages(id string) int {
	h.Helper()
	history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").want(200)
	return len(history["messages"].([]any))
}

// TestStreamComesAtOnce lets the model continue only when the previous piece has arrived.
func TestStreamComesAtOnce(t *testing.T) {
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			arrived := make(chan struct{})
			h := begin(t, s.model(func(ctx context.Context, emit func(string) error) error {
				for i := range 3 {
					if err := emit(fmt.Sprint("piece ", i)); err != nil {
						return err
					}
					select {
					case <-arrived:
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(patience):
						return errors.New("the piece does not arrive")
					}
				}
				return nil
			}))
			id := h.publishPersona()
			if s.name == "message" {
				h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			}
			lines, body := h.open(t.Context(), wire.Path(s.path, id), s.body)
			defer body.Close()
			for i := range 3 {
				readUntil(t, lines, fmt.Sprintf(`"text":"piece %d"`, i))
				arrived <- struct{}{}
			}
			assert.Contains(t, string(assert.Value(io.ReadAll(lines))(t)), "event: done\n")
		})
	}
}

// TestStuckReader: the writer gives up after its time limit for one event, and not before.
func TestStuckReader(t *testing.T) {
	t.Parallel()
	const eventTime = 500 * time.Millisecond
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &eventWriter{w: w, control: http.NewResponseController(w), timeout: eventTime}
		e.writeHead(false)
		for range 3 {
			time.Sleep(eventTime)
			if err := e.sendEvent(wire.EventTextDelta, wire.TextDelta{Text: "slow"}); err != nil {
				ended <- fmt.Errorf("too soon: %w", err)
				return
			}
		}
		for {
			if err := e.sendEvent(wire.EventTextDelta, wire.TextDelta{Text: strings.Repeat("x", 1<<20)}); err != nil {
				ended <- nil
				return
			}
		}
	}))
	defer server.Close()
	answer := assert.Value(server.Client().Get(server.URL))(t)
	defer answer.Body.Close()
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(patience):
		t.Error("the writer waits for a reader who does not read")
	}
}

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

var asEvents = []string{"Accept", "text/event-stream, application/json;q=0.9"}

// TestOpeningStreamBytes compares the stream with the answer without streaming, on both sides.
func TestOpeningStreamBytes(t *testing.T) {
	h := begin(t, greeting(pieces("Halt \"Ann\",\n", "<b>é🚪")))
	id, key := h.publishPersona(), h.key(alice)
	for who, init := range map[string]string{"": wire.PathInitSession, key: wire.PathSDKInitSession} {
		h.run(t, init, func(t *testing.T, h *harness) {
			got := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), append(asEvents, wire.HeaderIdempotencyKey, "k"+who)...).is(200)
			whole := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), wire.HeaderIdempotencyKey, "k"+who)
			body, message := strings.TrimSpace(string(whole.body)), `"message":"Halt \"Ann\",\n<b>é🚪",`
			assert.Equal(t, whole.header.Get(replayedHeader), "true", init)
			assert.True(t, strings.HasPrefix(body, "{"+message), "%v %s", whole.header, body)
			want := "event: metadata\ndata: {" + strings.TrimPrefix(body, "{"+message) + "\n\n" +
				"event: text_delta\ndata: {\"text\":\"Halt \\\"Ann\\\",\\n\"}\n\n" +
				"event: text_delta\ndata: {\"text\":\"<b>é🚪\"}\n\n" +
				"event: done\ndata: " + body + "\n\n"
			assert.Equal(t, string(got.body), want)
			assert.Equal(t, got.header.Get("Content-Type"), api.ContentEvents, init)
			assert.Equal(t, got.header.Get("Cache-Control"), "no-store", init)
			assert.Equal(t, got.header.Get("X-Accel-Buffering"), "no", init)
			assert.Equal(t, got.header.Get(wire.HeaderLLMTokensIn), "", init)
			again := h.send(who, "POST", wire.Path(init, id), initJSON("ann"), append(asEvents, wire.HeaderIdempotencyKey, "k"+who)...)
			assert.Equal(t, again.header.Get(replayedHeader), "true", init)
			assert.Equal(t, strings.Count(string(again.body), "event: text_delta\n"), 1, init)
			assert.True(t, strings.HasSuffix(string(again.body), "event: done\ndata: "+body+"\n\n"), "the stored answer: %v\n%s", again.header, again.body)
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
		"text/html, */*;q=0.8": false, "text/*": false, "text/event-stream;q=0": false, "text/event-stream;q=x": false,
		"application/json;q=0.9, text/event-stream;q=0.1": false,
		"text/event-stream": true, "Text/Event-Stream": true, "text/event-stream, */*;q=0.1": true,
		"text/event-stream, application/json;q=0.9": true, " text/event-stream ;q=0.5,application/json;q=0.4": true,
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

type handClock struct {
	asked chan time.Duration
	over  chan time.Time
}

func withHandClock() (handClock, func(*Options)) {
	c := handClock{make(chan time.Duration, 100), make(chan time.Time)}
	return c, func(o *Options) {
		o.after = func(wait time.Duration) <-chan time.Time {
			c.asked <- wait
			return c.over
		}
	}
}

func (c handClock) endWait(t *testing.T, want time.Duration) {
	t.Helper()
	select {
	case got := <-c.asked:
		assert.Equal(t, got, want, "waits")
	case <-time.After(patience):
		t.Error("nobody waits")
		return
	}
	c.over <- time.Time{}
}

func streamSlowly(t *testing.T) (h *harness, clock handClock, goOn chan error, openStream func() (*http.Response, *bufio.Reader)) {
	goOn = make(chan error)
	clock, withClock := withHandClock()
	h = begin(t, withClock, withFirstStep(func(ctx context.Context, _ string) error {
		select {
		case err := <-goOn:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
	id := h.openGate()
	return h, clock, goOn, func() (*http.Response, *bufio.Reader) {
		url, body := h.URL()+wire.Path(wire.PathMessageStream, id), strings.NewReader(messageJSON("ann", "hm [[redirect]]"))
		r := assert.Value(http.NewRequestWithContext(t.Context(), "POST", url, body))(t)
		answer := assert.Value(http.DefaultTransport.RoundTrip(r))(t)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer, bufio.NewReader(answer.Body)
	}
}

// TestStreamShowsThatItWaits: the head comes after half a second, a comment every ten seconds.
func TestStreamShowsThatItWaits(t *testing.T) {
	_, clock, goOn, openStream := streamSlowly(t)
	go clock.endWait(t, headDelay)
	answer, lines := openStream() // It returns with the head; the model still thinks.
	assert.Must(t, answer.StatusCode == 200 && answer.Header.Get("Content-Type") == api.ContentEvents, "%v", answer)
	for i := range 3 {
		if i > 0 {
			clock.endWait(t, commentInterval)
		}
		line, err := lines.ReadString('\n')
		assert.Must(t, err == nil && line == ": waiting\n", "comment %d: %q %v", i, line, err)
	}
	assert.True(t, headDelay <= time.Second && commentInterval == 10*time.Second, "%v, %v", headDelay, commentInterval)
	goOn <- nil
	rest, err := io.ReadAll(lines)
	assert.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(rest), "event: metadata\ndata: {"), "%v %s", err, rest)
	assert.Contains(t, string(rest), "event: done\n")
}

// TestStreamFailsAfterItsHead: a later failure is an event, with its code.
func TestStreamFailsAfterItsHead(t *testing.T) {
	h, clock, goOn, openStream := streamSlowly(t)
	go clock.endWait(t, headDelay)
	answer, lines := openStream()
	goOn <- errors.New("down")
	text, err := io.ReadAll(lines)
	want := ": waiting\nevent: error\ndata: {\"error\":{\"message\":"
	assert.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), want), "%v %s", err, text)
	assert.Contains(t, string(text), wire.CodeModelFailed)
	assert.Contains(t, string(text), answer.Header.Get(wire.HeaderRequestID))
	assert.Contains(t, h.journal.String(), `"status":502`, "the log does not say why")
}

// TestStreamPanicsAfterItsHead: the stream is cut, and the heartbeat stops.
func TestStreamPanicsAfterItsHead(t *testing.T) {
	clock, withClock := withHandClock()
	panics := make(chan struct{})
	h := begin(t, withClock, withFirstStep(func(context.Context, string) error {
		<-panics
		panic("boom")
	}))
	id := h.openGate()
	go func() {
		clock.endWait(t, headDelay)
		<-clock.asked
		close(panics)
	}()
	lines, body := h.open(t.Context(), wire.Path(wire.PathMessageStream, id), messageJSON("ann", "hm"))
	defer body.Close()
	text, err := io.ReadAll(lines)
	assert.True(t, err != nil && string(text) == ": waiting\n", "%v %s", err, text)
	select {
	case clock.over <- time.Time{}:
		t.Error("it beats on")
	case <-time.After(50 * time.Millisecond):
	}
}

// TestStreamTellsWhetherToRetry: the event contains the values that other errors have in headers.
func TestStreamTellsWhetherToRetry(t *testing.T) {
	for _, c := range []struct {
		kind  provider.Kind
		wait  time.Duration
		words string
	}{
		{provider.KeyRefused, 0, `,"should_retry":false}}`},
		{provider.Quota, time.Minute, `,"retry_after":60,"wait_reason":"rate-limit"}}`},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			_, clock, goOn, openStream := streamSlowly(t)
			go clock.endWait(t, headDelay)
			_, lines := openStream()
			failure := providersError(c.kind)
			failure.RetryAfter = c.wait
			goOn <- failure
			text, err := io.ReadAll(lines)
			assert.True(t, err == nil && strings.Contains(string(text), c.words), "%v %s", err, text)
		})
	}
}

// TestReplayedTrailer: an answer that turns out to be a stored one after the head says so in a trailer.
func TestReplayedTrailer(t *testing.T) {
	w := httptest.NewRecorder()
	(&eventWriter{w: w}).writeTrailers(lastEvent{replayed: true})
	assert.Equal(t, w.Header().Get(http.TrailerPrefix+api.HeaderReplayed), "true")
}
