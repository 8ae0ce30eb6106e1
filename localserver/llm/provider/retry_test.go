package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// What may be over in a moment is asked for once more, everything else is not.
func TestRetries(t *testing.T) {
	ok := llmtest.Script{Text: "Hm."}
	cases := []struct {
		name    string
		failure llmtest.Failure
		asked   int
		kind    Kind
		waits   []time.Duration
	}{
		{"500", llmtest.Failure{Status: 500, Message: "oops"}, 2, "", []time.Duration{time.Second}},
		{"503", llmtest.Failure{Status: 503, Message: "no", RetryAfter: "3"}, 2, "", []time.Duration{3 * time.Second}},
		{"529", llmtest.Failure{Status: 529, Type: "overloaded_error"}, 2, "", []time.Duration{time.Second}},
		{"429", llmtest.Failure{Status: 429, Message: "slow down"}, 2, "", []time.Duration{time.Second}},
		{"429 with a wait", llmtest.Failure{Status: 429, RetryAfter: "20"}, 2, "", []time.Duration{20 * time.Second}},
		{"429 with a wait too long", llmtest.Failure{Status: 429, RetryAfter: "21"}, 1, Quota, nil},
		{"no credit", llmtest.Failure{Status: 429, Code: "insufficient_quota", Type: "insufficient_quota", Message: "insufficient_quota: you exceeded your quota"}, 1, NoCredit, nil},
		{"400", llmtest.Failure{Status: 400, Message: "no"}, 1, BadRequest, nil},
		{"401", llmtest.Failure{Status: 401, Message: "no"}, 1, KeyRefused, nil},
		{"404", llmtest.Failure{Status: 404, Message: "model not found"}, 1, NoModel, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			runInEach(t, func(t *testing.T, model string, stream bool) {
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &c.failure}, ok))
				s := newFakeProvider(t, d)
				_, _, err := askPieces(t, s.newAsker(t, model), fullRequest(), stream)
				if c.kind == "" && err != nil {
					t.Fatal(err)
				}
				kind := c.kind
				if kind == KeyRefused && strings.HasPrefix(model, "ollama/") {
					kind = KeyMissing
				}
				if kind != "" {
					mustFail(t, err, kind)
				}
				if len(d.TextRequests()) != c.asked || len(s.waits) != len(c.waits) || len(c.waits) > 0 && s.waits[0] != c.waits[0] {
					t.Errorf("asked %d times, waits %v", len(d.TextRequests()), s.waits)
				}
			})
		})
	}
}

func TestOnlyOneRetry(t *testing.T) {
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &llmtest.Failure{Status: 503, Message: "no"}}))
	_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "openai/gpt-4o"), fullRequest(), true)
	if e := mustFail(t, err, Down); e.Status != 503 || len(d.TextRequests()) != 2 {
		t.Errorf("asked %d times: %v", len(d.TextRequests()), err)
	}
}

// A wait that the deadline does not leave time for is an answer at once.
func TestNoTimeToWait(t *testing.T) {
	for remaining, asked := range map[time.Duration]int{7 * time.Second: 2, 5 * time.Second: 1} {
		t.Run(fmt.Sprint(remaining), func(t *testing.T) {
			now := time.Now()
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &llmtest.Failure{Status: 429, RetryAfter: "5"}}, llmtest.Script{Text: "a"}))
			s := newFakeProvider(t, d, func(o *Options) { o.Now = func() time.Time { return now } })
			ctx, cancel := context.WithDeadline(t.Context(), now.Add(remaining))
			_, err := s.newAsker(t, "openai/gpt-4o").Ask(ctx, fullRequest(), nil)
			cancel()
			assert.Equal(t, len(d.TextRequests()), asked, "%s left: asked", remaining)
			if asked == 1 {
				assert.Equal(t, mustFail(t, err, Quota).RetryAfter, 5*time.Second)
			}
		})
	}
}

// For an unreachable server the error contains the address, after a second attempt.
func TestNobodyThere(t *testing.T) {
	s := newFakeProvider(t, llmtest.New(nil))
	s.server.Close()
	_, _, err := askPieces(t, s.newAsker(t, "ollama/llama3.2"), fullRequest(), true)
	e := mustFail(t, err, Down)
	assert.True(t, len(s.waits) == 1 && strings.Contains(e.Message, "`ollama serve`"), "%v, waits %v", err, s.waits)
}

func TestReadRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name, after, afterMs string
		want                 time.Duration
	}{
		{"none", "", "", 0},
		{"seconds", "7", "", 7 * time.Second},
		{"a part of a second", "0.5", "", 500 * time.Millisecond},
		{"one below a day", "86399", "", 86399 * time.Second},
		{"a day", "86400", "", 24 * time.Hour},
		{"one past a day", "86401", "", 24 * time.Hour},
		{"a date", now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute},
		{"a date past a day", now.Add(48 * time.Hour).Format(http.TimeFormat), "", 24 * time.Hour},
		{"a past date", now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
		{"milliseconds come first", "9", "250", 250 * time.Millisecond},
		{"milliseconds that are none", "9", "soon", 9 * time.Second},
		{"neither can be read", "soon", "-1", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"Retry-After": {tt.after}, "Retry-After-Ms": {tt.afterMs}}
			assert.Equal(t, readRetryAfter(header, now), tt.want)
		})
	}
}

// redirected answers with a redirect to another host, to which no key may go.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := llmtest.New(nil)
	far := newFakeProvider(t, other)
	problem := llmtest.Failure{Status: 307, Body: "{}"}
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &problem, Header: http.Header{"Location": {far.server.URL + "/v1/chat/completions"}}}))
	_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "openai/gpt-4o"), fullRequest(), true)
	if mustFail(t, err, Down); len(other.Requests()) != 0 {
		t.Errorf("the key went to another host: %v", err)
	}
}
