package provider

import "strings"

// format is how one API is asked and how its answers are read.
type format interface {
	// request is the path behind the base address, and the body as a value.
	request(model string, r Request, q quirks, stream bool) (path string, body any)
	// headers say who asks, and in which version of the API.
	headers(key string) map[string]string
	framing() framing
	// whole reads an answer that is no stream, event one piece of a stream. Both
	// add to out what they find; their errors are those of out and *fault.
	whole(body []byte, out *flow) error
	event(data []byte, out *flow) error
	// models is the path of the list of models, list reads it; model is the path
	// of the description of one.
	models() string
	list(body []byte) ([]string, error)
	model(name string) string
}

// framing is how a stream is cut into events.
type framing string

const (
	serverSent framing = "text/event-stream"
	lines      framing = "application/x-ndjson"
)

// formats are the wire formats by name.
var formats = map[Format]format{
	OpenAI:    openAI{},
	Anthropic: anthropic{},
	Gemini:    gemini{},
	Ollama:    ollama{},
}

// accept is the Accept header of a request.
func accept(f format, stream bool) string {
	if stream {
		return string(f.framing())
	}
	return "application/json"
}

// instructions are a request's own and, where the API is not told the shape of
// the answer, words for it.
func instructions(r Request, rung int) string {
	if r.Schema == nil || rung == rungSchema {
		return r.System
	}
	words := "Answer with one JSON object and nothing else: no words around it, no code fence. It must fit this JSON Schema:\n" + string(r.Schema.JSON)
	return strings.TrimPrefix(r.System+"\n\n"+words, "\n\n")
}
