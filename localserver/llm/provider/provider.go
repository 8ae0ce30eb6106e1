// Package provider asks model providers. It knows which provider a model's name
// means, in which format its API is asked, and what its answers and refusals say.
// It knows nothing of personas, keeps nothing, and sends a key nowhere but in a
// header to the provider that it is for.
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
	// System are the instructions. Nothing that a player wrote ever stands here.
	System string
	// Messages are the conversation, oldest first; the first one is a user's.
	Messages []llm.Message
	// Schema asks for an answer that is one JSON value of this shape; nil asks for
	// text.
	Schema *Schema
	// Drawn are the names in the texts and in the schema that were drawn for this request
	// alone. A recording keeps what they stand for.
	Drawn []DrawnName
	// Stop are texts that end the answer where they would come, at most four, for servers
	// that can; who asks has to look for them too.
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
	// Decision asks a decision model for the probabilities of options instead of a text. They
	// come as Answer.First, by the keys of the options; DecisionMatter is that of the matter.
	// System and Messages are what is decided about.
	Decision *Decision
	// Instructed marks a request whose answer is worthless if the model does not see System. A
	// model of Ollama whose template leaves it out is an *Error of the kind Unusable.
	Instructed bool
	// NoThinking asks a model not to think before it answers, where its server has a
	// member for that.
	NoThinking bool
}

// Decision is two questions to a decision model: one for yes or no, and one for a choice.
type Decision struct {
	Wire DecisionWire
	// Matter is the question for yes or no, Yes and No say what each means.
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

// Answer is what a model answered. Where a Schema was asked for, Text is the JSON
// object, without fences or words around it, if there is exactly one; whether it has the
// shape is for who asked to check. Where a thought was given to emit before its end mark
// came, Text is what follows that mark.
type Answer struct {
	Text string
	// Usage names who answered, as provider/model; the numbers are 0 where the
	// provider does not say them.
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

// Finish is why an answer ended.
type Finish string

// The reasons. An answer that the provider refused to give or to go on with is
// Refused: Text is what came before, often nothing.
const (
	Stopped Finish = "stop"
	Length  Finish = "length"
	Refused Finish = "refused"
)

// Asker asks one model: at a provider, or from a recording. It is safe for
// concurrent use.
type Asker interface {
	// Ask asks once and waits for the whole answer; an end of ctx ends the call to
	// the provider too. With emit the answer is streamed: emit gets each piece of
	// the text as it comes, the pieces together are Answer.Text (except for a thought that
	// marks only its end), and an error of emit ends the call with that error. Other errors are *Error. What failed
	// before the first piece may have been asked a second time.
	Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error)
	// Model is who is asked, as provider/model.
	Model() string
	// Place names the model and the address at which it is asked. What is learned about a
	// model is remembered under it. It has no key in it and is not shown to callers.
	Place() string
}
