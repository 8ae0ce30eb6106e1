package play

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
)

// maxExtracted is how many messages of a finished conversation are read for its
// output variables; the summary stands for those before them.
const maxExtracted = 400

// remember keeps the summary fresh, so that it tells of all that the next prompt
// does not show, and reads a finished conversation.
func (t *turn) remember(ctx context.Context) error {
	unread := t.after.Messages() - t.after.SummaryTo
	if t.result.Completed() || unread >= window {
		if err := t.summarize(ctx, int(unread)); err != nil {
			return err
		}
	}
	if !t.result.Completed() || len(t.machine.OutputVariables) == 0 {
		return nil
	}
	return t.extract(ctx)
}

// summarize brings the summary up to date with the last messages, this turn's
// included.
func (t *turn) summarize(ctx context.Context, unread int) error {
	latest := t.withTurn(t.scene.Recent)
	summary, err := t.model.Summarize(ctx, t.scene, latest[max(len(latest)-unread, 0):])
	if err != nil {
		return modelFailed(ctx, err)
	}
	t.after.Summary, t.after.SummaryTo = summary, t.after.Messages()
	return nil
}

// withTurn is a conversation with this turn's messages behind it.
func (t *turn) withTurn(conversation []llm.Message) []llm.Message {
	return append(conversation[:len(conversation):len(conversation)],
		llm.Message{Role: rolePlayer, Text: t.request.Message},
		llm.Message{Role: roleCharacter, Text: t.reply.Message})
}

// extract asks for the machine's output variables; what the model gives beyond
// them is left out.
func (t *turn) extract(ctx context.Context) error {
	earlier, err := t.service.Store.Tail(ctx, &t.before.Session, maxExtracted-2)
	if err != nil {
		return err
	}
	scene := t.scene
	scene.Summary = t.after.Summary
	values, err := t.model.Extract(ctx, scene, t.withTurn(spoken(earlier)))
	if err != nil {
		return modelFailed(ctx, err)
	}
	t.vars = make(map[string]string, len(t.machine.OutputVariables))
	for _, v := range t.machine.OutputVariables {
		if value, ok := values[v.Key]; ok {
			t.vars[v.Key] = value
		}
	}
	return nil
}
