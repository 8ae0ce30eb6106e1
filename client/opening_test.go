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

const doneOpening = "event: done\ndata: {\"message\":\"Hello there\",\"session_id\":\"s1\",\"machine_id\":\"m1\"}\n\n"

// heardOpening opens a session as a stream and returns the streamed text.
func heardOpening(ctx context.Context, c *client.Client) (heard string, opening wire.Opening, err error) {
	opening, err = c.StreamInitSession(ctx, "p1", "gate", wire.InitSession{UserSessionID: "u", PlayerName: "Ann", PlayerGender: "female"}, func(text string) error {
		heard += text + "|"
		return nil
	})
	return heard, opening, err
}

// TestOpeningAsItComes: an opening streams for players and the SDK, and comes whole from a service without streams.
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
			sdk := assert.Value(newSDK(t, s.URL).StreamInitSession(t.Context(), "p1", "", wire.InitSession{}, nil))(t)
			assert.Equal(t, sdk.Message, "Hello there")
			want := "POST /api/v1/chat/p1/init-session?machine_id=gate text/event-stream, application/json;q=0.9\n" +
				"POST /api/v1/sdk/chat/p1/init-session text/event-stream, application/json;q=0.9"
			assert.Equal(t, strings.Join(asked, "\n"), want, "asked")
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

// TestOpeningIsGivenUp: the context ends a running call, and so does a service that falls silent.
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
	late, ok := errors.AsType[*client.TimeoutError](err)
	assert.True(t, ok && late.After == 50*time.Millisecond, "%T %v", err, err)
	<-gone
}
