package provider

import (
	"net/http"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestRateLimitIsNoQuota: a rate limit is distinguished from a lack of credit and from the end of a
// day's quota by each provider's own codes, and only the first one causes a wait.
func TestRateLimitIsNoQuota(t *testing.T) {
	const limit, credit, day = "reached the rate limit", "no credit left", "quota of this day"
	for _, c := range []struct{ model, body, want string }{
		{"openai/m", `{"error":{"message":"Rate limit reached for gpt-4o","type":"requests","code":"rate_limit_exceeded"}}`, limit},
		{"openai/m", `{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, credit},
		{"openai/m", `{"error":{"message":"Your account is not active","type":"billing_not_active","code":"billing_not_active"}}`, credit},
		{"anthropic/m", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}`, limit},
		{"gemini/m", `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"retryDelay":"2s"}]}}`, limit},
		{"gemini/m", `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`, day},
		{"groq/m", `{"error":{"message":"Rate limit reached on requests per minute (RPM): Limit 30","type":"requests","code":"rate_limit_exceeded"}}`, limit},
		{"groq/m", `{"error":{"message":"Rate limit reached on tokens per day (TPD): Limit 100000","type":"tokens","code":"rate_limit_exceeded"}}`, day},
		{"openrouter/m", `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}`, day},
		{"mistral/m", `{"object":"error","message":"Requests rate limit exceeded","type":"rate_limited","code":"1300"}`, limit},
		{"ollama/m", `{"error":"too many requests"}`, limit},
	} {
		t.Run(c.model+" "+c.want, func(t *testing.T) {
			d := llmtest.New(func(llmtest.Request) llmtest.Script {
				return llmtest.Script{Failure: &llmtest.Failure{Status: 429, Body: c.body}}
			})
			s := newFakeProvider(t, d)
			_, _, err := askPieces(t, s.newAsker(t, c.model), fullRequest(), true)
			kind := Quota
			if c.want == credit {
				kind = NoCredit
			}
			e := mustFail(t, err, kind)
			assert.Contains(t, e.Message, c.want)
			assert.NotContains(t, e.Message, "quota left")
			waited := len(s.waits) > 0
			assert.Equal(t, waited, c.want == limit, "waited for: %v", s.waits)
		})
	}
}

// TestWaitsAreNoticed: a wait is announced before it begins, with its length.
func TestWaitsAreNoticed(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status  int
		header  http.Header
		limited bool
		wait    time.Duration
	}{
		"a rate limit":           {429, http.Header{"Retry-After": {"7"}}, true, 7 * time.Second},
		"milliseconds":           {429, http.Header{"Retry-After-Ms": {"1500"}}, true, 1500 * time.Millisecond},
		"busy":                   {503, http.Header{"Retry-After": {"3"}}, false, 3 * time.Second},
		"overloaded":             {529, http.Header{"Retry-After": {"4"}}, false, 4 * time.Second},
		"OpenAI's own headers":   {429, http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6.5s"}, "X-Ratelimit-Remaining-Requests": {"9"}, "X-Ratelimit-Reset-Requests": {"1h0m0s"}}, true, 6500 * time.Millisecond},
		"Anthropic's own":        {429, http.Header{"Anthropic-Ratelimit-Requests-Remaining": {"0"}, "Anthropic-Ratelimit-Requests-Reset": {"2026-03-01T12:00:09Z"}}, true, 9 * time.Second},
		"OpenRouter's own":       {429, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1772366405000"}}, true, 5 * time.Second},
		"a moment is not told":   {500, nil, false, 0},
		"too long is not waited": {429, http.Header{"Retry-After": {"60"}}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &llmtest.Failure{Status: c.status, Message: "slow down"}, Header: c.header}, llmtest.Script{Text: "Well."}))
			s := newFakeProvider(t, d, func(o *Options) {
				o.Now = func() time.Time { return now }
				o.Limits.Whole = time.Hour
				o.Rand = func() float64 { return 0.9 }
			})
			var told []llm.WaitNotice
			ctx := llm.WithWaitNotice(t.Context(), func(n llm.WaitNotice) {
				assert.Empty(t, s.waits, "it is told behind the wait")
				told = append(told, n)
			})
			_, _ = s.newAsker(t, "openai/m").Ask(ctx, fullRequest(), nil)
			switch {
			case c.wait == 0 && len(told) != 0, c.wait > 0 && len(told) != 1:
				t.Fatalf("told %+v", told)
			case c.wait > 0 && (told[0].RateLimited != c.limited || told[0].For < c.wait || told[0].For > c.wait+time.Second):
				t.Errorf("told %+v, want %s", told[0], c.wait)
			}
		})
	}
}
