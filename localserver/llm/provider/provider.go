// Package provider is a client for model providers. It maps a model's name to its provider, formats
// the requests of its API, and interprets answers and refusals. It is independent of personas,
// stores nothing, and sends a key only in a header to the key's provider.
package provider

import (
	"context"
	"encoding/json"

	"github.com/parley-npc/parley/localserver/llm"
)

// Request is one question to a model. The same Request means the same to every
// format.
type Request struct {
	// Step names what is asked, for traces, metrics and recordings: "open",
	// "evaluation", "response", "summarization", "extraction", "generation" or
	// "check". It is never sent.
	Step string
	// System are the instructions. They never contain text of a player.
	System string
	// Messages are the conversation, oldest first; the first one is a user's.
	Messages []llm.Message
	// Schema asks for an answer that is one JSON value of this shape; nil asks for
	// text.
	Schema *Schema
	// Drawn are the names in the texts and in the schema that were drawn for this request alone. A
	// recording stores their meanings instead.
	Drawn []DrawnName
	// Stop are at most four texts that end the answer before they would occur, if the server
	// supports that; the caller must search for them too.
	Stop []string
	// Temperature is from 0 to 1; nil leaves it to the model.
	Temperature *float64
	// MaxTokens bounds the answer; 0 leaves it to the model, where its API allows
	// that.
	MaxTokens int
	// TopTokens asks for the probabilities of the most probable first tokens, at most 20.
	// A model that cannot report them is an *Error of the kind Unsupported, or an Answer
	// without First.
	TopTokens int
	// Decision asks a decision model for the probabilities of options instead of a text. They are
	// returned as Answer.First, by the keys of the options; DecisionMatter is that of the matter.
	// System and Messages are the input for the decision.
	Decision *Decision
	// Instructed marks a request with a worthless answer if the model does not see System. A model
	// of Ollama with a template that omits it is an *Error of the kind Unusable.
	Instructed bool
	// NoThinking asks a model not to think before it answers, where its server has a
	// member for that.
	NoThinking bool
}

// Decision is two questions to a decision model: one for yes or no, and one for a choice.
type Decision struct {
	Wire DecisionWire
	// Matter is the question for yes or no; Yes and No describe the meaning of each.
	Matter, Yes, No string
	// Verdict is the question for a choice.
	Verdict string
	Options []DecisionOption
}

// DecisionOption is one of the choices; the model reads its key.
type DecisionOption struct{ Key, Text string }

// DecisionWire is an API of decision models.
type DecisionWire string

// The wires of decision models.
const (
	SystemOne       DecisionWire = "systemone"
	OpenAIDecisions DecisionWire = "decisions"
)

// DecisionMatter is the key of the matter's probability.
const DecisionMatter = "matter?"

// Schema is the shape of a structured answer: a JSON Schema of type object in
// which every object forbids further members and requires all that it names, as
// the strictest of the providers want it.
type Schema struct {
	// Name is a word of at most 64 letters, digits, _ and -.
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// Answer is a model's answer. If a Schema was requested, Text is the JSON object, without fences or
// words around it, if there is exactly one; the caller must validate it. If a thought was passed to
// emit before its end mark arrived, Text is the part after that mark.
type Answer struct {
	Text string
	// Usage contains the model that answered, as provider/model; the numbers are 0 if the provider
	// does not report them.
	Usage  llm.Usage
	Finish Finish
	// First are the most probable first tokens, if the request asked for them and the
	// server reports them.
	First []TokenProbability
}

// TokenProbability is how probable a token was in one place, from 0 to 1.
type TokenProbability struct {
	Token       string
	Probability float64
}

// Finish is the reason why an answer ended.
type Finish string

// The reasons. An answer that the provider refused to give or to continue is Refused: Text is the
// part before that, often empty.
const (
	Stopped Finish = "stop"
	Length  Finish = "length"
	Refused Finish = "refused"
)

// Asker asks one model: at a provider, or from a recording. It is safe for
// concurrent use.
type Asker interface {
	// Ask asks once and waits for the whole answer; an end of ctx ends the call to the provider
	// too. With emit the answer is streamed: emit gets each piece of the text as it arrives, the
	// pieces together are Answer.Text (except for a thought that marks only its end), and an error
	// of emit ends the call with that error. Other errors are *Error. After a failure before the
	// first piece Ask may ask a second time.
	Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error)
	// Model returns the model's name, as provider/model.
	Model() string
	// Place returns the model and its address, without a key. Learned properties of a model are
	// stored under it. It is not shown to callers.
	Place() string
}
