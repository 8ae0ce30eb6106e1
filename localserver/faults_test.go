package localserver

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// faulty returns a server with rules, and a client that does not compare the answers with the
// document, because a rule can return a status that an endpoint does not have.
func faulty(t testing.TB, rules ...string) *harness {
	t.Helper()
	h := begin(t, func(o *Options) {
		for _, text := range rules {
			rule := assert.Value(api.ParseFault(text))(t)
			o.Faults = append(o.Faults, rule)
		}
	})
	h.client.CloseIdleConnections()
	h.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	return h
}

var faultCodes = map[int]string{
	400: wire.CodeBadRequest, 401: wire.CodeUnauthenticated, 403: wire.CodeForbidden, 404: wire.CodeNotFound, 409: wire.CodeConflict,
	413: wire.CodeTooLarge, 422: wire.CodeInvalid, 500: wire.CodeInternal, 502: wire.CodeModelFailed, 503: wire.CodeUnavailable, 504: wire.CodeModelTimeout,
}

// TestFaultsAreDocumentedErrors: a rule's answers are errors of the service, on both sides.
func TestFaultsAreDocumentedErrors(t *testing.T) {
	for _, status := range api.FaultStatuses {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			h := faulty(t, "path=/history,status="+strconv.Itoa(status), "path=/session,status="+strconv.Itoa(status))
			web := h.send("", "GET", wire.Path(wire.PathHistory, "x")+"?user_session_id=ann", "")
			games := h.send(h.key(alice), "GET", wire.Path(wire.PathSDKSession, "x")+"?user_session_id=ann", "")
			for _, answer := range []replied{web, games} {
				if status == http.StatusTooManyRequests {
					wait := answer.want(status)
					assert.Must(t, len(wait) == 1, "429: %s %v", answer.body, answer.header)
					assert.Equal(t, answer.header.Get(wire.HeaderRetryAfter), "1", answer.path)
					assert.Contains(t, wait["error"].(string), "try again in 1 second", answer.path)
					continue
				}
				answer.fails(status, faultCodes[status])
			}
		})
	}
}

// TestFaultKeepsNothing: a request answered by a rule never reaches a handler.
func TestFaultKeepsNothing(t *testing.T) {
	h := faulty(t, "status=503,retry-after=7,every=2,path=/message")
	id := h.openGate()
	var got []int
	for range 6 {
		answer := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "tell me more"))
		got = append(got, answer.status)
		assert.True(t, answer.status != 503 || answer.header.Get(wire.HeaderRetryAfter) == "7", "headers %v", answer.header)
	}
	assert.EqualSlices(t, got, []int{200, 503, 200, 503, 200, 503})
	assert.Equal(t, h.messages(id), 1+2*3, "messages are kept want the opening and three turns")
}

// TestFaultsLeaveTheRestAlone: rules do not apply to the pages for operating the server.
func TestFaultsLeaveTheRestAlone(t *testing.T) {
	h := faulty(t, "status=500")
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics"} {
		h.send("", "GET", path, "").want(200)
	}
	h.send("", "GET", wire.PathPersonas, "").fails(500, wire.CodeInternal)
}

func TestLatency(t *testing.T) {
	h := faulty(t, "latency=80ms,path=/personas", "latency=60ms,path=/api")
	begun := time.Now()
	h.send("", "GET", wire.PathPersonas, "").want(200)
	took := time.Since(begun)
	assert.True(t, took >= 140*time.Millisecond, "it took %s", took)
}

func TestLatencyEndsWithTheCaller(t *testing.T) {
	h := faulty(t, "latency=5m,path=/message")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	url, body := h.URL()+wire.Path(wire.PathMessage, "x"), strings.NewReader(messageJSON("ann", "hello"))
	r := assert.Value(http.NewRequestWithContext(ctx, http.MethodPost, url, body))(t)
	if answer, err := h.client.Do(r); err == nil {
		discard(answer)
		t.Fatalf("status %d", answer.StatusCode)
	}
	for begun := time.Now(); h.inFlight() > 0; time.Sleep(5 * time.Millisecond) {
		assert.Must(t, time.Since(begun) <= patience, "the request is still waiting")
	}
}

func (h *harness) inFlight() int { return int(h.telemetry.InFlight.Get()) }
