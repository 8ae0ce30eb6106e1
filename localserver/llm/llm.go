// Package llm declares the interface of a model, with the input and output of each step of a turn.
// Package scripted implements the built-in model, and package hosted implements models of
// providers. A model stores nothing. Package personas/engine, not the model, decides how an
// evaluation changes a state machine.
package llm

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// A Judge decides to which of the open choices a message belongs. Evaluate may be slow, respects
// its context, and is safe for concurrent use.
type Judge interface {
	// Evaluate decides which choice a message belongs to. Evaluation.Matches contains the state's
	// transitions with a condition that the message satisfies.
	Evaluate(ctx context.Context, input Input) (Evaluation, error)
}

// A Model judges messages and writes texts for characters. Every method may be slow, respects its
// context, and is safe for concurrent use.
type Model interface {
	Judge
	// Open writes the opening line of a machine in its initial state, input.State. It calls emit
	// like Reply does. emit may be nil.
	Open(ctx context.Context, input Input, emit func(delta string) error) (GeneratedText, error)
	// Reply writes the character's reply to the result of a step. It calls emit with each piece of
	// the text. Unless Withdrawn is set, the pieces together are Text. If emit returns an error,
	// Reply ends.
	Reply(ctx context.Context, input Input, result StepResult, emit func(delta string) error) (GeneratedText, error)
	// Summarize updates the previous summary with messages and returns the new summary.
	Summarize(ctx context.Context, input Input, messages []Message) (GeneratedText, error)
	// Extract returns the values of the output variables in a finished conversation. A variable
	// without a value is absent.
	Extract(ctx context.Context, input Input, conversation []Message) (Extraction, error)
}

// A Preparer is a model that can read the instructions of a state before the player's next message.
// Then the model's server has the instructions in its cache when the message arrives.
type Preparer interface {
	// Prepare prepares the model for the next message. input is the input for that message, except
	// that Message is missing. Prepare may be slow, and it ignores all errors.
	Prepare(ctx context.Context, input Input)
}

// Input is everything that a model may use. The documents in it are shared and must not be
// modified.
type Input struct {
	Persona *personas.Persona
	Machine *personas.Machine
	// State is the state of the machine before the message.
	State  *personas.State
	Player Player
	// Vars are the player's values of variables that all machines share. A variable without a value
	// has its default.
	Vars map[string]string
	// Variables is a table of the persona's variables. It may be nil.
	Variables *personas.VariableTable
	// Summary summarises all messages before Recent.
	Summary string
	// Recent are the last messages before Message, oldest first. There are at most 20, or up to 60
	// while the summary is not up to date.
	Recent []Message
	// Judged contains the judgement of each message of the conversation, for Extract. It may be
	// shorter than the conversation.
	Judged []Judgement
	// Message is the player's latest message. It is empty for Open.
	Message string
	// MayDirect means that a director's mark at the end of Message determines the verdict. If it is
	// false, such a mark is an ordinary part of the message.
	MayDirect bool
	// Outgoing are the state's transitions, as indexes into Machine.Transitions. They are in the
	// order in which the engine tries them.
	Outgoing []int
	// FollowUpAllowed is false directly after a follow-up.
	FollowUpAllowed bool
	// LastTry means that one more failed attempt is a reject.
	LastTry bool
	// InGame means that the evaluation has consequences for a player. It is false for a line of a
	// corpus.
	InGame bool
	// Losing are the transitions that would make the player lose now. It contains -1 if a redirect
	// without a transition would do so.
	Losing []int
	// Asides is the number of consecutive asides directly before this message.
	Asides int
	// Heard is the previous reply to Message. It is set if the player took the message back to get
	// another reply.
	Heard string
}

// Player is the player who talks to the character.
type Player struct{ Name, Gender string }

// Message is one message of a conversation. Role is "user" or "assistant".
type Message struct{ Role, Text string }

// Judgement is the judgement of a player's message. As is a decision, "follow_up" or "aside". State
// is the key of the state. Both are "" for messages of the character and if the judgement is
// unknown.
type Judgement struct{ As, State string }

