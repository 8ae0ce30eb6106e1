package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	deltaHello = "event: text_delta\ndata: {\"text\":\"Hello\"}\n\n"
	deltaThere = "event: text_delta\ndata: {\"text\":\" there\"}\n\n"
	doneHello  = "event: done\ndata: {\"message\":\"Hello there\",\"score\":2,\"unlocked_machines\":[\"m2\"]}\n\n"
	errorEvent = "event: error\ndata: {\"error\":{\"message\":\"the model failed " + secret + "\",\"code\":\"model-failed\",\"request_id\":\"r9\"}}\n\n"
)

// serveStreams answers with the streams in turn. "CUT" at the end breaks the connection, "STATUS n" refuses.
func serveStreams(t *testing.T, texts ...string) (url string, keys *[]string) {
	t.Helper()
	keys = new([]string)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		text := texts[min(len(*keys), len(texts)-1)]
		*keys = append(*keys, r.Header.Get(wire.HeaderIdempotencyKey))
		var status int
		if _, err := fmt.Sscanf(text, "STATUS %d", &status); err == nil {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		text, cut := strings.CutSuffix(text, "CUT")
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		if cut {
			panic(http.ErrAbortHandler)
		}
	})
	return server.URL, keys
}

func streamMessage(t *testing.T, c *client.Client) (heard string, reply wire.Reply, err error) {
	reply, err = c.StreamMessage(t.Context(), "p1", "", wire.Message{Message: "hi", UserSessionID: "s"}, func(text string) error {
		heard += text + "|"
		return nil
	})
	return heard, reply, err
}

func TestStream(t *testing.T) {
	whole := deltaHello + deltaThere + doneHello
	for name, text := range map[string]string{
		"as the service writes it": "event: metadata\ndata: {\"score\":2}\n\n" + whole,
		"CRLF":                     strings.ReplaceAll(whole, "\n", "\r\n"),
		"CR":                       strings.ReplaceAll(whole, "\n", "\r"),
		"with a byte order mark":   "\ufeff" + whole,
		"comments and fields":      ": hello\n\nid: 7\nretry: 10\nnonsense\n" + strings.ReplaceAll(whole, "\n\n", "\n: ping\nid: 8\n\n"),
		"comments while it waits":  ": waiting\n: waiting\nevent: metadata\ndata: {\"score\":2}\n\n: waiting\n" + whole,
		"several data lines":       strings.Replace(whole, "data: {\"message\":", "data: {\ndata: \"message\":\ndata:", 1),
		"no space, other order":    "data:{\"text\":\"Hello\"}\nevent:text_delta\n\n" + deltaThere + doneHello,
		"unknown events":           "event: ping\ndata: x\n\ndata: nameless\n\nevent: none\n\n" + whole,
		"more behind the end":      whole + errorEvent + "CUT",
	} {
		t.Run(name, func(t *testing.T) {
			url, keys := serveStreams(t, text)
			c, _ := newTestClient(t, url)
			heard, reply, err := streamMessage(t, c)
			assert.NoError(t, err, name)
			assert.Equal(t, heard, "Hello| there|", name)
			assert.Equal(t, reply.Message, "Hello there", name)
			assert.Equal(t, reply.Score, 2, name)
			assert.Equal(t, reply.Unlocked[0], "m2", name)
			if len(*keys) != 1 || (*keys)[0] == "" {
				t.Errorf("%s: keys %q", name, *keys)
			}
		})
	}
}

