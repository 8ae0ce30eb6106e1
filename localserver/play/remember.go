package play

import (
	"context"
	"errors"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
)

const (
	window = 20
	// maxUnread limits a prompt while summaries fail.
	maxUnread    = 60
	maxExtracted = 400
)

func (t *turn) recallMessages(ctx context.Context) error {
	session := &t.before.Session
	unsummarized := t.unsummarizedCount()
	if unsummarized <= window {
		return nil
	}
	tail, err := t.service.Store.LastMessages(ctx, session, min(unsummarized, maxExtracted))
	if err != nil {
		return err
	}
	unread := llmMessages(tail)
	gap := max(len(unread)-maxUnread, 0)
	t.input.Recent = unread[gap:]
	if gap == 0 {
		return nil
	}
	input := t.input
	input.Summary = ""
	plain, err := scripted.New().Summarize(ctx, input, unread[:gap])
	t.input.Summary = strings.TrimPrefix(session.Summary+"\n"+plain.Text, "\n")
	return err
}

func (t *turn) unsummarizedCount() int {
	return int(t.before.Session.MessageCount() - t.before.Session.SummaryTo)
}

func (t *turn) updateMemory(ctx context.Context) error {
	if t.result.IsCompleted() && len(t.machine.OutputVariables) > 0 {
		if err := t.extractVariables(ctx); err != nil {
			return err
		}
	}
	unread := t.after.MessageCount() - t.after.SummaryTo
	if !t.result.IsCompleted() && unread < window {
		return nil
	}
	return t.updateSummary(ctx)
}

// The player has already seen the reply, so a failure of the model only postpones the summary.
func (t *turn) updateSummary(ctx context.Context) error {
	messages, err := t.nextToSummarize(ctx)
	if err != nil {
		return err
	}
	input := t.input
	input.Summary = t.before.Session.Summary
	summary, err := askModel(t.service, "summarize", func() (llm.GeneratedText, error) {
		return t.model.Summarize(ctx, input, messages)
	})
	t.costs.add(stepSummarization, summary.Usage)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err != nil:
		t.summaryFailure = "not updated, the next message tries again: " + err.Error()
		return nil //nolint:nilerr // The error is in the trace; the player has the reply.
	}
	t.after.Summary, t.after.SummaryTo = summary.Text, t.after.SummaryTo+int64(len(messages))
	return nil
}

func (t *turn) nextToSummarize(ctx context.Context) ([]llm.Message, error) {
	unsummarized := t.unsummarizedCount()
	if unsummarized <= len(t.input.Recent) {
		latest := t.appendTo(t.input.Recent)
		unread := latest[len(t.input.Recent)-unsummarized:]
		return unread[:min(len(unread), maxUnread)], nil
	}
	session := &t.before.Session
	rows, err := t.service.Store.MessagesFrom(ctx, session, session.SummaryTo, maxUnread)
	return llmMessages(rows), err
}

func (t *turn) appendTo(conversation []llm.Message) []llm.Message {
	return append(conversation[:len(conversation):len(conversation)],
		llm.Message{Role: rolePlayer, Text: t.request.Message},
		llm.Message{Role: roleCharacter, Text: t.reply.Message})
}

// A reply stores the judgement of the message before it.
func judgeMessages(messages []store.Message) []llm.Judgement {
	judged := make([]llm.Judgement, len(messages))
	state := ""
	for i := range messages {
		if messages[i].Role == rolePlayer && i+1 < len(messages) {
			answer := &messages[i+1]
			judged[i] = llm.Judgement{As: nameJudgement(answer.Decision, answer.Aside, answer.FollowUp), State: state}
		}
		if messages[i].Role == roleCharacter {
			state = messages[i].State
		}
	}
	return judged
}

func nameJudgement(decision personas.Decision, isAside, isFollowUp bool) string {
	switch {
	case isAside:
		return personas.AsideName
	case isFollowUp:
		return personas.FollowUpName
	}
	return string(decision)
}

func (t *turn) extractVariables(ctx context.Context) error {
	earlier, err := t.service.Store.LastMessages(ctx, &t.before.Session, maxExtracted-2)
	if err != nil {
		return err
	}
	input := t.input
	now := llm.Judgement{
		As: nameJudgement(t.result.Decision, t.result.Aside, t.result.FollowUp), State: t.input.State.Key,
	}
	input.Judged = append(judgeMessages(earlier), now)
	values, err := askModel(t.service, "extract", func() (llm.Extraction, error) {
		return t.model.Extract(ctx, input, t.appendTo(llmMessages(earlier)))
	})
	t.costs.add(stepExtraction, values.Usage)
	t.extractionReason = values.Why
	if err != nil {
		return t.modelRefusal(ctx, err)
	}
	t.vars = make(map[string]string, len(t.machine.OutputVariables))
	for _, v := range t.machine.OutputVariables {
		if value, ok := values.Values[v.Key]; ok {
			t.vars[v.Key] = value
		}
	}
	return nil
}
