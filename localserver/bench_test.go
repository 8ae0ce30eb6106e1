package localserver

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// talk is a conversation of one player over HTTP that never ends.
type talk struct {
	h             *harness
	url, userBody string
}

const endless = `{"name": "Endless", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m", "early_fail_bound": -1000000,
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"lines": {"redirect": ["Go on."]}, "examples": {"pass": ["here is the key"], "redirect": ["tell me a story"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass", "score_delta": 3}, {"from_state_key": "a", "decision_type": "redirect"}]}]}`

func benchServer(b *testing.B) (*harness, string) {
	b.Helper()
	h := begin(b, inFolder(b.TempDir()), quietly)
	return h, h.publishEndless()
}

// publishEndless publishes a persona with conversations that never end, and returns its id.
func (h *harness) publishEndless() string {
	id := h.send(alice, "POST", wire.PathSave, endless).want(201)["id"].(string)
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	return id
}

func newTalk(h *harness, personaID, userSessionID string) *talk {
	h.send("", "POST", wire.Path(wire.PathInitSession, personaID), initJSON(userSessionID)).want(200)
	return &talk{h, h.URL() + wire.Path(wire.PathMessage, personaID), messageJSON(userSessionID, "tell me a story please")}
}

// turn sends one message and returns the duration of the answer.
func (k *talk) turn(b *testing.B) time.Duration {
	begun := time.Now()
	response, err := k.h.client.Post(k.url, api.ContentJSON, strings.NewReader(k.userBody))
	assert.NoError(b, err)
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if response.StatusCode == http.StatusConflict { // The session has all turns that it takes.
		k.reset(b)
		return k.turn(b)
	}
	if response.StatusCode != http.StatusOK {
		b.Fatalf("status %d", response.StatusCode)
	}
	return time.Since(begun)
}

// reset clears the session.
func (k *talk) reset(b *testing.B) {
	response, err := k.h.client.Post(strings.TrimSuffix(k.url, "message")+"reset", api.ContentJSON, strings.NewReader(k.userBody))
	assert.NoError(b, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		b.Fatalf("reset: status %d", response.StatusCode)
	}
}

func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
	b.ReportMetric(float64(len(times))/b.Elapsed().Seconds(), "turns/s")
}

func BenchmarkTurn(b *testing.B) {
	h, id := benchServer(b)
	k := newTalk(h, id, "ann")
	var times []time.Duration
	for b.Loop() {
		times = append(times, k.turn(b))
	}
	report(b, times)
}

func BenchmarkTurn16Sessions(b *testing.B) {
	h, id := benchServer(b)
	const sessions = 16
	times := make([][]time.Duration, sessions)
	talks := make([]*talk, sessions)
	for i := range talks {
		talks[i] = newTalk(h, id, fmt.Sprintf("ann%d", i))
	}
	b.ResetTimer()
	var group sync.WaitGroup
	for i, k := range talks {
		group.Go(func() {
			for range (b.N + sessions - 1) / sessions {
				times[i] = append(times[i], k.turn(b))
			}
		})
	}
	group.Wait()
	b.StopTimer()
	report(b, slices.Concat(times...))
}

// BenchmarkTurnAtMessage measures a turn early and late in a conversation.
func BenchmarkTurnAtMessage(b *testing.B) {
	for _, at := range []int{10, 10_000} {
		b.Run(fmt.Sprint(at), func(b *testing.B) {
			h, id := benchServer(b)
			k := newTalk(h, id, "ann")
			for range at / 2 {
				k.turn(b)
			}
			b.ResetTimer()
			var times []time.Duration
			for b.Loop() {
				times = append(times, k.turn(b))
			}
			report(b, times)
		})
	}
}

// BenchmarkRequest measures the cost of HTTP itself: the smallest answer and one that needs a token
// and a row.
func BenchmarkRequest(b *testing.B) {
	h, _ := benchServer(b)
	for name, path := range map[string]string{"healthz": "/healthz", "me": wire.PathMe} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.send(alice, "GET", path, "").want(200)
			}
		})
	}
}
