package play

import "github.com/parley-npc/parley/localserver/llm"

// The steps of a call in which a model is asked, as traces and metrics name them.
const (
	StepOpen          = "open"
	StepEvaluation    = "evaluation"
	StepResponse      = "response"
	StepSummarization = "summarization"
	StepExtraction    = "extraction"
)

// Costs are what the steps of a call cost, by their names. A step in which no
// provider was asked is not in it.
type Costs map[string]llm.Usage

func (c Costs) add(step string, u llm.Usage) {
	if u != (llm.Usage{}) {
		c[step] = c[step].Plus(u)
	}
}

// Tokens are what a call cost, as providers count them; zero where none was asked.
type Tokens struct{ In, Out int }

func (c Costs) total() Tokens {
	var sum Tokens
	for _, u := range c {
		sum.In += u.In
		sum.Out += u.Out
	}
	return sum
}
