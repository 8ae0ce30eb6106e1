package hosted_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// localAsker is a scriptedAsker at a given address that judges by letter.
type localAsker struct {
	scriptedAsker
	address string
}

func (a *localAsker) Place() string { return a.address + " " + a.name }

func newLocalAsker(address string) *localAsker {
	a := &localAsker{scriptedAsker{name: "openai/gpt-x", letters: true}, address}
	a.play = func(_ context.Context, r provider.Request, _ func(string) error) (provider.Answer, error) {
		return provider.Answer{Text: "N", First: []provider.TokenProbability{{Token: "N", Probability: 1}}}, nil
	}
	return a
}

// TestPrepare: a model on this machine gets the instructions of the reply and of the judgement
// before the message, and both requests for the message begin with the same bytes.
func TestPrepare(t *testing.T) {
	a := newLocalAsker("http://127.0.0.1:8080/v1")
	m := hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: true})
	input := inputOf(t)
	early := input
	early.Message = ""
	m.Prepare(t.Context(), early)
	assert.Must(t, len(a.seen) == 2, "Prepare sent %d requests, want 2", len(a.seen))
	for i, r := range a.seen {
		assert.Equal(t, r.Step, "prepare", "request %d", i)
		assert.Equal(t, r.MaxTokens, 1, "request %d", i)
	}
	e := assert.Value(m.Evaluate(t.Context(), input))(t)
	assert.Value(m.Reply(t.Context(), input, llm.StepResult{Aside: e.Aside}, func(string) error { return nil }))(t)
	checkSharedStart(t, "reply", a.seen[0], a.seen[3])
	checkSharedStart(t, "judgement", a.seen[1], a.seen[2])
}

// checkSharedStart reports an error unless two requests differ only in the last message.
func checkSharedStart(t *testing.T, name string, early, late provider.Request) {
	t.Helper()
	assert.Equal(t, early.System, late.System, "%s: the instructions differ", name)
	last := len(late.Messages) - 1
	if len(early.Messages) != last+1 || !reflect.DeepEqual(early.Messages[:last], late.Messages[:last]) {
		t.Errorf("%s: the messages before the last one differ:\n%q\n%q", name, early.Messages, late.Messages)
	}
	if early.Messages[last].Text == late.Messages[last].Text {
		t.Errorf("%s: Prepare already contained the message %q", name, late.Messages[last].Text)
	}
}

// TestPrepareSendsNothing: models elsewhere, and models without the option, are not asked.
func TestPrepareSendsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		address  string
		prepares bool
	}{
		"another machine": {"https://api.example.com/v1", true},
		"not enabled":     {"http://127.0.0.1:8080/v1", false},
	} {
		a := newLocalAsker(tt.address)
		hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: tt.prepares}).Prepare(t.Context(), inputOf(t))
		assert.Equal(t, len(a.seen), 0, "%s: Prepare sent", name)
	}
}

// TestPrepareIgnoresErrors: an error of the first request does not prevent the second one.
func TestPrepareIgnoresErrors(t *testing.T) {
	a := newLocalAsker("http://127.0.0.1:8080/v1")
	a.play = func(context.Context, provider.Request, func(string) error) (provider.Answer, error) {
		return provider.Answer{}, &provider.Error{Kind: provider.Down, Message: "down"}
	}
	hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: true}).Prepare(t.Context(), inputOf(t))
	assert.Equal(t, len(a.seen), 2, "Prepare sent")
}