// TestBrokenStreams: an incomplete stream is an error, and nothing is sent again once text has come.
func TestBrokenStreams(t *testing.T) {
	isBroken := func(err error) bool {
		lost, ok := errors.AsType[*client.UnreachableError](err)
		return ok && lost.Broken
	}
	isStrange := func(err error) bool { _, ok := errors.AsType[*client.NotServiceError](err); return ok }
	isRefusal := func(err error) bool {
		e, ok := errors.AsType[*wire.Error](err)
		return ok && e.Status == 502 && e.Code == wire.CodeModelFailed && e.RequestID == "r9" && e.Message == "the model failed [token]"
	}
	for name, c := range map[string]struct {
		text  string
		is    func(error) bool
		calls int
	}{
		"ends after text":        {deltaHello, isBroken, 1},
		"ends in the last event": {deltaHello + strings.TrimSuffix(doneHello, "\n"), isBroken, 1},
		"cut after text":         {deltaHello + "CUT", isBroken, 1},
		"cut before text":        {"event: metadata\ndata: {}\n\nCUT", isBroken, client.MaxAttempts},
		"empty":                  {"", isBroken, client.MaxAttempts},
		"error after text":       {deltaHello + errorEvent, isRefusal, 1},
		"error before text":      {errorEvent, isRefusal, client.MaxAttempts},
		"final error":            {": waiting\n" + strings.Replace(errorEvent, `"r9"`, `"r9","should_retry":false`, 1), isRefusal, 1},
		"error with a long wait": {strings.Replace(errorEvent, `"r9"`, `"r9","retry_after":3600`, 1), isRefusal, 1},
		"no JSON":                {"event: text_delta\ndata: x\n\n", isStrange, 1},
		"done is no object":      {deltaHello + "event: done\ndata: []\n\n", isStrange, 1},
		"huge event":             {"event: done\ndata: " + strings.Repeat("x", 1<<20) + "\n\n", isStrange, 1},
		"huge event of lines":    {strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 1100), isStrange, 1},
	} {
		t.Run(name, func(t *testing.T) {
			url, keys := serveStreams(t, c.text)
			cl, _ := newTestClient(t, url)
			_, _, err := streamMessage(t, cl)
			if !c.is(err) || len(*keys) != c.calls {
				t.Errorf("%s: called %d times, want %d: %T %v", name, len(*keys), c.calls, err, err)
			}
			for _, key := range *keys {
				if key == "" || key != (*keys)[0] {
					t.Errorf("%s: keys %q", name, *keys)
				}
			}
		})
	}
}

// TestStreamAgain begins again, under the same key, while no text has come.
func TestStreamAgain(t *testing.T) {
	url, keys := serveStreams(t, "STATUS 503", "CUT", errorEvent, deltaHello+deltaThere+doneHello)
	c, slept := newTestClient(t, url)
	heard, _, err := streamMessage(t, c)
	if err != nil || heard != "Hello| there|" || len(*keys) != 4 || len(*slept) != 3 || (*keys)[3] != (*keys)[0] {
		t.Errorf("%q, keys %q, slept %v, %v", heard, *keys, *slept, err)
	}
}

func TestStreamIsRefused(t *testing.T) {
	for _, tt := range []struct {
		status           int
		contentType, is  string
		body, wantedText string
	}{
		{409, "application/json", "*wire.Error", `{"error":"it is finished","code":"machine-finished"}`, "it is finished"},
		{404, "application/json", "*wire.Error", `{"error":{"message":"none ` + secret + `","code":"not-found"}}`, "none [token]"},
		{200, "application/json", "*client.NotServiceError", `{"message":"whole"}`, `"application/json"`},
		{200, "text/html", "*client.NotServiceError", `<html>`, "text/html"},
	} {
		t.Run(fmt.Sprintf("%d with %q", tt.status, tt.wantedText), func(t *testing.T) {
			server := startServer(t, answerWith(tt.status, tt.contentType, tt.body))
			c, _ := newTestClient(t, server.URL)
			_, _, err := streamMessage(t, c)
			assert.Equal(t, fmt.Sprintf("%T", err), tt.is)
			assert.ErrorContains(t, err, tt.wantedText)
		})
	}
}

