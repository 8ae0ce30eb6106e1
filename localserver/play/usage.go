package play

import (
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/wire"
)

// The steps of a call that use a model, with their names in traces.
const (
	stepOpen          = "open"
	stepEvaluation    = "evaluation"
	stepResponse      = "response"
	stepSummarization = "summarization"
	stepExtraction    = "extraction"
)

// stepUsage is the cost of each step of a call, by name. Steps without a provider are absent.
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
