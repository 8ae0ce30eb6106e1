package localserver

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestWaitsBreakNoCaller: only callers who request wait notices get an answer 102.
func TestWaitsBreakNoCaller(t *testing.T) {
	for _, c := range []struct {
		path, ask       string
		interim, inside bool
	}{
		{wire.PathMessage, "", false, false},
		{wire.PathMessage, "1", true, false},
		{wire.PathMessageStream, "", false, true},
	} {
		t.Run(c.path+c.ask, func(t *testing.T) {
			asked := 0
			h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
				if asked++; asked == 2 {
					return llmtest.Script{Failure: &llmtest.Failure{Status: 429, Message: "slow down", RetryAfter: "1"}}
				}
				return act(r)
			})
			id := h.openGate()
			var interim []string
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
				interim = append(interim, header.Get(wire.HeaderWaitNotice))
				return nil
			}})
			r := assert.Value(http.NewRequestWithContext(ctx, http.MethodPost, h.URL()+wire.Path(c.path, id), strings.NewReader(messageJSON("ann", "hello"))))(t)
			r.Header.Set("Content-Type", "application/json")
			if c.ask != "" {
				r.Header.Set(wire.HeaderTellWaits, c.ask)
			}
			a := assert.Value(http.DefaultClient.Do(r))(t)
			defer func() { _ = a.Body.Close() }()
			body, err := io.ReadAll(a.Body)
			assert.NoError(t, err)
			assert.Equal(t, a.StatusCode, 200)
			assert.Equal(t, a.Header.Get(wire.HeaderWaitNotice), "")
			const notice = `{"reason":"rate-limit","seconds":1`
			assert.True(t, (len(interim) == 1 && strings.HasPrefix(interim[0], notice)) == c.interim && len(interim) <= 1,
				"before the answer: %q", interim)
			assert.True(t, strings.Contains(string(body), "\n: "+wire.CommentWaiting+notice) == c.inside || strings.HasPrefix(string(body), ": "+wire.CommentWaiting+notice) == c.inside,
				"in the answer:\n%s", body)
		})
	}
}
