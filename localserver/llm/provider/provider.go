// Package provider is a client for model providers. It finds the provider for a model's name,
// encodes requests for the provider's API, and decodes answers and errors. It sends a key only to
// the provider of that key, and only in a header.
package provider

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
)

// A Request is one request to a model. It does not depend on the wire format.
type Request struct {
	// Step is the purpose of the request, for traces, metrics and recordings. It is "open",
	// "evaluation", "response", "summarization", "extraction", "prepare", "generation" or "check".
	// It is never sent.
	Step string
	// System contains the instructions. They never contain text of a player.
	System string
	// Messages are the conversation, oldest first. The role of the first message is user.
	Messages []llm.Message
	// Schema, if set, requests one JSON object with this schema instead of a text.
	Schema *Schema
	// Drawn lists the random names that were drawn for this request and occur in its texts and its
	// schema. A recording contains the meanings instead of the names.
	Drawn []DrawnName
	// Temperature is from 0 to 1, or nil for the model's default.
	Temperature *float64
	// MaxTokens is the maximum length of the answer in tokens, or 0 for the model's default if the
	// API allows that.
	MaxTokens int
	// TopTokens is the number of most probable first tokens to report, at most 20. If the model
	// does not support that, Ask returns an *Error of kind Unsupported, or an Answer without First.
	TopTokens int
	// Decision, if set, asks a decision model for the probabilities of options instead of a text.
	// Answer.First then contains the probability of each option, under the key of the option. It
	// also contains the probability of a yes to Matter, under the key DecisionMatter.
	Decision *Decision
	// Instructed means that an answer is worthless if the model does not see System. If Ollama's
	// template for the model omits System, Ask returns an *Error of kind Unusable.
	Instructed bool
	// NoThinking asks the model not to think before it answers. It has an effect only if the server
	// has a request member for it.
	NoThinking bool
}

// A Decision is a pair of questions to a decision model: a yes-or-no question and a choice.
type Decision struct {
	Wire DecisionWire
	// Matter is the yes-or-no question. Yes and No describe the two answers.
	Matter, Yes, No string
	// Verdict is a question. Options are its possible answers.
	Verdict string
	Options []DecisionOption
}

// DecisionOption is one option of a choice. The model sees the key and the text.
type DecisionOption struct{ Key, Text string }

// DecisionWire is a wire format of decision models.
type DecisionWire string

// The wire formats of decision models.
const (
	SystemOne       DecisionWire = "systemone"
	OpenAIDecisions DecisionWire = "decisions"
)

// DecisionMatter is a key in Answer.First. Its value is the probability that the answer to Matter
// is yes.
const DecisionMatter = "matter?"

// Schema is the JSON Schema of a structured answer, of type object. Every object in it requires all
// of its members and forbids others, because the strictest providers demand that.
type Schema struct {
	// Name consists of at most 64 letters, digits, _ and -.
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// An Answer is a model's answer. If the request had a Schema and the answer contains exactly one
// JSON object, Text is only that object. The caller must validate the object.
type Answer struct {
	Text string
	// Usage contains the model that answered, as provider/model, and the cost. A number is 0 if the
	// provider does not report it.
	Usage  llm.Usage
	Finish Finish
	// First are the most probable first tokens, if they were requested and the server reports them.
	First []TokenProbability
}

// TokenProbability is the probability of a token at one position, from 0 to 1.
type TokenProbability struct {
	Token       string  `json:"token"`
	Probability float64 `json:"probability"`
}

// Finish is the reason why an answer ended.
type Finish string

// The reasons. Refused means that the provider refused to start or to continue the answer. Then
// Text is the part before the refusal, which is often empty.
const (
	Stopped Finish = "stop"
	Length  Finish = "length"
	Refused Finish = "refused"
)

// An Asker asks one model of a provider, or a recording. It is safe for concurrent use.
type Asker interface {
	// Ask sends one request and returns the whole answer. If emit is not nil, Ask calls it with
	// each piece of the text as it arrives. The pieces together are Answer.Text, but they may also
	// contain a thought that has only an end mark. If emit returns an error, Ask returns that
	// error. All other errors are *Error.
	Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error)
	// Model returns the model's name, as provider/model.
	Model() string
	// Place returns the model's name and address, without a key. What was learned about the model
	// is stored under this text. Callers do not see it.
	Place() string
}

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

// tokenCount is a number of tokens. Decoding it never fails, because it is only used for
// statistics. "12" and 12.0 are decoded as 12, and any other value as 0.
type tokenCount int

// dollars is the cost of a call, from OpenRouter's member usage.cost. It is decoded like a
// tokenCount.
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

// lenient is an optional value in JSON that is ignored if it has an unexpected shape.
type lenient[T any] struct{ value T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}

// turnTokens are the control tokens that end or begin a turn in common chat templates. If a server
// uses the template of another model, it leaves the tokens in the text, and the model continues as
// the player.
var turnTokens = []string{
	"<|im_end|>", "<|im_start|>", "<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>",
	"<|user|>", "<|assistant|>", "<|system|>", "<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<end_of_turn>", "<start_of_turn>",
	"[INST]", "[/INST]", "</s>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
}

// turnFilter ends a text at the first of the turnTokens, and drops tokens before the first word.
type turnFilter struct {
	// off is set for JSON, which is data and not filtered.
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
		at := strings.IndexAny(text, "<[")
		if at < 0 {
			at = len(text)
		}
		out.WriteString(text[:at])
		f.begun = f.begun || strings.TrimSpace(text[:at]) != ""
		if text = text[at:]; text != "" {
			text = f.takeMark(text, final, &out)
		}
	}
	return out.String()
}

func (f *turnFilter) takeMark(text string, final bool, out *strings.Builder) (rest string) {
	for _, token := range turnTokens {
		if behind, ok := strings.CutPrefix(text, token); ok {
			f.ended = f.begun
			return behind
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
