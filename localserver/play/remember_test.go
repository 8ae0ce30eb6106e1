package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSummaryFails lets the summary fail for many turns. Every turn is stored; every prompt reaches
// back to the end of the summary, and is bounded; when the summary works again, it reads each
// message once and in order.
func TestSummaryFails(t *testing.T) {
	for _, failing := range []int{1, 5, 19, 20, 21, 60} {
		t.Run(fmt.Sprint(failing, " times"), func(t *testing.T) { summaryFails(t, failing) })
	}
}

func summaryFails(t *testing.T, failing int) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	told, failed := 0, 0
	st.actor.summarize = func(input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
		if len(messages) > maxUnread || input.Summary != summaryOf(told) {
			t.Errorf("%d messages to summarize, behind the summary %q, want %q", len(messages), input.Summary, summaryOf(told))
		}
		if failed < failing {
			failed++
			return llm.GeneratedText{}, errors.New("the provider is down")
		}
		all := st.history("").Messages
		all = all[:min(told+len(messages), len(all))] // This turn's two are not kept yet.
		for i := told; i < len(all); i++ {
			if all[i].Content != messages[i-told].Text {
				t.Fatalf("message %d is summarized as %q, want %q", i, messages[i-told].Text, all[i].Content)
			}
		}
		told += len(messages)
		return llm.GeneratedText{Text: summaryOf(told)}, nil
	}
	for turn := range failing + 30 {
		said := 3 + 2*turn
		st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
			reachesBack(t, input, said, told)
			return st.actor.Model.Evaluate(ctx, input)
		}
		st.say("", fmt.Sprintf("word%d [[2]]", turn))
	}
	if n := len(st.history("").Messages); failed != failing || n != 3+2*(failing+30) || n-told > window {
		t.Errorf("failed %d times, %d messages kept, the summary tells of %d", failed, n, told)
	}
}

// reachesBack checks that no message is missing between the summary and the prompt's messages:
// messages in neither are quoted after the summary.
func reachesBack(t *testing.T, input llm.Input, said, told int) {
	t.Helper()
	if len(input.Recent) > maxUnread || len(input.Recent) < min(said, window) {
		t.Fatalf("after %d messages a prompt has %d of them", said, len(input.Recent))
	}
	assert.Must(t, strings.HasPrefix(input.Summary, summaryOf(told)),
		"after %d messages, %d of them told, the summary is %q", said, told, input.Summary)
	gap := said - len(input.Recent) - told
	last := said - len(input.Recent) - 1 // the last message that the prompt does not have
	if word := fmt.Sprintf("word%d", (last-3)/2); gap > 0 && last >= 3 && !strings.Contains(input.Summary, word) {
		t.Fatalf("after %d messages %d are nowhere, %q among them: %q", said, gap, word, input.Summary)
	}
	if gap <= 0 && input.Summary != summaryOf(told) {
		t.Fatalf("the summary is %q", input.Summary)
	}
}

// TestSummaryFailsAtTheEnd: a machine ends and its variables are read although the
// summary fails, and the trace says that it did.
func TestSummaryFailsAtTheEnd(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "I wish for gold [[pass]]")
	st.actor.summarize = func(llm.Input, []llm.Message) (llm.GeneratedText, error) {
		return llm.GeneratedText{Usage: llm.Usage{Model: "a/b", In: 3}}, errors.New("the provider is down")
	}
	if r := st.say("", "open [[pass]]"); !r.MachineCompleted || r.Tokens != (wire.Tokens{In: 3}) || st.progress().CrossMachineVars["player_wish"] == "" {
		t.Errorf("%+v, %v", r, st.progress().CrossMachineVars)
	}
	messages := st.trace("alice").Turns
	last := messages[len(messages)-1]
	assert.True(t, strings.Contains(last.Summary, "the provider is down") && last.Usage[stepSummarization].In == 3, "the trace says %+v", last)
}

// TestTurnLimit: the time of a turn is bounded as a whole. A delay before the reply refuses the
// turn; a late summary does not.
func TestTurnLimit(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	st.TurnLimit = time.Nanosecond
	until := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	st.actor.evaluate = func(ctx context.Context, _ llm.Input) (llm.Evaluation, error) { return llm.Evaluation{}, until(ctx) }
	refuses(t, "a late evaluation", checkUnchanged(t, st, "late", func() error {
		_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "open [[pass]]"})
		return err
	}), ModelLate)
	st.TurnLimit = time.Hour
	var limited context.Context
	st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
		limited = ctx
		return st.actor.Model.Evaluate(ctx, input)
	}
	st.actor.summarize = func(llm.Input, []llm.Message) (llm.GeneratedText, error) {
		return llm.GeneratedText{}, context.DeadlineExceeded
	}
	r := st.say("", "open [[pass]]")
	assert.True(t, r.MachineCompleted, "%+v", r)
	_, ok := limited.Deadline()
	assert.True(t, ok && limited.Err() != nil, "the models' time is not bounded, or not given back")
}

// TestWithdrawnThoughtsAreNotKept: if the streamed text contained a thought, the model's final text
// is stored and returned.
func TestWithdrawnThoughtsAreNotKept(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		assert.NoError(t, emit("He lies. "))
		assert.NoError(t, emit("Hm."))
		return llm.GeneratedText{Text: "Hm.", Withdrawn: true}, nil
	}
	r := st.say("", "hm [[redirect]]")
	messages := st.history("").Messages
	kept := messages[len(messages)-1].Content
	assert.True(t, r.Message == "Hm." && kept == "Hm.", "answered %q, kept %q", r.Message, kept)
}

// TestPiecesAreTheMessage: the streamed text is stored byte for byte, even if the model's final
// text differs.
func TestPiecesAreTheMessage(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	pieces := []string{" Hal", "lo, 🐈", "\n\n", "…", "and out. "}
	st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		for _, p := range pieces {
			assert.NoError(t, emit(p))
		}
		return llm.GeneratedText{Text: "Something else."}, nil
	}
	var shown strings.Builder
	r := assert.Value(st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "hm [[redirect]]", Emit: func(p string) error {
		shown.WriteString(p)
		return nil
	}}))(t)
	messages := st.history("").Messages
	kept := messages[len(messages)-1].Content
	want := strings.Join(pieces, "")
	assert.True(t, shown.String() == want && r.Message == want && kept == want, "shown %q, answered %q, kept %q", shown.String(), r.Message, kept)
}
