package provider

import "strings"

type wireFormat interface {
	buildRequest(modelPath string, r Request, q quirks, stream bool) (path string, body any)
	authHeaders(key string) map[string]string
	streamFraming() streamKind
	// reportsTokens reports whether the API may return the probabilities of the model's first tokens.
	// Models that think do not, or return tokens of a thought.
	reportsTokens(model string) bool
	// readWhole reads an answer that is not streamed, and readEvent reads one event of a stream. Both
	// add the content to out, and return a *failure or an error of out.
	readWhole(body []byte, out *answerText) error
	readEvent(data []byte, out *answerText) error
	modelsPath() string
	readModels(body []byte) ([]string, error)
	modelPath(name string) string
}

type streamKind string

const (
	serverSent streamKind = "text/event-stream"
	jsonLines  streamKind = "application/x-ndjson"
)

var formats = map[Format]wireFormat{
	OpenAI:    openAI{},
	Anthropic: anthropic{},
	Gemini:    gemini{},
	Ollama:    ollama{},
}

func instructionsOf(r Request, rung int) string {
	if r.Schema == nil || rung == rungSchema {
		return r.System
	}
	words := "Answer with one JSON object and nothing else: no words around it, no code fence. It must fit this JSON Schema:\n" + string(r.Schema.JSON)
	return strings.TrimPrefix(r.System+"\n\n"+words, "\n\n")
}