// TestStreamStops: the callback, the context or a silence ends a stream.
func TestStreamStops(t *testing.T) {
	for name, tt := range map[string]struct {
		stop  func(cancel func()) error
		check func(error) bool
	}{
		"callback": {func(func()) error { return io.ErrShortWrite }, func(err error) bool { return errors.Is(err, io.ErrShortWrite) }},
		"context":  {func(cancel func()) error { cancel(); return nil }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"silence":  {func(func()) error { return nil }, func(err error) bool { _, ok := errors.AsType[*client.TimeoutError](err); return ok }},
	} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan bool, 1)
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				for range 4 { // Together longer than the client's patience with one silence.
					time.Sleep(60 * time.Millisecond)
					_, _ = io.WriteString(w, ": still here\n\n")
					_ = http.NewResponseController(w).Flush()
				}
				_, _ = io.WriteString(w, deltaHello)
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					gone <- true
				case <-time.After(5 * time.Second):
					gone <- false
				}
			})
			c, _ := newTestClient(t, server.URL, func(o *client.Options) { o.ModelTimeout = 150 * time.Millisecond })
			ctx, cancel := context.WithCancel(t.Context())
			heard := 0
			_, err := c.StreamMessage(ctx, "p1", "", wire.Message{Message: "hi", UserSessionID: "s"}, func(string) error {
				heard++
				return tt.stop(cancel)
			})
			cancel()
			assert.Must(t, tt.check(err), "%s: heard %d, %T %v", name, heard, err, err)
			assert.Equal(t, heard, 1, name)
			assert.True(t, <-gone, "%s: heard %d, %T %v", name, heard, err, err)
		})
	}
}

// TestStreamJoinsCutCharacters: a character that a service cuts in two between two pieces is one character.
func TestStreamJoinsCutCharacters(t *testing.T) {
	url, _ := serveStreams(t, "event: text_delta\ndata: {\"text\":\"Hi \\ud83d\"}\n\nevent: text_delta\ndata: {\"text\":\"\\ude00!\"}\n\n"+doneHello)
	c, _ := newTestClient(t, url)
	if heard, _, err := streamMessage(t, c); err != nil || heard != "Hi |😀!|" {
		t.Errorf("%q, %v", heard, err)
	}
}

const doneOpening = "event: done\ndata: {\"message\":\"Hello there\",\"session_id\":\"s1\",\"machine_id\":\"m1\"}\n\n"

func heardOpening(ctx context.Context, c *client.Client) (heard string, opening wire.Opening, err error) {
	opening, err = c.StreamInitSession(ctx, "p1", "gate", wire.InitSession{UserSessionID: "u", PlayerName: "Ann", PlayerGender: "female"}, func(text string) error {
		heard += text + "|"
		return nil
	})
	return heard, opening, err
}

// TestOpeningAsItComes: an opening streams, and comes whole from a service without streams.
func TestOpeningAsItComes(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body, heard string
		want              wire.Tokens
	}{
		"a stream":          {"text/event-stream; charset=utf-8", "event: metadata\ndata: {\"session_id\":\"s1\"}\n\n" + deltaHello + ": waiting\n" + deltaThere + doneOpening, "Hello| there|", wire.Tokens{}},
		"whole":             {"application/json", `{"message":"Hello there","session_id":"s1","machine_id":"m1"}`, "", wire.Tokens{In: 7, Out: 2}},
		"whole, of no type": {"", `{"message":"Hello there","session_id":"s1","machine_id":"m1"}`, "", wire.Tokens{In: 7, Out: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				asked = append(asked, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Accept"))
				assert.True(t, r.Header.Get(wire.HeaderIdempotencyKey) != "", "no key")
				w.Header()["Content-Type"] = []string{c.kind}
				if c.want != (wire.Tokens{}) {
					setTokens(w.Header(), "", "7", "2")
				}
				_, _ = io.WriteString(w, c.body)
			})
			made, _ := newTestClient(t, s.URL)
			heard, opening, err := heardOpening(t.Context(), made)
			assert.NoError(t, err)
			assert.Equal(t, heard, c.heard)
			assert.Equal(t, opening.Message, "Hello there")
			assert.Equal(t, opening.SessionID, "s1")
			assert.Equal(t, opening.Tokens, c.want)
			assert.EqualSlices(t, asked, []string{"POST /api/v1/chat/p1/init-session?machine_id=gate text/event-stream, application/json;q=0.9"})
		})
	}
}

