package localserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// handClock is a clock that a test controls: each wait reports its length, and ends when the test
// says so.
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

// endWait ends the last wait, which must have the given length.
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

// streamSlowly begins a stream with an evaluation that waits for goOn, which also determines its
// result.
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
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	return h, clock, goOn, func() (*http.Response, *bufio.Reader) {
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.URL()+wire.Path(wire.PathMessageStream, id), strings.NewReader(messageJSON("ann", "hm [[redirect]]")))
		assert.NoError(t, err)
		answer := assert.Value(http.DefaultTransport.RoundTrip(r))(t)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer, bufio.NewReader(answer.Body)
	}
}

// TestStreamShowsThatItWaits: while the model judges, the head comes after half a second and a
// comment every ten seconds. Then the events follow as usual.
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
	if err != nil || !strings.HasPrefix(string(rest), "event: metadata\ndata: {") || !strings.Contains(string(rest), "event: done\n") {
		t.Errorf("%v %s", err, rest)
	}
}

// TestStreamFailsAfterItsHead: a later failure is an event, with its code.
func TestStreamFailsAfterItsHead(t *testing.T) {
	h, clock, goOn, openStream := streamSlowly(t)
	go clock.endWait(t, headDelay)
	answer, lines := openStream()
	goOn <- errors.New("down")
	text, err := io.ReadAll(lines)
	if want := ": waiting\nevent: error\ndata: {\"error\":{\"message\":"; err != nil || !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), wire.CodeModelFailed) ||
		!strings.Contains(string(text), answer.Header.Get(wire.HeaderRequestID)) {
		t.Errorf("%v %s", err, text)
	}
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
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
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
			if text, err := io.ReadAll(lines); err != nil || !strings.Contains(string(text), c.words) {
				t.Errorf("%v %s", err, text)
			}
		})
	}
}

// TestStreamFailsBeforeItsHead: an immediate failure is an ordinary answer.
func TestStreamFailsBeforeItsHead(t *testing.T) {
	_, _, goOn, openStream := streamSlowly(t)
	go func() { goOn <- errors.New("down") }()
	answer, body := openStream()
	text, err := io.ReadAll(body)
	assert.True(t, err == nil && answer.StatusCode == 502 && answer.Header.Get("Content-Type") == api.ContentJSON, "%v %v %s", answer, err, text)
}

// TestStreamsOfOneKey: the second stream under a key waits for the first, shows exactly the stored
// text, and announces in a trailer that it is a stored answer.
func TestStreamsOfOneKey(t *testing.T) {
	takes, told, goOn := []string{"One.", "Two."}, make(chan struct{}, 2), make(chan struct{})
	clock, withClock := withHandClock()
	h := begin(t, withClock, telling(func(ctx context.Context, emit func(string) error) error {
		take := takes[0]
		takes = takes[1:]
		if err := emit(take); err != nil {
			return err
		}
		told <- struct{}{}
		<-goOn
		return nil
	}))
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	texts, trailers := make([]string, 2), make([]string, 2)
	done := make(chan struct{}, 2)
	sendStream := func(i int) {
		defer func() { done <- struct{}{} }()
		r, _ := http.NewRequestWithContext(t.Context(), "POST", h.URL()+wire.Path(wire.PathMessageStream, id), strings.NewReader(messageJSON("ann", "hm [[redirect]]")))
		r.Header.Set(wire.HeaderIdempotencyKey, "k")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		assert.True(t, err == nil, err)
		texts[i], trailers[i] = string(body), answer.Trailer.Get(replayedHeader)
	}
	go sendStream(0)
	<-told
	<-clock.asked
	go sendStream(1)
	clock.endWait(t, headDelay) // One of the two sends its head.
	clock.endWait(t, commentInterval)
	close(goOn)
	<-done
	<-done
	for i, text := range texts {
		assert.Contains(t, text, `{"text":"One."}`, "stream %d", i)
		assert.Contains(t, text, `event: done`+"\n"+`data: {"message":"One."`, "stream %d", i)
		assert.NotContains(t, text, "Two.", "stream %d", i)
	}
	if trailers[0] != "" || trailers[1] != "true" && !strings.HasPrefix(texts[1], "event: metadata") {
		t.Errorf("trailers %q", trailers)
	}
	n := h.messages(id)
	assert.True(t, n == 3 && len(takes) == 1, "%d messages are kept, the model was asked %d times", n, 2-len(takes))
}
