package client_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

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
			sdk, err4 := newSDK(t, s.URL).SendMessage(t.Context(), "p1", "", wire.Message{})
			spent["game"] = sdk.Tokens
			sdkStream, err5 := newSDK(t, s.URL).StreamMessage(t.Context(), "p1", "", wire.Message{}, nil)
			spent["game's stream"] = sdkStream.Tokens
			for _, err := range []error{err, err2, err3, err4, err5} {
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

func TestTrace(t *testing.T) {
	var uri string
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		uri = r.Method + " " + r.URL.RequestURI()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"session_id":"s","turns":[{"message_id":"m","holds":[{"transition":2,"why":"polite"}],"transition":2,"usage":{"response":{"model":"a/b","in":3,"out":4}}}]}`)
	})
	made := assert.Value(client.New(client.Options{BaseURL: s.URL}))(t)
	trace, err := made.Trace(t.Context(), "p/1", "s 1", "gate")
	assert.Must(t, err == nil && uri == "GET /api/v1/chat/p%2F1/trace?limit=500&machine_id=gate&user_session_id=s+1" && len(trace.Turns) == 1,
		"%s: %+v, %v", uri, trace, err)
	if turn := trace.Turns[0]; *turn.Transition != 2 || turn.Holds[0].Why != "polite" || turn.Usage["response"] != (wire.Usage{Model: "a/b", In: 3, Out: 4}) {
		t.Errorf("%+v", turn)
	}
}