// TestOpeningBreaks: an opening is retried, under one key, only before text has come. Foreign answers are errors.
func TestOpeningBreaks(t *testing.T) {
	isBroken := func(err error) bool {
		lost, ok := errors.AsType[*client.UnreachableError](err)
		return ok && lost.Broken
	}
	isStrange := func(err error) bool { _, ok := errors.AsType[*client.NotServiceError](err); return ok }
	isRefusal := func(err error) bool {
		e, ok := errors.AsType[*wire.Error](err)
		return ok && e.Status == 502 && e.Code == wire.CodeModelFailed
	}
	for name, c := range map[string]struct {
		text  string
		is    func(error) bool
		calls int
	}{
		"ends after text":   {deltaHello, isBroken, 1},
		"cut before text":   {"event: metadata\ndata: {}\n\nCUT", isBroken, client.MaxAttempts},
		"error after text":  {deltaHello + errorEvent, isRefusal, 1},
		"error before text": {errorEvent, isRefusal, client.MaxAttempts},
		"refused":           {"STATUS 503", func(err error) bool { return err != nil }, client.MaxAttempts},
	} {
		t.Run(name, func(t *testing.T) {
			url, keys := serveStreams(t, c.text)
			made, _ := newTestClient(t, url)
			_, _, err := heardOpening(t.Context(), made)
			if !c.is(err) || len(*keys) != c.calls {
				t.Errorf("called %d times, want %d: %T %v", len(*keys), c.calls, err, err)
			}
			for _, key := range *keys {
				if key == "" || key != (*keys)[0] {
					t.Errorf("keys %q", *keys)
				}
			}
		})
	}
	for name, page := range map[string]string{"a page": "<html>", "no JSON": "{", "a list": "[]", "too much": strings.Repeat(" ", client.MaxAnswer+1)} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, page)
			})
			made, _ := newTestClient(t, s.URL)
			_, _, err := heardOpening(t.Context(), made)
			assert.True(t, isStrange(err), "%T %v", err, err)
		})
	}
}

func TestOpeningIsGivenUp(t *testing.T) {
	gone := make(chan struct{}, 2)
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, deltaHello)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	})
	made, _ := newTestClient(t, s.URL)
	ctx, leave := context.WithCancel(t.Context())
	_, err := made.StreamInitSession(ctx, "p1", "", wire.InitSession{}, func(string) error { leave(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
	<-gone
	silent := assert.Value(client.New(client.Options{BaseURL: s.URL, ModelTimeout: 50 * time.Millisecond}))(t)
	_, err = silent.StreamInitSession(t.Context(), "p1", "", wire.InitSession{}, nil)
	assert.Equal(t, assert.ErrorAs[*client.TimeoutError](t, err).After, 50*time.Millisecond)
	<-gone
}

// TestWhatCallsCost: costs are read from headers and trailers. Invalid and missing ones count as nothing.
func TestWhatCallsCost(t *testing.T) {
	for _, c := range []struct {
		in, out string
		want    wire.Tokens
	}{
		{"1200", "34", wire.Tokens{In: 1200, Out: 34}},
		{"", "", wire.Tokens{}},
		{"many", "-3", wire.Tokens{}},
		{"5", "", wire.Tokens{In: 5}},
	} {
		t.Run(fmt.Sprintf("in %q, out %q", c.in, c.out), func(t *testing.T) {
			s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Header.Get("Accept") == "text/event-stream" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, deltaHello+"event: done\ndata: {\"message\":\"Hello\"}\n\n")
					_ = http.NewResponseController(w).Flush() // Only what comes in chunks has trailers.
					setTokens(w.Header(), http.TrailerPrefix, c.in, c.out)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				setTokens(w.Header(), "", c.in, c.out)
				_, _ = io.WriteString(w, `{"message":"Hello"}`)
			})
			made := assert.Value(client.New(client.Options{BaseURL: s.URL}))(t)
			spent := map[string]wire.Tokens{}
			opening, err := made.InitSession(t.Context(), "p1", "", wire.InitSession{})
			spent["opening"] = opening.Tokens
			reply, err2 := made.SendMessage(t.Context(), "p1", "", wire.Message{})
			spent["reply"] = reply.Tokens
			stream, err3 := made.StreamMessage(t.Context(), "p1", "", wire.Message{}, nil)
			spent["stream"] = stream.Tokens
			for _, err := range []error{err, err2, err3} {
				assert.NoError(t, err)
			}
			for what, got := range spent {
				assert.Equal(t, got, c.want, "%q %q: %s cost", c.in, c.out, what)
			}
			made.Close()
		})
	}
}

