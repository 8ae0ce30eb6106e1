package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

var _ llm.Preparer = (*Model)(nil)

// Prepare sends the requests for the next reply and the next judgement without the player's
// message. The model's server then has the instructions in its cache. With a model of 1.5 billion
// parameters on two cores, the first judgement in a state takes 0.5 s afterwards, instead of 12 to
// 17 s. The judgement is sent last, because some servers cache only the last request. Only models
// on this machine are asked, because other models cost money.
func (m *Model) Prepare(ctx context.Context, input llm.Input) {
	if !m.steps.Prepares {
		return
	}
	// If the last message is the character's, some servers continue it. So a message of the player
	// must follow.
	input.Message = "…"
	if a := m.steps.Response; a != nil && provider.RunsHere(a) {
		if r, err := m.steps.Prompts.BuildReply(input, llm.StepResult{Aside: true}); err == nil {
			r.MaxTokens = 1
			_, _ = preparingAsker{a}.Ask(ctx, r, nil)
		}
	}
	if a := m.steps.Evaluation; a != nil && provider.RunsHere(a) {
		_, _ = m.steps.newHostedJudge(preparingAsker{a}).Evaluate(ctx, input)
	}
}

type preparingAsker struct{ provider.Asker }

func (p preparingAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	r.Step = prompt.StepPrepare
	return p.Asker.Ask(ctx, r, emit)
}

// Prepare prepares only the operator's model.
func (m CallerModels) Prepare(ctx context.Context, input llm.Input) {
	if p, ok := m.Model.(llm.Preparer); ok {
		p.Prepare(ctx, input)
	}
}
