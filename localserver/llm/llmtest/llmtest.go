// Package llmtest imitates model providers for tests. A Double is an http.Handler with four wire
// formats. It plays scripts and records requests, and opens no connection.
package llmtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Format is the API of a request.
type Format string

// The formats, recognized by the end of the path.
const (
	OpenAI    Format = "openai"    // POST .../chat/completions
	Anthropic Format = "anthropic" // POST .../messages
	Gemini    Format = "gemini"    // POST .../models/MODEL:generateContent, :streamGenerateContent
	Ollama    Format = "ollama"    // POST .../api/chat
	// Decisions and SystemOne are wire formats of decision models. A double uses them after Decide.
	Decisions Format = "decisions" // POST .../decisions
	SystemOne Format = "systemone" // POST .../systemone
	// Other is any other request, such as a request for a list of models.
	Other Format = ""
)

const maxBody = 16 << 20

// Double is a fake provider. It is safe for concurrent use after its configuration.
type Double struct {
	script   func(Request) Script
	models   []string
	keys     []string
	tokens   bool
	silent   bool
	template string
	decided  Format
	decide   func(Request) Decided

	mu    sync.Mutex
	seen  []Request
	ended []Request
	moved chan struct{}
}

// New returns a double. script returns the answer to a request, possibly concurrently. A nil script
// answers "Hello.".
func New(script func(Request) Script) *Double {
	if script == nil {
		script = func(Request) Script { return Script{Text: "Hello."} }
	}
	return &Double{script: script, moved: make(chan struct{})}
}

// Sequence returns a script that plays the scripts in order, and repeats the last script.
func Sequence(scripts ...Script) func(Request) Script {
	return func(r Request) Script { return scripts[min(r.Number, len(scripts))-1] }
}

// ListModels sets the models. The double rejects all other models.
func (d *Double) ListModels(models ...string) *Double {
	d.models = models
	return d
}

// AcceptKeys sets the valid keys. The double rejects all other keys with 401.
func (d *Double) AcceptKeys(keys ...string) *Double {
	d.keys = keys
	return d
}

// ReportTokens makes the double report probabilities of the first token. Without ReportTokens, the
// double rejects such requests with 400.
func (d *Double) ReportTokens() *Double {
	d.tokens = true
	return d
}

// IgnoreTokens makes the double answer requests for probabilities without probabilities.
func (d *Double) IgnoreTokens() *Double {
	d.silent = true
	return d
}

// DescribeTemplate sets the chat template of all models, as reported by Ollama.
func (d *Double) DescribeTemplate(template string) *Double {
	d.template = template
	return d
}

// Requests returns all requests so far, in order.
func (d *Double) Requests() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen)
}

// TextRequests returns the requests for a text.
func (d *Double) TextRequests() []Request {
	return slices.DeleteFunc(d.Requests(), func(r Request) bool { return r.Format == Other })
}

// LastRequest returns the newest request, or the zero Request.
func (d *Double) LastRequest() Request {
	all := d.Requests()
	if len(all) == 0 {
		return Request{}
	}
	return all[len(all)-1]
}

// AwaitRequests waits until the number of requests is at least count.
func (d *Double) AwaitRequests(ctx context.Context, count int) error {
	return d.awaitCount(ctx, func() bool { return len(d.seen) >= count })
}

// AwaitAbandoned waits until the number of canceled requests is at least count.
func (d *Double) AwaitAbandoned(ctx context.Context, count int) error {
	return d.awaitCount(ctx, func() bool { return len(d.ended) >= count })
}

func (d *Double) awaitCount(ctx context.Context, isReached func() bool) error {
	for {
		d.mu.Lock()
		done, moved := isReached(), d.moved
		d.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *Double) noteChange(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
	close(d.moved)
	d.moved = make(chan struct{})
}

// ServeHTTP answers one request.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	seen := readRequest(r, body)
	if d.template != "" && !strings.Contains(d.template, ".System") && !strings.Contains(d.template, ".Messages") {
		seen.System = ""
	}
	if d.silent {
		seen.Logprobs = false
	}
	if strings.HasSuffix(seen.Path, "/"+string(d.decided)) && d.decided != "" {
		seen.Format = d.decided
	}
	refused := seen.Logprobs && !d.tokens
	if refused {
		seen.Format = Other
	}
	d.noteChange(func() {
		d.seen = append(d.seen, seen)
		seen.Number = len(d.seen)
		d.seen[len(d.seen)-1].Number = seen.Number
	})
	switch {
	case len(d.keys) > 0 && !slices.Contains(d.keys, seen.Key):
		sendFailure(w, seen, Failure{
			Status: http.StatusUnauthorized, Type: "authentication_error", Code: "invalid_api_key",
			Message: "Incorrect API key provided: " + seen.Key,
		})
	case refused:
		sendFailure(w, seen, Failure{
			Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "logprobs is not supported",
		})
	case seen.Format == Other:
		d.answerOther(w, seen)
	case seen.Format == d.decided:
		d.answerDecision(w, seen)
	case d.models != nil && !slices.Contains(d.models, seen.Model):
		sendFailure(w, seen, noModel(seen))
	default:
		d.playScript(w, r, seen)
	}
}

func (d *Double) playScript(w http.ResponseWriter, r *http.Request, seen Request) {
	p := &scriptPlayer{w: w, ctx: r.Context(), seen: seen, script: d.script(seen)}
	if !p.playAnswer() && r.Context().Err() != nil {
		d.noteChange(func() { d.ended = append(d.ended, seen) })
	}
}

func (d *Double) answerOther(w http.ResponseWriter, seen Request) {
	_, model, ok := strings.Cut(seen.Path, "/models/")
	switch {
	case strings.HasSuffix(seen.Path, "/models"):
		writeJSON(w, d.modelList("id", "data", "name", "models"))
	case strings.HasSuffix(seen.Path, "/api/tags"):
		writeJSON(w, d.modelList("name", "models"))
	case strings.HasSuffix(seen.Path, "/key"):
		writeJSON(w, map[string]any{"data": map[string]any{"label": "a key", "limit": nil}})
	case strings.HasSuffix(seen.Path, "/api/version") && d.template != "":
		writeJSON(w, map[string]string{"version": "0.17.4"})
	case strings.HasSuffix(seen.Path, "/api/show"), ok:
		d.describeModel(w, seen, model)
	default:
		sendFailure(w, seen, Failure{Status: http.StatusNotFound, Message: "404 page not found"})
	}
}

func (d *Double) describeModel(w http.ResponseWriter, seen Request, model string) {
	if seen.Model == "" {
		seen.Model = model
	}
	if d.models != nil && !slices.Contains(d.models, seen.Model) {
		sendFailure(w, seen, noModel(seen))
		return
	}
	description := map[string]any{"id": seen.Model, "name": "models/" + seen.Model}
	if d.template != "" {
		description["template"] = d.template
	}
	writeJSON(w, description)
}

func (d *Double) modelList(pairs ...string) map[string]any {
	answer := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		items := []map[string]string{}
		for _, model := range d.models {
			items = append(items, map[string]string{pairs[i]: model})
		}
		answer[pairs[i+1]] = items
	}
	return answer
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	// An error means that the caller has gone away.
	_ = json.NewEncoder(w).Encode(value)
}
