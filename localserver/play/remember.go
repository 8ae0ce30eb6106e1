package play

import (
	"context"
	"errors"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
)

const (
	// window is how many of the last messages a prompt has; the summary stands for
	// all before them (docs/decisions/play.md, model-sees).
	window = 20
	// maxUnread is how many messages a prompt and a call for a summary have at most
	// while the summary is behind, because it could not be written
	// (docs/decisions/play.md, summary-late).
	maxUnread = 60
	// maxExtracted is how many messages of a finished conversation are read for its
	// output variables; the summary stands for those before them
	// (docs/decisions/play.md, extraction).
	maxExtracted = 400
)

// recall gives the scene what was said before. Usually that is the summary and the
// last messages. While the summary is behind, the messages reach back to where it
// ends, and beyond maxUnread of them the older ones are told in a plain summary
// that is not kept: nothing is missing between the two, and a later summary
// reads the messages themselves.
func (t *turn) recall(ctx context.Context) error {
	n := &t.before.Session
	behind := t.behind()
	if behind <= window {
		return nil
	}
	tail, err := t.service.Store.Tail(ctx, n, min(behind, maxExtracted))
	if err != nil {
		return err
	}
	unread := spoken(tail)
	gap := max(len(unread)-maxUnread, 0)
	t.scene.Recent = unread[gap:]
	if gap == 0 {
		return nil
	}
	scene := t.scene
	scene.Summary = ""
	plain, err := llm.NewOffline().Summarize(ctx, scene, unread[:gap])
	t.scene.Summary = strings.TrimPrefix(n.Summary+"\n"+plain.Text, "\n")
	return err
}

// behind is how many messages before this turn the summary does not tell of.
func (t *turn) behind() int {
	return int(t.before.Session.Messages() - t.before.Session.SummaryTo)
}

// remember reads a finished conversation, and keeps the summary fresh, so that it
// tells of all that the next prompt does not show.
func (t *turn) remember(ctx context.Context) error {
	if t.result.Completed() && len(t.machine.OutputVariables) > 0 {
		if err := t.extract(ctx); err != nil {
			return err
		}
	}
	unread := t.after.Messages() - t.after.SummaryTo
	if !t.result.Completed() && unread < window {
		return nil
	}
	return t.summarize(ctx)
}

// summarize brings the summary up to date with what it does not tell of yet, this
// turn included. The player has seen the reply, so a failure undoes nothing: the
// summary stays as it is, and the next turn tries again.
func (t *turn) summarize(ctx context.Context) error {
	messages, err := t.unsummarized(ctx)
	if err != nil {
		return err
	}
	scene := t.scene
	scene.Summary = t.before.Session.Summary
	summary, err := t.model.Summarize(ctx, scene, messages)
	t.costs.add(StepSummarization, summary.Usage)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err != nil:
		t.unread = "not brought up to date, the next message tries again: " + err.Error()
		return nil //nolint:nilerr // The trace has it; the player has the reply.
	}
	t.after.Summary, t.after.SummaryTo = summary.Text, t.after.SummaryTo+int64(len(messages))
	return nil
}

// unsummarized are the messages that the summary is to read next: the oldest that
// it does not tell of.
func (t *turn) unsummarized(ctx context.Context) ([]llm.Message, error) {
	behind := t.behind()
	if behind <= len(t.scene.Recent) {
		latest := t.withTurn(t.scene.Recent)
		unread := latest[len(t.scene.Recent)-behind:]
		return unread[:min(len(unread), maxUnread)], nil
	}
	n := &t.before.Session
	rows, err := t.service.Store.Span(ctx, n, n.SummaryTo, maxUnread)
	return spoken(rows), err
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
	values, err := t.model.Extract(ctx, t.scene, t.withTurn(spoken(earlier)))
	t.costs.add(StepExtraction, values.Usage)
	if err != nil {
		return t.modelFailed(ctx, err)
	}
	t.vars = make(map[string]string, len(t.machine.OutputVariables))
	for _, v := range t.machine.OutputVariables {
		if value, ok := values.Values[v.Key]; ok {
			t.vars[v.Key] = value
		}
	}
	return nil
}
