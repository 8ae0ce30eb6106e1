package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// refusals are answers of the providers, from their documentation and their users' reports.
var refusals = []struct {
	model  string
	status int
	body   string
	kind   Kind
	words  string
}{
	{"openai/m", 401, `{"error":{"message":"Incorrect API key provided: Tk7qWz-9***L_x3. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, KeyRefused, "OpenAI refused the key (401)"},
	{"openai/m", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, NoCredit, "no credit left"},
	{"openai/m", 429, `{"error":{"message":"Rate limit reached for gpt-4o","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, Quota, "Rate limit reached"},
	{"openai/m", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","code":"rate_limit_exceeded"}}`, TooLong, ""},
	{"openai/m", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, TooLong, ""},
	{"openai/m", 404, `{"error":{"message":"The model 'gpt-9' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, NoModel, ""},
	{"openai/m", 403, `{"error":{"message":"Project proj_1 does not have access to model gpt-9","type":"invalid_request_error","code":"model_not_found"}}`, NoModel, ""},
	{"openai/m", 400, `{"error":{"message":"Invalid value for 'seed'","type":"invalid_request_error","param":"seed","code":null}}`, BadRequest, "does not accept the request (400): Invalid value"},
	{"openai/m", 500, `{"error":{"message":"The server had an error","type":"server_error"}}`, Down, "failed (500)"},
	{"openai/m", 503, `<html><body>Service Unavailable</body></html>`, Down, "openai/m: OpenAI failed (503)"},
	{"openai/m", 404, `404 page not found`, BadRequest, "/v1"},
	{"openai/m", 404, `{"error":{"message":"Invalid URL (POST /v1/x/chat/completions)","type":"invalid_request_error","param":null,"code":null}}`, BadRequest, "the server has no API at this path (404): Invalid URL"},
	{"vllm/m", 404, `{"detail":"Not Found"}`, BadRequest, "has no API at this path"},
	{"llamacpp/m", 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, BadRequest, "has no API at this path"},
	{"lmstudio/m", 200, `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`, BadRequest, "has no API at this path"},
	{"openrouter/a/b", 404, `{"error":{"code":404,"message":"No endpoints found for a/b."}}`, NoModel, "no model with that name"},
	{"openai/m", 302, ``, Down, "redirect"},
	{"groq/m", 413, `{"error":{"message":"Request too large for model","type":"tokens","code":"rate_limit_exceeded"}}`, TooLong, ""},
	{"groq/m", 400, `{"error":{"message":"The model has been decommissioned","type":"invalid_request_error","code":"model_decommissioned"}}`, NoModel, ""},
	{"groq/m", 400, `{"error":{"message":"Failed to generate JSON","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"x"}}`, Down, ""},
	{"mistral/m", 401, `{"detail":"Unauthorized"}`, KeyRefused, "Unauthorized"},
	{"mistral/m", 400, `{"object":"error","message":"Invalid model: m","type":"invalid_model","param":null,"code":"1500"}`, NoModel, ""},
	{"mistral/m", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}`, BadRequest, "Extra inputs"},
	{"deepseek/m", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, NoCredit, "credit"},
	{"deepseek/m", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, NoModel, ""},
	{"openrouter/a/b", 402, `{"error":{"code":402,"message":"This request requires more credits"}}`, NoCredit, ""},
	{"openrouter/a/b", 400, `{"error":{"code":400,"message":"a/b is not a valid model ID"}}`, NoModel, ""},
	{"openrouter/a/b", 200, `{"error":{"code":502,"message":"Provider returned error"}}`, Down, "Provider returned error"},
	{"openrouter/a/b", 200, `{"error":{"code":429,"message":"Provider returned error"}}`, Quota, ""},
	{"xai/m", 404, `{"code":"Some requested entity was not found","error":"The model m does not exist or your team does not have access to it."}`, NoModel, "does not exist"},
	{"xai/m", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: Tk***x3."}`, KeyRefused, ""},
	{"together_ai/m", 404, `{"id":"x","error":{"message":"Unable to access model m.","type":"invalid_request_error","param":null,"code":"model_not_available"}}`, NoModel, ""},
	{"anthropic/m", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}`, KeyRefused, "Anthropic refused the key (401): invalid x-api-key"},
	{"anthropic/m", 403, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, KeyRefused, ""},
	{"anthropic/m", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`, NoModel, "claude-9"},
	{"anthropic/m", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`, TooLong, ""},
	{"anthropic/m", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, NoCredit, ""},
	{"anthropic/m", 413, `{"type":"error","error":{"type":"request_too_large","message":"no"}}`, TooLong, ""},
	{"anthropic/m", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, Quota, ""},
	{"anthropic/m", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Down, "Overloaded"},
	{"anthropic/m", 500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, Down, ""},
	{"gemini/m", 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, KeyRefused, "Google Gemini refused the key (400)"},
	{"gemini/m", 403, `{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}`, KeyRefused, ""},
	{"gemini/m", 404, `{"error":{"code":404,"message":"models/m is not found for API version v1beta","status":"NOT_FOUND"}}`, NoModel, ""},
	{"gemini/m", 400, `{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, TooLong, ""},
	{"gemini/m", 429, `[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36s"}]}}]`, Quota, "wait 36s"},
	{"gemini/m", 400, `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, BadRequest, "does not serve the country"},
	{"openai/m", 403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","type":"request_forbidden"}}`, BadRequest, "does not serve the country"},
	{"openai/m", 403, `<html><body>Sorry, you have been blocked</body></html>`, Down, "a gateway rejected the call"},
	{"openai/m", 418, `{"error":{"message":"With pleasure, but I am a teapot."}}`, BadRequest, "teapot"},
	{"gemini/m", 503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, Down, ""},
	{"ollama/m", 404, `{"error":"model 'm' not found"}`, NoModel, "`ollama pull`"},
	{"ollama/m", 404, `{"error":"model \"m\" not found, try pulling it first"}`, NoModel, "`ollama pull`"},
	{"ollama/m", 500, `{"error":"llama runner process has terminated"}`, Down, "llama runner"},
	{"ollama/m", 400, `{"error":"invalid options"}`, BadRequest, ""},
	{"lmstudio/m", 404, `{"error":{"message":"model 'm' not found","type":"api_error","param":null,"code":null}}`, NoModel, ""},
	{"llamacpp/m", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, TooLong, ""},
	{"vllm/m", 404, `{"object":"error","message":"The model m does not exist.","type":"NotFoundError","param":null,"code":404}`, NoModel, ""},
	{"vllm/m", 401, `{"error":"Unauthorized"}`, KeyMissing, "vLLM requires a key, and none was sent (401): Unauthorized"},
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(fmt.Sprintf("%s %d %.60s", c.model, c.status, c.body), func(t *testing.T) {
			for _, stream := range []bool{false, true} {
				script := llmtest.Script{Failure: &llmtest.Failure{Status: c.status, Body: c.body}}
				if c.body == "" {
					script.Failure.Body = " "
				}
				if c.status == 200 && stream {
					script = llmtest.Script{Raw: []byte("data: " + c.body + "\n\n")}
				}
				s := newFakeProvider(t, llmtest.New(llmtest.Sequence(script)))
				_, _, err := askPieces(t, s.newAsker(t, c.model), fullRequest(), stream)
				e := mustFail(t, err, c.kind)
				if !strings.Contains(e.Message, c.words) || !strings.HasPrefix(e.Message, c.model+": ") || c.status != 200 && e.Status != c.status {
					t.Errorf("%d %s\nis %+v", c.status, c.body, e)
				}
				assert.True(t, e.Provider+"/"+e.Model == c.model && !strings.ContainsAny(e.Message, "\n\r"), "%+v", e)
			}
		})
	}
}

// A page from another server is reported as such, whole and in a stream.
func TestPagesAreNoAnswers(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<html>Welcome</html>"))
		})
		s := newFakeProvider(t, llmtest.New(nil))
		s.server.Config.Handler = page
		_, _, err := askPieces(t, s.newAsker(t, model), fullRequest(), stream)
		e := mustFail(t, err, Down)
		assert.True(t, strings.Contains(e.Message, "a web page") && strings.Contains(e.Message, "/v1"), err)
	})
}

// TestKeysNameTheirVariable: the error for a refused or missing key names its variable.
func TestKeysNameTheirVariable(t *testing.T) {
	for model, c := range map[string]struct {
		env   func(string) string
		kind  Kind
		words string
	}{
		"gemini/gemini-2.0-flash": {llmtest.Env("GOOGLE_API_KEY", testKey), KeyRefused, "the key in GOOGLE_API_KEY"},
		"vllm/m":                  {nil, KeyMissing, "put one in the environment variable HOSTED_VLLM_API_KEY or VLLM_API_KEY (401)"},
	} {
		s := newFakeProvider(t, llmtest.New(nil).AcceptKeys("another"), func(o *Options) { o.Env = c.env })
		_, _, err := askPieces(t, assert.Value(s.OperatorModel(model))(t), fullRequest(), true)
		assert.Contains(t, mustFail(t, err, c.kind).Message, c.words)
	}
}

// What a provider wrote is one short line of printable characters.
func TestProviderTextIsCleaned(t *testing.T) {
	a := &asker{client: New(Options{}), key: llm.NewSecret(testKey)}
	long := strings.Repeat("ä", 300)
	for said, want := range map[string]string{
		"two\r\nlines\tand\x1b[31m red":          "two lines and[31m red",
		"right\u202eleft\u200b":                  "rightleft",
		"bad \xff\xfe bytes":                     "bad \uFFFD bytes",
		long:                                     strings.Repeat("ä", 200) + "…",
		long[:400]:                               strings.Repeat("ä", 200),
		"key " + testKey + "!":                   "key [key]!",
		"starts " + testKey[:9] + "…":            "starts [key]…",
		"ends …" + testKey[6:]:                   "ends …[key]",
		testKey[:5] + "\x00" + testKey[5:] + "?": "[key]?",
		testKey[:9] + "\n" + testKey[9:]:         "[key] [key]",
		"sk-proj-" + testKey[:3] + "***x3 no":    "[key] no",
		"Bearer abc is bad":                      "[key] is bad",
		"sk-proj-abcdefgh0123 and AIzaSyB12345":  "[key] and [key]",
		"gsk_abcdefghij, xai-abcdefgh":           "[key], [key]",
		"0123456789abcdef0123456789abcdef.":      "[key].",
		"claude-sonnet-4-20250514 is fine":       "claude-sonnet-4-20250514 is fine",
		"":                                       "",
	} {
		t.Run(fmt.Sprintf("%.40q of %d", said, len(said)), func(t *testing.T) { assert.Equal(t, a.cleanText(said), want, said) })
	}
}

func FuzzRefusal(f *testing.F) {
	for _, c := range refusals {
		f.Add(c.status, []byte(c.body), "3")
	}
	c := New(Options{})
	f.Fuzz(func(t *testing.T, status int, body []byte, after string) {
		a := &asker{client: c, target: Target{Provider: "openai", Model: "m"}, provider: Providers[0], keyName: "the key", key: llm.NewSecret(testKey)}
		body = append(body, testKey...)
		for _, fault := range []*failure{readRefusal(status, http.Header{"Retry-After": {after}}, body, time.Unix(0, 0)), readMidStream(body)} {
			e := a.explainFailure(fault)
			assert.Must(t, fault.refused != (fault.kind != ""), "neither refused nor an error: %+v", fault)
			assert.Must(t, !strings.ContainsAny(e.Message, "\r\n\x1b") && len([]rune(e.Message)) <= maxSaid+300 && !strings.Contains(e.Message, testKey),
				"%q", e.Message)
		}
	})
}

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
				assert.Must(t, c.kind != "" || err == nil, err)
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
	e := mustFail(t, err, Down)
	assert.True(t, e.Status == 503 && len(d.TextRequests()) == 2, "asked %d times: %v", len(d.TextRequests()), err)
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
func TestUnreachableServerIsNamed(t *testing.T) {
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
		"a moment is not told":   {500, nil, false, 0},
		"too long is not waited": {429, http.Header{"Retry-After": {"60"}}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := llmtest.New(llmtest.Sequence(llmtest.Script{
				Failure: &llmtest.Failure{Status: c.status, Message: "slow down"}, Header: c.header,
			}, llmtest.Script{Text: "Well."}))
			s := newFakeProvider(t, d, func(o *Options) {
				o.Now = func() time.Time { return now }
				o.Limits.Whole = time.Hour
				o.Rand = func() float64 { return 0.9 }
			})
			var told []wire.WaitNotice
			ctx := wire.WithWaitNotice(t.Context(), func(n wire.WaitNotice) {
				assert.Empty(t, s.waits, "it is told behind the wait")
				told = append(told, n)
			})
			_, _ = s.newAsker(t, "openai/m").Ask(ctx, fullRequest(), nil)
			switch {
			case c.wait == 0 && len(told) != 0, c.wait > 0 && len(told) != 1:
				t.Fatalf("told %+v", told)
			case c.wait > 0 && ((told[0].Reason == wire.WaitRateLimit) != c.limited || told[0].Wait() < c.wait || told[0].Wait() > c.wait+time.Second):
				t.Errorf("told %+v, want %s", told[0], c.wait)
			}
		})
	}
}
