// Package provider is a client for model providers. It encodes requests for the API of a model's
// provider, and decodes answers and errors. It sends a key only to the provider of that key, and
// only in a header.
package provider

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
)

// A Request is a request to a model, independent of the wire format.
type Request struct {
	// Step is the purpose of the request, for traces, metrics and recordings. It is never sent.
	Step string
	// System contains the instructions, without a player's text.
	System string
	// Messages are the conversation, oldest first. The first role is user.
	Messages []llm.Message
	// Schema, if set, requests a JSON object instead of a text.
	Schema *Schema
	// Drawn lists the drawn names in the texts and the schema of the request.
	Drawn []DrawnName
	// Temperature is from 0 to 1, or nil for the model's default.
	Temperature *float64
	// MaxTokens is the maximum length of the answer, or 0 for the model's default.
	MaxTokens int
	// TopTokens is the number of most probable first tokens to report, at most 20. Without support,
	// Ask returns an *Error of kind Unsupported, or an Answer without First.
	TopTokens int
	// Decision, if set, asks a decision model for the probabilities of options. Answer.First
	// contains the probabilities by key. DecisionMatter is the key of a yes to Matter.
	Decision *Decision
	// Instructed means that the model must see System. Ask returns an *Error of kind Unusable if
	// Ollama's template omits System.
	Instructed bool
	// NoThinking asks the model not to think, if the API allows that.
	NoThinking bool
}

// A Decision is a yes-or-no question and a choice for a decision model.
type Decision struct {
	Wire DecisionWire
	// Matter is the yes-or-no question. Yes and No describe its answers.
	Matter, Yes, No string
	// Verdict is the other question. Options are its answers.
	Verdict string
	Options []DecisionOption
}

// DecisionOption is an option of a choice. The model sees both fields.
type DecisionOption struct{ Key, Text string }

// DecisionWire is a wire format of decision models.
type DecisionWire string

// The wire formats of decision models.
const (
	SystemOne       DecisionWire = "systemone"
	OpenAIDecisions DecisionWire = "decisions"
)

// DecisionMatter is the key in Answer.First of a yes to Matter.
const DecisionMatter = "matter?"

// Schema is the JSON Schema of an object. Objects require all members and forbid others, as the
// strictest providers demand.
type Schema struct {
	// Name consists of at most 64 letters, digits, _ and -.
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// An Answer is a model's answer. With a Schema, Text is the JSON object if the answer contains
// exactly one. The caller must validate the object.
type Answer struct {
	Text string
	// Usage contains the model as provider/model, and the cost. Unreported numbers are 0.
	Usage  llm.Usage
	Finish Finish
	// First are the most probable first tokens, if requested and reported.
	First []TokenProbability
}

// TokenProbability is the probability of a token at one position, from 0 to 1.
type TokenProbability struct {
	Token       string  `json:"token"`
	Probability float64 `json:"probability"`
}

// Finish is the reason why an answer ended.
type Finish string

// The reasons. After Refused, Text is the part before the refusal.
const (
	Stopped Finish = "stop"
	Length  Finish = "length"
	Refused Finish = "refused"
)

// An Asker asks one model of a provider, or a recording. It is safe for concurrent use.
type Asker interface {
	// Ask sends a request and returns the whole answer. A non-nil emit receives each piece of the
	// text. A piece may also contain a thought that the answer omits. Ask returns the error of emit
	// unchanged. Other errors are *Error.
	Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error)
	// Model returns the name in the form provider/model.
	Model() string
	// Place returns the model's name and address, as a key for learned properties.
	Place() string
}

type wireFormat struct {
	framing    streamKind
	modelsPath string // of the list of models
	codec
}

type codec interface {
	buildRequest(model string, r Request, q quirks, stream bool) (path string, body any)
	authHeaders(key string) map[string]string
	// Both functions return a *failure, or the error of out.
	readWhole(body []byte, out *answerText) error
	readEvent(data []byte, out *answerText) error
	readModels(body []byte) ([]string, error)
}

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
	words := "Answer with one JSON object and nothing else: no words around it, no code fence. " +
		"It must fit this JSON Schema:\n" + string(r.Schema.JSON)
	return strings.TrimPrefix(r.System+"\n\n"+words, "\n\n")
}

// tokenCount is only for statistics. "12" and 12.0 become 12, and any other value becomes 0.
type tokenCount int

type dollars float64

const maxDollars = 1e6

func (d *dollars) UnmarshalJSON(data []byte) error {
	*d = dollars(readNumber(data, maxDollars))
	return nil
}

func readNumber(data []byte, limit float64) float64 {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		return min(n, limit)
	}
	return 0
}

const maxTokenCount = 1 << 30

func (c *tokenCount) UnmarshalJSON(data []byte) error {
	*c = tokenCount(readNumber(data, maxTokenCount))
	return nil
}

type lenient[T any] struct{ value T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}

// Some servers use the template of another model. These tokens then remain in the text, and the
// model continues as the player.
var turnTokens = []string{
	"<|im_end|>", "<|im_start|>", "<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_of_text|>", "<|endoftext|>",
	"<|end|>", "<|return|>",
	"<|user|>", "<|assistant|>", "<|system|>", "<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<end_of_turn>",
	"<start_of_turn>", "[INST]", "[/INST]", "</s>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
}

type turnFilter struct {
	off          bool
	held         string
	begun, ended bool
}

func (f *turnFilter) filterText(delta string, final bool) string {
	if f.off {
		return delta
	}
	var out strings.Builder
	text := f.held + delta
	f.held = ""
	for text != "" && !f.ended {
		index := strings.IndexAny(text, "<[")
		if index < 0 {
			index = len(text)
		}
		out.WriteString(text[:index])
		f.begun = f.begun || strings.TrimSpace(text[:index]) != ""
		if text = text[index:]; text != "" {
			text = f.takeMark(text, final, &out)
		}
	}
	return out.String()
}

func (f *turnFilter) takeMark(text string, final bool, out *strings.Builder) (rest string) {
	for _, token := range turnTokens {
		if after, ok := strings.CutPrefix(text, token); ok {
			f.ended = f.begun
			return after
		}
		if !final && strings.HasPrefix(token, text) {
			f.held = text
			return ""
		}
	}
	out.WriteString(text[:1])
	f.begun = true
	return text[1:]
}

type anthropic struct{}

// A DrawnName is a random name in one request, for example for a choice. A player cannot guess the
// name.
type DrawnName struct {
	// Meaning is the fixed text in guillemets that Name replaces, such as «1-pass».
	Meaning string
	// Name replaces the meaning in the request.
	Name string
}

type gemini struct{}
