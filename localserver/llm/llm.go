// Package llm declares the interface of a model and the input and output of each step of a turn.
// Package scripted implements the built-in model. Package hosted implements models of providers. A
// model stores nothing. Package personas/engine decides how an evaluation changes a state machine.
package llm

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// A Judge chooses the transition that fits a message. It is safe for concurrent use.
type Judge interface {
	// Evaluate returns the transitions of input.State with satisfied conditions. Evaluate may be
	// slow and respects ctx.
	Evaluate(ctx context.Context, input Input) (Evaluation, error)
}

// A Model judges messages and writes texts for characters. It is safe for concurrent use. Its
// methods may be slow and respect their context.
type Model interface {
	Judge
	// Open writes the opening line of a machine in its initial state. emit is used as in Reply and
	// may be nil.
	Open(ctx context.Context, input Input, emit func(delta string) error) (GeneratedText, error)
	// Reply writes the character's reply to the result of a step. It calls emit with each piece of
	// the text. Reply ends if emit returns an error.
	Reply(ctx context.Context, input Input, result StepResult, emit func(delta string) error) (GeneratedText, error)
	// Summarize returns the previous summary, updated with messages.
	Summarize(ctx context.Context, input Input, messages []Message) (GeneratedText, error)
	// Extract returns the values of the output variables in a finished conversation. A variable
	// without a value is absent.
	Extract(ctx context.Context, input Input, conversation []Message) (Extraction, error)
}

// A Preparer is a model that can process the instructions of a state before the player's next
// message.
type Preparer interface {
	// Prepare sends the instructions for the next message. input.Message is ignored. Prepare may be
	// slow and ignores all errors.
	Prepare(ctx context.Context, input Input)
}

// Input contains everything that a model may use. Models must not modify the documents.
type Input struct {
	Persona *personas.Persona
	Machine *personas.Machine
	// State is the state before the message.
	State  *personas.State
	Player Player
	// Vars are the player's values of shared variables. A missing variable has its default.
	Vars map[string]string
	// Variables may be nil.
	Variables *personas.VariableTable
	// Summary summarises all messages before Recent.
	Summary string
	// Recent are the last messages before Message, oldest first. There are at most 20, or 60 while
	// a summary is late.
	Recent []Message
	// Judged contains the judgements of the conversation's messages, for Extract. It may be shorter
	// than the conversation.
	Judged []Judgement
	// Message is the player's latest message. It is empty for Open.
	Message string
	// MayDirect means that a director's mark at the end of Message determines the verdict.
	MayDirect bool
	// Outgoing are the state's transitions, as indexes into Machine.Transitions in the engine's
	// order.
	Outgoing []int
	// FollowUpAllowed is false directly after a follow-up.
	FollowUpAllowed bool
	// LastTry means that one more failed attempt is a reject.
	LastTry bool
	// InGame means that the evaluation affects a player. It is false for a line of a corpus.
	InGame bool
	// Losing are the transitions that would make the player lose now. -1 is a redirect without a
	// transition.
	Losing []int
	// Asides is the number of consecutive asides directly before this message.
	Asides int
	// Heard is the previous reply to Message if the player took the message back.
	Heard string
}

type Player struct{ Name, Gender string }

// Message is a message of a conversation. Role is "user" or "assistant".
type Message struct{ Role, Text string }

// Judgement is the judgement of a player's message. As is a decision, "follow_up" or "aside". Both
// fields are empty for other messages.
type Judgement struct{ As, State string }

// Evaluation is the judgement of a message.
type Evaluation struct {
	// Matches are the transitions with satisfied conditions. Without Matches, FollowUp and Aside,
	// the evaluation is a redirect.
	Matches []Match
	// FollowUp means that the character should ask for more. Matches is then empty.
	FollowUp bool
	// Aside means that the message is neither an attempt nor a failure. Matches is then empty.
	Aside bool
	// OfflineVerdict is the verdict of the offline model, or nil if the offline model did not
	// decide.
	OfflineVerdict *intent.Verdict
	// Choices contains all choices in the order of the question, the aside last. The probabilities
	// sum to 1. Choices is nil for a judge without probabilities.
	Choices []Choice
	// Method is the judging method, for example "offline", "decisions", "letter" or "json".
	Method string
	// Why explains the evaluation in one sentence, for the trace.
	Why   string
	Usage Usage
	// Took is the time spent waiting for the provider.
	Took time.Duration
}

// Choice is a possible decision about a message.
type Choice struct {
	// Decision is "follow_up", "aside" or the decision of Transition.
	Decision string
	// Transition is an index into Machine.Transitions. It is -1 for a follow-up and for an aside.
	Transition  int
	Probability float64
}

// Loses reports whether the choice makes the player lose by a pass.
func (c *Choice) Loses(m *personas.Machine) bool {
	return c.Transition >= 0 && m.IsLosingPass(&m.Transitions[c.Transition])
}

// PolicyChoices converts the choices for an intent.Policy, without Evidence.
func (e *Evaluation) PolicyChoices(m *personas.Machine) []intent.Choice {
	choices := make([]intent.Choice, len(e.Choices))
	for i := range e.Choices {
		c := &e.Choices[i]
		choices[i] = intent.Choice{Decision: c.Decision, Probability: c.Probability, Loses: c.Loses(m)}
	}
	return choices
}

// Decision returns the name of the decision.
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

// Match is a transition with a satisfied condition.
type Match struct {
	Transition int
	Why        string
}

// StepResult is the engine's result for an evaluation.
type StepResult struct {
	// Decision is empty for a follow-up and for an aside.
	Decision personas.Decision
	FollowUp bool
	// Aside means that the message was an aside without effect. Too many asides are a redirect
	// instead.
	Aside bool
	// OfflineVerdict is Evaluation.OfflineVerdict. Nil makes the offline model evaluate the message
	// itself.
	OfflineVerdict *intent.Verdict
	// Entered is the new state, or nil if the state did not change.
	Entered *personas.State
	// Outcome is set if the machine ended in this step.
	Outcome personas.Outcome
	// Written means that the author's text for the entered state is appended to the reply.
	Written bool
}

// GeneratedText is a text of a model. Why explains the text in the trace.
type GeneratedText struct {
	Text string
	// Withdrawn means that emit received a thought of the model. Text does not contain the thought.
	// Otherwise the emitted pieces add up to Text.
	Withdrawn bool
	Why       string
	Usage     Usage
}

// Extraction contains the values of output variables by key. Why describes the substitute for a
// failed extraction.
type Extraction struct {
	Values map[string]string
	Why    string
	Usage  Usage
}

// Usage is the cost of calls to a model. In and Out are tokens as counted by the provider. Model is
// provider/model, or empty without a provider.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is the part of In from the provider's cache.
	Cached int `json:"cached,omitempty"`
	// Cost is in US dollars.
	Cost float64 `json:"cost,omitempty"`
}

// Plus returns the sum of two usages.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		Model: cmp.Or(other.Model, u.Model),
		In:    u.In + other.In, Out: u.Out + other.Out,
		Cached: u.Cached + other.Cached, Cost: u.Cost + other.Cost,
	}
}

// ExpansionError means that a text is too long after placeholders were replaced.
type ExpansionError struct {
	// Place is the member of the persona document with the text.
	Place string
	// Limit is the maximum length in characters.
	Limit int
}

func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%s has more than %d characters after its placeholders are replaced; "+
		"shorten the text or the values", e.Place, e.Limit)
}
