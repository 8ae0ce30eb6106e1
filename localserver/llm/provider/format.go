package provider

import "strings"

// wireFormat is how one API is asked and how its answers are read.
type wireFormat interface {
	// buildRequest is the path behind the base address, and the body as a value.
	buildRequest(modelPath string, r Request, q quirks, stream bool) (path string, body any)
	// authHeaders returns the headers with the key and the version of the API.
	authHeaders(key string) map[string]string
	streamFraming() streamKind
	// reportsTokens reports whether the API may have the probabilities of a model's first
	// tokens. Models that think refuse to report them, or begin with a thought.
	reportsTokens(model string) bool
	// readWhole reads an answer that is not streamed, event one piece of a stream. Both add their
	// content to out; their errors are those of out and *failure.
	readWhole(body []byte, out *answerText) error
	readEvent(data []byte, out *answerText) error
	// modelsPath is the path of the list of models, list reads it; model is the
	// path of the description of one.
	modelsPath() string
	readModels(body []byte) ([]string, error)
	modelPath(name string) string
}

// streamKind is how events are separated in a stream.
type streamKind string

const (
	serverSent streamKind = "text/event-stream"
	jsonLines  streamKind = "application/x-ndjson"
)

// formats are the wire formats by name.
var formats = map[Format]wireFormat{
	OpenAI:    openAI{},
	Anthropic: anthropic{},
	Gemini:    gemini{},
	Ollama:    ollama{},
}

// acceptHeader returns the Accept header of a request.
func acceptHeader(f wireFormat, stream bool) string {
	if stream {
		return string(f.streamFraming())
	}
	return "application/json"
}

// instructionsOf returns a request's instructions and, if the API does not get the schema of the
// answer, words for it.
func instructionsOf(r Request, rung int) string {
	if r.Schema == nil || rung == rungSchema {
		return r.System
	}
	words := "Answer with one JSON object and nothing else: no words around it, no code fence. It must fit this JSON Schema:\n" + string(r.Schema.JSON)
	return strings.TrimPrefix(r.System+"\n\n"+words, "\n\n")
}
