package llmtest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

type scriptPlayer struct {
	w      http.ResponseWriter
	ctx    context.Context
	seen   Request
	script Script
}

func (p *scriptPlayer) playAnswer() bool {
	if p.script.Wait != nil && !p.waitFor(p.script.Wait) {
		return false
	}
	for name, values := range p.script.Header {
		p.w.Header()[name] = values
	}
	switch {
	case p.script.Failure != nil:
		sendFailure(p.w, p.seen, *p.script.Failure)
		return true
	case p.seen.Stream:
		return p.sendStream()
	}
	p.sendWhole()
	return true
}

func (p *scriptPlayer) waitFor(gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *scriptPlayer) sendWhole() {
	answer := p.script.Raw
	if answer == nil {
		answer = encodeJSON(wireFormats[p.seen.Format].complete(p.seen, p.script))
	}
	p.w.Header().Set("Content-Type", "application/json")
	if p.script.Cut {
		p.w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		p.sendText(string(answer[:len(answer)/2]))
		panic(http.ErrAbortHandler)
	}
	p.sendText(string(answer))
}

func (p *scriptPlayer) sendStream() bool {
	wire := wireFormats[p.seen.Format]
	p.w.Header().Set("Content-Type", wire.contentType)
	if p.script.Raw != nil {
		return p.sendText(string(p.script.Raw))
	}
	begin, pieces, end := wire.stream(p.seen, p.script)
	if !p.sendEvents(begin) {
		return false
	}
	for i := range pieces {
		if !p.sendEvents(pieces[i : i+1]) {
			return false
		}
		if gate := p.script.WaitAfter[i]; gate != nil && !p.waitFor(gate) {
			return false
		}
	}
	switch {
	case p.script.Cut:
		panic(http.ErrAbortHandler)
	case p.script.FailAfter != nil:
		return p.sendEvents([]event{wire.failure(*p.script.FailAfter)})
	case p.script.Unended:
		return true
	}
	return p.sendEvents(end)
}

func (p *scriptPlayer) sendEvents(list []event) bool {
	for _, e := range list {
		if !p.sendText(p.frameEvent(e)) {
			return false
		}
	}
	return true
}

func (p *scriptPlayer) frameEvent(e event) string {
	text := e.data
	if text == "" {
		text = string(encodeJSON(e.value))
	}
	if p.seen.Format == Ollama {
		text += "\n"
	} else {
		text = "data: " + text + "\n\n"
		if e.name != "" {
			text = "event: " + e.name + "\n" + text
		}
	}
	return text
}

func (p *scriptPlayer) sendText(text string) bool {
	size := p.script.Slices
	if size <= 0 {
		size = max(len(text), 1)
	}
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := p.w.Write([]byte(text[:n])); err != nil || p.ctx.Err() != nil {
			return false
		}
		if flusher, ok := p.w.(http.Flusher); ok {
			flusher.Flush()
		}
		text = text[n:]
	}
	return true
}

func sendFailure(w http.ResponseWriter, seen Request, failure Failure) {
	if failure.RetryAfter != "" {
		w.Header().Set("Retry-After", failure.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(failure.Status)
	text := []byte(failure.Body)
	if failure.Body == "" {
		format := seen.Format
		if _, ok := wireFormats[format]; !ok {
			format = otherFormat(seen)
		}
		text = encodeJSON(wireFormats[format].failure(failure).value)
	}
	// An error means that the caller has gone away.
	_, _ = w.Write(text)
}

func otherFormat(seen Request) Format {
	switch {
	case seen.Header.Get("Anthropic-Version") != "":
		return Anthropic
	case seen.Header.Get("X-Goog-Api-Key") != "":
		return Gemini
	case strings.Contains(seen.Path, "/api/") && !strings.Contains(seen.Path, "/v1"):
		return Ollama
	}
	return OpenAI
}

func encodeJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		// Only an invalid schema could cause this error, and the double never encodes one.
		return []byte("null")
	}
	return text
}
