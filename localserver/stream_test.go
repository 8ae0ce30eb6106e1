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
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// teller is the offline model with custom replies.
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

// TestStreamBytes compares whole streams, byte by byte: one event line, one data line, an empty
// line, for any text.
func TestStreamBytes(t *testing.T) {
	h := begin(t, telling(pieces("Pass \"then\",\n", "<b>& \r\ngo ", "\u2028é🚪")))
	id, key := h.publishPersona(), h.key(alice)
	hall := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)["machines"].([]any)[1].(map[string]any)["id"]
	for _, side := range []struct{ who, init, stream, unlocked string }{
		{"", wire.PathInitSession, wire.PathMessageStream, `["%s"]`},
		{key, wire.PathSDKInitSession, wire.PathSDKMessageStream, `[{"machine_id":"%s","machine_key":"hall","name":"hall","is_auto_advance":false}]`},
	} {
		t.Run(side.init, func(t *testing.T) {
			h := h.with(t)
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

// TestStreamRefusals: a failure before the first event is an ordinary answer, for a message and for
// an opening.
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
		{"", web, messageJSON("ann", "hi"), nil, 404, wire.CodeNotFound},
		{"", web, messageJSON("bob", "hi"), nil, 404, wire.CodeNotFound},
		{bob, web, messageJSON("bob", "hi"), nil, 409, wire.CodeFinished},
		{"", wire.Path(wire.PathMessageStream, hidden), messageJSON("ann", "hi"), nil, 404, wire.CodeNotFound},
		{"", game, messageJSON("ann", "hi"), nil, 401, wire.CodeUnauthenticated},
		{h.key(bob), game, messageJSON("ann", "hi"), nil, 403, wire.CodeForbidden},
		{key, game, messageJSON("bob", "hi"), nil, 404, wire.CodeNotFound},
		{key, game + "?machine_id=moon", messageJSON("ann", "hi"), nil, 404, wire.CodeNotFound},
		{key, game, messageJSON("ann", strings.Repeat("x", wire.MaxMessage+1)), nil, 422, wire.CodeInvalid},
		{key, game, strings.Repeat(" ", wire.MaxBody+1), nil, 413, wire.CodeTooLarge},
		{key, game, messageJSON("ann", "hi"), down, 502, wire.CodeModelFailed},
		{key, game, messageJSON("ann", "hi"), context.DeadlineExceeded, 504, wire.CodeModelTimeout},
		{"", opens, "{", nil, 400, wire.CodeBadRequest},
		{"", opens, "{}", nil, 422, wire.CodeInvalid},
		{"", opens + "?machine_id=hall", initJSON("ann"), nil, 403, wire.CodeMachineLocked},
		{"", opens + "?machine_id=moon", initJSON("ann"), nil, 404, wire.CodeNotFound},
		{"", wire.Path(wire.PathInitSession, hidden), initJSON("ann"), nil, 404, wire.CodeNotFound},
		{"", gameOpens, initJSON("ann"), nil, 401, wire.CodeUnauthenticated},
		{h.key(bob), gameOpens, initJSON("ann"), nil, 403, wire.CodeForbidden},
		{"", opens, initJSON("ann"), down, 502, wire.CodeModelFailed},
		{key, gameOpens, initJSON("ann"), context.DeadlineExceeded, 504, wire.CodeModelTimeout},
		{"", opens, initJSON("ann") + strings.Repeat(" ", wire.MaxBody+1), nil, 413, wire.CodeTooLarge},
	} {
		t.Run(caseName(c.path, c.status, c.body), func(t *testing.T) {
			h := h.with(t)
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
			t.Run(s.name+" "+code, func(t *testing.T) {
				h := h.with(t)
				fault = f
				got := h.send("", "POST", path, s.body, asEvents...)
				got.want(200)
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

// open begins a stream and returns its lines as they arrive.
func (h *harness) open(ctx context.Context, path, body string) (*bufio.Reader, io.Closer) {
	h.Helper()
	r := assert.Value(http.NewRequestWithContext(ctx, "POST", h.URL()+path, strings.NewReader(body)))(h)
	r.Header.Set("Accept", api.ContentEvents)
	answer := assert.Value(http.DefaultTransport.RoundTrip(r))(h)
	return bufio.NewReader(answer.Body), answer.Body
}

// readUntil reads lines until one has a text in it.
func readUntil(t *testing.T, lines *bufio.Reader, wanted string) {
	t.Helper()
	for {
		line := assert.Value(lines.ReadString('\n'))(t)
		if strings.Contains(line, wanted) {
			return
		}
	}
}

// TestStreamGivenUp disconnects in the middle of a stream: the model's context ends, nothing is
// stored, and the next call is whole.
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

// messages returns the number of stored messages of ann's session.
func (h *harness) messages(id string) int {
	h.Helper()
	history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").want(200)
	return len(history["messages"].([]any))
}

// TestStreamReplay repeats a stored call: the stored answer comes as one piece, as a stream or
// whole, regardless of its first form.
func TestStreamReplay(t *testing.T) {
	told := 0
	h := begin(t, telling(func(ctx context.Context, emit func(string) error) error {
		told++
		return pieces("One ", "two")(ctx, emit)
	}))
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	message := wire.Path(wire.PathMessage, id)
	for i, way := range [][2]string{{message + "/stream", message}, {message, message + "/stream"}} {
		once := []string{wire.HeaderIdempotencyKey, fmt.Sprint("k", i)}
		h.send("", "POST", way[0], messageJSON("ann", "hi"), once...).want(200)
		stream := h.send("", "POST", message+"/stream", messageJSON("ann", "hi"), once...)
		if stream.header.Get(replayedHeader) != "true" || strings.Count(string(stream.body), "event: text_delta\n") != 1 ||
			!strings.Contains(string(stream.body), "data: {\"text\":\"One two\"}\n") || !strings.Contains(string(stream.body), "event: done\n") {
			t.Errorf("%v\n%s", stream.header, stream.body)
		}
		whole := h.send("", "POST", message, messageJSON("ann", "hi"), once...)
		checkJSON(t, whole.want(200), `{"message": "One two"}`)
		h.send("", "POST", way[1], messageJSON("ann", "other"), once...).fails(422, wire.CodeInvalid)
		assert.Equal(t, told, i+1)
		assert.Equal(t, whole.header.Get(replayedHeader), "true")
	}
}

// TestStreamComesAtOnce lets the model continue only when the previous piece has arrived.
func TestStreamComesAtOnce(t *testing.T) {
	arrived := make(chan struct{})
	h := begin(t, telling(func(ctx context.Context, emit func(string) error) error {
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
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	lines, body := h.open(t.Context(), wire.Path(wire.PathMessageStream, id), messageJSON("ann", "hi"))
	defer body.Close()
	for i := 0; i < 3; {
		line := assert.Value(lines.ReadString('\n'))(t)
		if strings.Contains(line, fmt.Sprintf(`"text":"piece %d"`, i)) {
			i++
			arrived <- struct{}{}
		}
	}
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "event: done\n") {
		t.Errorf("%s %v", rest, err)
	}
}

// TestSlowReader reads a long reply slowly, while others are served.
func TestSlowReader(t *testing.T) {
	long := strings.Repeat("word ", 20000)
	h := begin(t, telling(pieces(long, long, long, long, long, long, long, long)))
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	lines, body := h.open(t.Context(), wire.Path(wire.PathMessageStream, id), messageJSON("ann", "hi"))
	defer body.Close()
	for range 5 {
		time.Sleep(10 * time.Millisecond)
		h.send("", "GET", wire.Path(wire.PathPersona, id), "").want(200)
		assert.Value(lines.Discard(50000))(t)
	}
	rest, err := io.ReadAll(lines)
	assert.True(t, err == nil && strings.HasSuffix(string(rest), "}\n\n") && strings.Count(string(rest), "\n\n") >= 5,
		"%d bytes, %v", len(rest), err)
}

// TestStuckReader does not read at all. The writer gives up after its time limit for one event, and
// not before, although the whole answer took longer.
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
