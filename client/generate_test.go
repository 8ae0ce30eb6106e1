package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestGenerateIsNotRepeated: a draft is only sent again if it was refused unheard, and has its own time limit.
func TestGenerateIsNotRepeated(t *testing.T) {
	for status, want := range map[int]int{http.StatusBadGateway: 1, http.StatusGatewayTimeout: 1, http.StatusServiceUnavailable: 1, http.StatusTooManyRequests: 2, http.StatusOK: 1} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			calls := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if calls++; calls == 1 && status != http.StatusOK {
					w.WriteHeader(status)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set(wire.HeaderLLMTokensIn, "7")
				_, _ = w.Write([]byte(`{"persona": {"name": "Ilse"}, "warnings": [], "rounds": 2}`))
			}))
			c, err := client.New(client.Options{BaseURL: s.URL, Token: "t", Timeout: time.Nanosecond, ModelTimeout: time.Nanosecond, Retry: client.RetryPolicy{Backoff: time.Nanosecond}})
			assert.NoError(t, err)
			made, err := c.Generate(t.Context(), wire.Generate{Description: "x"})
			assert.Equal(t, calls, want, "%d: called %v", status, err)
			if fine := status == http.StatusOK || status == http.StatusTooManyRequests; (err == nil) != fine || fine && (made.Rounds != 2 || made.Persona.Name != "Ilse" || made.Tokens.In != 7) {
				t.Errorf("%d: %v, %+v", status, err, made)
			}
			s.Close()
		})
	}
}
