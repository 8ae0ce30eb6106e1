package llmtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// questions ask the same in each format, whole and as a stream.
var questions = map[Format][2]string{
	OpenAI: {
		`POST /v1/chat/completions {"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"temperature":0.5,"max_tokens":7,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}}`,
		`POST /v1/chat/completions {"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"c"}]}`,
	},
	Anthropic: {
		`POST /v1/messages {"model":"m","max_tokens":7,"system":"S","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"temperature":0.5,"tools":[{"name":"n","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"n"}}`,
		`POST /v1/messages {"model":"m","max_tokens":7,"stream":true,"messages":[{"role":"user","content":"c"}]}`,
	},
	Gemini: {
		`POST /v1beta/models/m:generateContent {"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]}],"generationConfig":{"temperature":0.5,"maxOutputTokens":7,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`,
		`POST /v1beta/models/m:streamGenerateContent?alt=sse {"contents":[{"role":"user","parts":[{"text":"c"}]}]}`,
	},
	Ollama: {
		`POST /api/chat {"model":"m","stream":false,"messages":[{"role":"system","content":"S"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"format":{"type":"object"},"options":{"temperature":0.5,"num_predict":7}}`,
		`POST /api/chat {"model":"m","messages":[{"role":"user","content":"c"}]}`,
	},
}

func sendQuestion(t *testing.T, d *Double, question string) *httptest.ResponseRecorder {
	t.Helper()
	method, rest, _ := strings.Cut(question, " ")
	path, body, _ := strings.Cut(rest, " ")
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer k")
	d.ServeHTTP(w, r)
	return w
}

func TestReadsEveryFormat(t *testing.T) {
	for format, pair := range questions {
		t.Run(string(format), func(t *testing.T) {
			d := New(Sequence(Script{Text: `{"x":1}`, In: 3, Out: 4}))
			whole := sendQuestion(t, d, pair[0]).Body.String()
			r := d.LastRequest()
			if r.Format != format || r.Model != "m" || r.System != "S" || r.Stream || r.Key != "k" || r.MaxTokens != 7 || *r.Temperature != 0.5 {
				t.Errorf("%s: %+v", format, r)
			}
			assert.True(t, len(r.Messages) == 3 && r.Messages[1] == (Message{"assistant", "b"}) && r.LastMessage() == "c",
				"%s: %+v", format, r.Messages)
			assert.True(t, string(r.Schema) == `{"type":"object"}` && r.JSON, "%s: schema %s", format, r.Schema)
			assert.True(t, json.Valid([]byte(whole)) && strings.Contains(whole, `x`), "%s: %s", format, whole)
			stream := sendQuestion(t, d, pair[1])
			if r := d.LastRequest(); !r.Stream || r.Number != 2 || r.JSON || len(d.TextRequests()) != 2 {
				t.Errorf("%s: %+v", format, r)
			}
			if !strings.Contains(stream.Body.String(), `x`) || stream.Header().Get("Content-Type") == "application/json" {
				t.Errorf("%s: %s", format, stream.Body)
			}
		})
	}
}

func TestKeysAndModels(t *testing.T) {
	d := New(nil).AcceptKeys("other")
	for _, pair := range questions {
		w := sendQuestion(t, d, pair[0])
		assert.True(t, w.Code == 401 && strings.Contains(w.Body.String(), "Incorrect API key"), "%d %s", w.Code, w.Body)
	}
	d = New(nil).ListModels("other")
	for _, pair := range questions {
		w := sendQuestion(t, d, pair[0])
		assert.True(t, w.Code == 404 && strings.Contains(w.Body.String(), "m"), "%d %s", w.Code, w.Body)
	}
	for path, want := range map[string]int{"/v1/models": 200, "/api/tags": 200, "/v1/key": 200, "/v1/models/other": 200, "/v1/models/m": 404, "/nothing": 404} {
		t.Run(path, func(t *testing.T) {
			assert.Equal(t, sendQuestion(t, d, "GET "+path).Code, want)
		})
	}
}

// The double notices a caller who goes away, and a wait ends with its channel.
func TestWaits(t *testing.T) {
	gate := make(chan struct{})
	d := New(Sequence(Script{Text: "a", Wait: gate}))
	server := httptest.NewServer(d)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ask := func() (string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/api/chat", strings.NewReader(`{"model":"m"}`))
		if err != nil {
			return "", err
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	}
	result := make(chan error, 1)
	go func() {
		_, err := ask()
		result <- err
	}()
	assert.NoError(t, d.AwaitRequests(t.Context(), 1))
	cancel()
	err := <-result
	assert.True(t, err != nil, "answered before the gate opened")
	if err := d.AwaitAbandoned(t.Context(), 1); err != nil || len(d.AbandonedRequests()) != 1 {
		t.Errorf("%v, %v", err, d.AbandonedRequests())
	}
	ctx = t.Context()
	close(gate)
	if text, err := ask(); err != nil || !strings.Contains(text, `"content":"a"`) {
		t.Errorf("%q, %v", text, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	assert.True(t, d.AwaitRequests(ended, 99) != nil, "waiting has no end")
}

func TestSequence(t *testing.T) {
	d := New(Sequence(Script{Text: "one"}, Script{Text: "two"}))
	for i, want := range []string{"one", "two", "two"} {
		assert.Contains(t, sendQuestion(t, d, questions[Ollama][0]).Body.String(), want, "answer %d", i)
	}
}