// Evaluation is a model's evaluation of a message.
type Evaluation struct {
	// Matches are the transitions with a satisfied condition. If Matches is empty and neither FollowUp
	// nor Aside is set, the evaluation is a redirect.
	Matches []Match
	// FollowUp means that the character should ask for more. Matches is then empty.
	FollowUp bool
	// Aside means that the message is neither an attempt nor a failure. Matches is then empty, and
	// FollowUp is false.
	Aside bool
	// OfflineVerdict is the verdict of the offline model. It is nil if another model evaluated the
	// message, or if a director's mark decided.
	OfflineVerdict *intent.Verdict
	// Choices contains all choices in the order of the question. The aside is the last one. The
	// probabilities sum to 1. Choices is nil if the judge does not report probabilities.
	Choices []Choice
	// Method is the judging method: "offline", "decisions", "letter" or "json".
	Method string
	// Why explains the evaluation in one sentence, for the trace.
	Why   string
	Usage Usage
	// Took is the time spent waiting for the provider.
	Took time.Duration
}

// Choice is one of the possible decisions about a message in a state.
type Choice struct {
	// Decision is "follow_up", "aside" or the decision of Transition.
	Decision string
	// Transition is an index into Machine.Transitions. It is -1 for a follow-up and for an aside.
	Transition  int
	Probability float64
}

// Loses reports whether the choice is a pass that makes the player lose.
func (c *Choice) Loses(m *personas.Machine) bool {
	return c.Transition >= 0 && m.IsLosingPass(&m.Transitions[c.Transition])
}

// PolicyChoices returns the choices of an evaluation for an intent.Policy. Their Evidence is nil.
func (e *Evaluation) PolicyChoices(m *personas.Machine) []intent.Choice {
	choices := make([]intent.Choice, len(e.Choices))
	for i := range e.Choices {
		c := &e.Choices[i]
		choices[i] = intent.Choice{Decision: c.Decision, Probability: c.Probability, Loses: c.Loses(m)}
	}
	return choices
}

// Decision returns the name of the decision of an evaluation.
func (e *Evaluation) Decision(m *personas.Machine) string {
	switch {
	case e.Aside:
		return personas.AsideName
	case e.FollowUp:
		return personas.FollowUpName
	case len(e.Matches) == 0:
		return string(personas.DecideRedirect)
	}
	return string(m.Transitions[e.Matches[0].Transition].Decision)
}

// Match is a transition with a satisfied condition, and the reason.
type Match struct {
	Transition int
	Why        string
}

// StepResult is the engine's result for an evaluation. The reply reacts to it.
type StepResult struct {
	// Decision is the decision of the step. It is empty for a follow-up and for an aside.
	Decision personas.Decision
	FollowUp bool
	// Aside means that the message was an aside without effect. If there are more asides than the
	// state allows, an aside is a redirect instead.
	Aside bool
	// OfflineVerdict is Evaluation.OfflineVerdict. If it is nil, the offline model has to evaluate
	// the message itself.
	OfflineVerdict *intent.Verdict
	// Entered is the state that the step entered, or nil if the state did not change.
	Entered *personas.State
	// Outcome is set if the machine ended in this step.
	Outcome personas.Outcome
	// Written means that the author's text for the entered state is appended to the reply.
	Written bool
}

// GeneratedText is a text that a model wrote. Why explains the text in the trace.
type GeneratedText struct {
	Text string
	// Withdrawn means that a thought of the model was passed to emit before it was recognized as a
	// thought. Text does not contain the thought.
	Withdrawn bool
	Why       string
	Usage     Usage
}

// Extraction contains the values of output variables by key. If the model failed to extract them,
// Why describes the substitute. Otherwise Why is "".
type Extraction struct {
	Values map[string]string
	Why    string
	Usage  Usage
}

// Usage is the cost of calls to a model. In and Out are numbers of tokens, as the provider counts
// them. Model is provider/model, or empty if no provider was asked.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is the number of tokens in In that came from the provider's cache, if the provider
	// reports it.
	Cached int `json:"cached,omitempty"`
	// Cost is the cost in US dollars, if the provider reports it.
	Cost float64 `json:"cost,omitempty"`
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Model: cmp.Or(v.Model, u.Model), In: u.In + v.In, Out: u.Out + v.Out, Cached: u.Cached + v.Cached, Cost: u.Cost + v.Cost}
}

// ExpansionError means that an author's text is too long after its placeholders were replaced.
type ExpansionError struct {
	// Place is the member of the persona document that contains the text.
	Place string
	// Limit is the maximum length in characters.
	Limit int
}

func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%s has more than %d characters after its placeholders are replaced; shorten the text or the values", e.Place, e.Limit)
}
