// Package llm declares the interface of a model: the input and output of each step of a turn. A
// model evaluates a player's message, writes the character's reply, and reads a finished
// conversation. The built-in one is scripted, those of providers are hosted. A model never decides
// the effect of an evaluation on a state machine (personas/engine) and stores nothing.
package llm

import (
	"cmp"
	"context"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/judge"
)

// A Judge classifies a message as one of the open choices. Evaluate may be slow, honours its
// context, and is safe for concurrent use.
type Judge interface {
	// Evaluate returns the state's transitions that the message satisfies.
	Evaluate(ctx context.Context, input Input) (Evaluation, error)
}

// Model judges messages and speaks for characters. Every method may be slow, honours
// its context, and is safe for concurrent use.
type Model interface {
	Judge
	// Open writes the opening line of a machine with the initial state input.State. emit is as that
	// of Reply, and may be nil.
	Open(ctx context.Context, input Input, emit func(delta string) error) (GeneratedText, error)
	// Reply writes the character's answer to the result of a step. It calls emit with each piece of
	// the text as it arrives; the pieces together are the reply's Text, unless that is Withdrawn.
	// An error of emit ends the reply with that error.
	Reply(ctx context.Context, input Input, result StepResult, emit func(delta string) error) (GeneratedText, error)
	// Summarize returns a running summary: the previous one updated with messages.
	Summarize(ctx context.Context, input Input, messages []Message) (GeneratedText, error)
	// Extract reads the output variables from a finished conversation. A variable without a value
	// in the conversation is absent.
	Extract(ctx context.Context, input Input, conversation []Message) (Extraction, error)
}

// Input is all that a model may know when it is asked. The documents in it are
// shared and must not be changed.
type Input struct {
	Persona *personas.Persona
	Machine *personas.Machine
	// State is the state for judging the message.
	State  *personas.State
	Player Player
	// Vars are the player's cross-machine variables; a persona variable's
	// default is in for an absent one.
	Vars map[string]string
	// Variables finds the persona's variables by name; nil if the caller does not have a table.
	Variables *personas.VariableTable
	// Summary covers everything before Recent.
	Summary string
	// Recent are the last messages, oldest first, without Message: at most 20, and
	// up to 60 while the summary is behind.
	Recent []Message
	// Judged contains, for Extract, how each message of the conversation was judged; it may be
	// shorter.
	Judged []Judgement
	// Message is the player's latest message; empty for Open.
	Message string
	// MayDirect means that a director's mark at the end of Message chooses the verdict.
	// Without it a mark is the player's text, and chooses nothing.
	MayDirect bool
	// Outgoing are the indexes (into Machine.Transitions) of the state's transitions in the order
	// of the engine.
	Outgoing []int
	// FollowUpAllowed is false right after a follow-up.
	FollowUpAllowed bool
	// LastTry means that the next miss is a reject.
	LastTry bool
	// Asides is how many messages in a row decided nothing before this one.
	Asides int
	// Heard is the reply that the player had to Message before taking it back and asking for
	// other words; empty otherwise.
	Heard string
}

// Player is the player who talks to the character.
type Player struct{ Name, Gender string }

// Message is one message of a conversation; Role is "user" or "assistant".
type Message struct{ Role, Text string }

// Judgement is how a player's message was judged: a decision, "follow_up" or "aside", and the key
// of the state at that time. Both are "" for the character's messages and if unknown.
type Judgement struct{ As, State string }

// Evaluation is a model's interpretation of a message.
type Evaluation struct {
	// Holds are the transitions with a true condition, by index into Machine.Transitions; none is
	// an implicit redirect.
	Holds []Match
	// FollowUp asks to hear more; Holds is empty then.
	FollowUp bool
	// Aside means that the message is neither an attempt nor a failure; Holds is empty
	// and FollowUp false then.
	Aside bool
	// Understood is the verdict of the offline model; nil if another model evaluated, or a
	// director's mark decided.
	Understood *intent.Verdict
	// Choices are all choices with their probabilities, which sum to 1, in the order of the
	// question and the aside last; nil if the judge does not report them.
	Choices []Choice
	// Method is the method of asking the judge: "offline", "decisions", "letter" or "json".
	Method string
	// Why is the trace of the evaluation in one sentence.
	Why   string
	Usage Usage
	// Took is the time spent waiting for a provider.
	Took time.Duration
}

// Choice is one thing that a message may mean in a state.
type Choice struct {
	// Decision is that of the transition, "follow_up" or "aside".
	Decision string
	// Transition is an index into Machine.Transitions; -1 for a follow-up and an aside.
	Transition  int
	Probability float64
}

// Loses reports whether the choice is a pass that ends the part, and the player has lost.
func (c *Choice) Loses(m *personas.Machine) bool {
	return c.Transition >= 0 && m.IsLosingPass(&m.Transitions[c.Transition])
}

// PolicyChoices returns the choices of an evaluation as a policy reads them, without evidence.
func (e *Evaluation) PolicyChoices(m *personas.Machine) []judge.Choice {
	choices := make([]judge.Choice, len(e.Choices))
	for i := range e.Choices {
		c := &e.Choices[i]
		choices[i] = judge.Choice{Decision: c.Decision, Probability: c.Probability, Loses: c.Loses(m)}
	}
	return choices
}

// Decision returns the name of the decision that an evaluation makes.
func (e *Evaluation) Decision(m *personas.Machine) string {
	switch {
	case e.Aside:
		return personas.AsideName
	case e.FollowUp:
		return personas.FollowUpName
	case len(e.Holds) == 0:
		return string(personas.DecideRedirect)
	}
	return string(m.Transitions[e.Holds[0].Transition].Decision)
}

// Match is a transition with a true condition, and the reason.
type Match struct {
	Transition int
	Why        string
}

// StepResult is the engine's result for an evaluation; the reply reacts to it.
type StepResult struct {
	// Decision is the decision that fired; empty for a follow-up and for an aside.
	Decision personas.Decision
	FollowUp bool
	// Aside is an aside that counted as nothing. One beyond the state's patience is a
	// redirect here.
	Aside bool
	// Understood is that of the evaluation; if it is nil, the offline model decides again.
	Understood *intent.Verdict
	// Entered is the state that the step led to; nil when the state stayed.
	Entered *personas.State
	// Outcome is set when the machine ended in this step.
	Outcome personas.Outcome
	// Written means that the author's words for the entered state follow the reply.
	Written bool
}

// GeneratedText is a text that a model wrote, and an explanation.
type GeneratedText struct {
	Text string
	// Withdrawn means that Text leaves out a thought of the model's, which was given to emit
	// before it was known for one.
	Withdrawn bool
	Why       string
	Usage     Usage
}

// Extraction contains the values of output variables in a conversation, by their keys. If the model
// could not read them, Why describes what was done instead; otherwise it is "".
type Extraction struct {
	Values map[string]string
	Why    string
	Usage  Usage
}

// Usage is the cost of a model's work, in tokens as its provider counts them. Model is
// provider/model; it is empty if no provider was asked, as for the offline model.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is how many tokens of In were in the provider's cache, if the provider reports that.
	Cached int `json:"cached,omitempty"`
	// Cost is in US dollars, if the provider reports it.
	Cost float64 `json:"cost,omitempty"`
}

// Plus returns the cost of two pieces of work of one step.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Model: cmp.Or(v.Model, u.Model), In: u.In + v.In, Out: u.Out + v.Out, Cached: u.Cached + v.Cached, Cost: u.Cost + v.Cost}
}