func setTokens(h http.Header, prefix, in, out string) {
	h.Set(prefix+wire.HeaderLLMTokensIn, in)
	h.Set(prefix+wire.HeaderLLMTokensOut, out)
}

// TestStreamEndsSlowly: a reply is complete with its last event, even if the stream does not end.
func TestStreamEndsSlowly(t *testing.T) {
	gone := make(chan struct{})
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, deltaHello+"event: done\ndata: {\"message\":\"Hello\"}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	made := assert.Value(client.New(client.Options{BaseURL: s.URL}))(t)
	reply := assert.Value(made.StreamMessage(t.Context(), "p1", "", wire.Message{}, nil))(t)
	assert.Equal(t, reply.Message, "Hello")
	assert.Equal(t, reply.Tokens, wire.Tokens{})
	<-gone
}

// TestWholeNumbers: 12.0 and 1e3 are integers, 2.5 is an error, and other numbers are unchanged.
func TestWholeNumbers(t *testing.T) {
	url, _ := serveScript(t, answer{200, "", `{"turns":[{"milliseconds":12.0,"transition":1e0,"usage":{"open":{"in":1e3,"out":0.0}},
		"choices":[{"decision":"pass","probability":0.62},{"decision":"reject","probability":0.38}]}]}`},
		answer{200, "", `{"turns":[{"milliseconds":2.5}]}`})
	c, _ := newTestClient(t, url)
	turn := assert.Value(c.Trace(t.Context(), "p", "s", ""))(t).Turns[0]
	assert.DeepEqual(t, turn.Choices, []wire.TraceChoice{{Decision: "pass", Probability: 0.62}, {Decision: "reject", Probability: 0.38}})
	assert.Equal(t, turn.Milliseconds, 12)
	assert.Equal(t, *turn.Transition, 1)
	assert.Equal(t, turn.Usage["open"], wire.Usage{In: 1000})
	_, err := c.Trace(t.Context(), "p", "s", "")
	assert.ErrorAs[*client.NotServiceError](t, err)
}

func TestTrace(t *testing.T) {
	var uri string
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		uri = r.Method + " " + r.URL.RequestURI()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"session_id":"s","turns":[{"message_id":"m","holds":[{"transition":2,"why":"polite"}],"transition":2,"usage":{"response":{"model":"a/b","in":3,"out":4}}}]}`)
	})
	made := assert.Value(client.New(client.Options{BaseURL: s.URL}))(t)
	trace, err := made.Trace(t.Context(), "p/1", "s 1", "gate")
	assert.NoError(t, err, uri)
	assert.Equal(t, uri, "GET /api/v1/chat/p%2F1/trace?limit=500&machine_id=gate&user_session_id=s+1")
	assert.Equal(t, len(trace.Turns), 1, uri)
	if turn := trace.Turns[0]; *turn.Transition != 2 || turn.Holds[0].Why != "polite" || turn.Usage["response"] != (wire.Usage{Model: "a/b", In: 3, Out: 4}) {
		t.Errorf("%+v", turn)
	}
}
