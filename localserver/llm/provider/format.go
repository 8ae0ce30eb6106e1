package provider

import "strings"

// wireFormat is the encoding of an API's requests and answers.
type wireFormat struct {
	framing    streamKind
	modelsPath string // of the list of models
	codec
}

type codec interface {
	buildRequest(model string, r Request, q quirks, stream bool) (path string, body any)
	authHeaders(key string) map[string]string
	// readWhole reads an answer that is not streamed. readEvent reads one event of a stream. Both
	// add the content to out. They return a *failure, or an error of out.
	readWhole(body []byte, out *answerText) error
	readEvent(data []byte, out *answerText) error
	readModels(body []byte) ([]string, error)
}

// streamKind is the content type of a stream.
type streamKind string

const (
	serverSent streamKind = "text/event-stream"
	jsonLines  streamKind = "application/x-ndjson"
)

var formats = map[Format]wireFormat{
	OpenAI:    {serverSent, "/models", openAI{}},
	Anthropic: {serverSent, "/models?limit=1000", anthropic{}},
	Gemini:    {serverSent, "/models?pageSize=1000", gemini{}},
	Ollama:    {jsonLines, "/api/tags", ollama{}},
}

func instructionsOf(r Request, rung int) string {
	if r.Schema == nil || rung == rungSchema {
		return r.System
	}
	words := "Answer with one JSON object and nothing else: no words around it, no code fence. It must fit this JSON Schema:\n" + string(r.Schema.JSON)
	return strings.TrimPrefix(r.System+"\n\n"+words, "\n\n")
}
