package play

import (
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/wire"
)

// The steps of a call in which a model is asked, as traces name them.
const (
	stepOpen          = "open"
	stepEvaluation    = "evaluation"
	stepResponse      = "response"
	stepSummarization = "summarization"
	stepExtraction    = "extraction"
)

// stepUsage is what the steps of a call cost, by their names. A step in which no
// provider was asked is not in it.
type stepUsage map[string]llm.Usage

func (u stepUsage) addStep(step string, cost llm.Usage) {
	if cost != (llm.Usage{}) {
		u[step] = u[step].Plus(cost)
	}
}

func (u stepUsage) totalTokens() wire.Tokens {
	var sum wire.Tokens
	for _, step := range u {
		sum.In += step.In
		sum.Out += step.Out
	}
	return sum
}
