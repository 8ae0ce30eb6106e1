package hosted_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestBuiltInJudgeWithAVoice: the built-in judge decides without a request, a model replies, and
// the author's lines for the entered state follow.
func TestBuiltInJudgeWithAVoice(t *testing.T) {
	input := inputOf(t)
	input.State.Offline.Examples.Pass = personas.NewExamples("I am here for a wedding.", "I came to see my sister.")
	input.Message = "I am here for a wedding."
	voice := scriptAnswers(answerWith("How ", "lovely."))
	m := hosted.New(hosted.Options{Response: voice})
	e, err := m.Evaluate(t.Context(), input)
	assert.Must(t, err == nil && len(e.Holds) == 1 && e.Holds[0].Transition == 0 && e.Usage == (llm.Usage{}),
		"%+v, %v", e, err)
	said := ""
	result := llm.StepResult{Decision: personas.DecidePass, Understood: e.Understood, Entered: &input.Machine.States[1]}
	reply, err := m.Reply(t.Context(), input, result, func(delta string) error { said += delta; return nil })
	want := "How lovely.\n\nThree rules."
	assert.True(t, err == nil && said == want && reply.Text == want, "%q, kept %q, %v", said, reply.Text, err)
	if system := voice.seen[0].System; !strings.Contains(system, `"Lovely."`) || !strings.Contains(system, "is written already") {
		t.Errorf("the voice is not shown the author's lines:\n%s", system)
	}
	if summary, err := m.Summarize(t.Context(), input, input.Recent); err != nil || summary.Usage != (llm.Usage{}) {
		t.Errorf("%+v, %v", summary, err)
	}
	if values, err := m.Extract(t.Context(), input, input.Recent); err != nil || values.Usage != (llm.Usage{}) {
		t.Errorf("%+v, %v", values, err)
	}
}

// TestAuthoredOpening: the author's opening is spoken word for word, without a request; a state
// without one is opened by the model.
func TestAuthoredOpening(t *testing.T) {
	voice := scriptAnswers(answerWith("Good evening."))
	m := hosted.New(hosted.Options{Evaluation: voice, Response: voice, Summarization: voice})
	said := ""
	opening, err := m.Open(t.Context(), inputOf(t), func(delta string) error { said += delta; return nil })
	if err != nil || opening.Text != "The bell rings." || said != opening.Text || len(voice.seen) != 0 {
		t.Errorf("%+v, %v, %d requests", opening, err, len(voice.seen))
	}
	input := inputOf(t)
	input.State.Offline = nil
	if opening, err := m.Open(t.Context(), input, nil); err != nil || opening.Text != "Good evening." || len(voice.seen) != 1 {
		t.Errorf("%+v, %v, %d requests", opening, err, len(voice.seen))
	}
}

// TestJudgeWithoutAVoice: a model judges, and the author's lines are spoken.
func TestJudgeWithoutAVoice(t *testing.T) {
	m := hosted.New(hosted.Options{Evaluation: scriptAnswers(answerWith(passes))})
	e, err := m.Evaluate(t.Context(), inputOf(t))
	assert.Must(t, err == nil && len(e.Holds) == 1, "%+v, %v", e, err)
	reply := assert.Value(m.Reply(t.Context(), inputOf(t), passed, func(string) error { return nil }))(t)
	assert.Equal(t, reply.Text, "Lovely.")
}

// TestTwoJudges: the second judge is asked only if the first is unsure, both determine the verdict,
// and the first one's verdict is used if the second fails.
func TestTwoJudges(t *testing.T) {
	input := inputOf(t)
	input.State.Offline.Examples.Pass = personas.NewExamples("I am here for a wedding.", "I came to see my sister.")
	two := func(second *scriptedAsker, message string) llm.Evaluation {
		t.Helper()
		input.Message = message
		second.letters = true
		e := assert.Value(hosted.New(hosted.Options{Evaluation: second, BuiltInFirst: true}).Evaluate(t.Context(), input))(t)
		return e
	}
	sure := scriptAnswers()
	if e := two(sure, "I am here for a wedding."); len(e.Holds) != 1 || e.Method != "offline" || len(sure.seen) != 0 {
		t.Errorf("sure: %+v, %d requests", e, len(sure.seen))
	}
	const doubtful = "My aunt marries tomorrow, upstairs I think."
	unsure := scriptAnswers(lettersOf("B 0.98 F 0.01 N 0.01"))
	e := two(unsure, doubtful)
	if len(e.Holds) != 1 || e.Holds[0].Transition != 0 || e.Method != "offline, letter" || e.Usage.In != 10 || !strings.Contains(e.Why, "offline alone") {
		t.Errorf("unsure: %+v", e)
	}
	alone := assert.Value(hosted.New(hosted.Options{}).Evaluate(t.Context(), input))(t)
	e = two(scriptAnswers(failWith(provider.Down)), doubtful)
	if e.Aside != alone.Aside || e.FollowUp != alone.FollowUp || len(e.Holds) != len(alone.Holds) || !strings.Contains(e.Why, "the second judge failed") {
		t.Errorf("without the second: %+v, alone %+v", e, alone)
	}
}

// TestSplitJudges: names of judges are used verbatim.
func TestSplitJudges(t *testing.T) {
	for name, want := range map[string]struct {
		builtIn bool
		model   string
	}{
		"": {false, ""}, "offline": {true, ""}, "openai/x": {false, "openai/x"}, "offline,openai/x": {true, "openai/x"}, " offline , x ": {true, "x"}, "x,offline": {false, "x,offline"},
	} {
		builtIn, model := hosted.SplitJudges(name)
		assert.True(t, builtIn == want.builtIn && model == want.model, "%q: %t, %q", name, builtIn, model)
	}
}

// TestCallersJudge: a caller may name the built-in judge, alone or before a model; then no key
// is needed for the judge.
func TestCallersJudge(t *testing.T) {
	finder := &oneAsker{asker: scriptAnswers(answerWith("Hm."))}
	models := hosted.CallerModels{Providers: finder}
	c := llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "openai/gpt-mine"}, Evaluation: llm.ModelChoice{Model: "offline"}}
	m := assert.Value(models.With(c))(t)
	e, err := m.Evaluate(t.Context(), inputOf(t))
	assert.True(t, err == nil && e.Usage == (llm.Usage{}) && e.Understood != nil, "%+v, %v", e, err)
	assert.Equal(t, len(finder.asked), 2, "models were looked for: %q", finder.asked)
	c.Evaluation.Model, finder.asked = "offline,openai/gpt-judge", nil
	if _, err := models.With(c); err != nil || !strings.Contains(strings.Join(finder.asked, " "), "gpt-judge") {
		t.Errorf("%q, %v", finder.asked, err)
	}
	models.Judges, finder.asked, c.Evaluation.Model = "offline", nil, ""
	if _, err := models.With(c); err != nil || len(finder.asked) != 2 {
		t.Errorf("the operator's judge: %q, %v", finder.asked, err)
	}
}

// oneAsker finds one asker for every name.
type oneAsker struct {
	hosted.AskerFinder
	asker provider.Asker
	asked []string
}

func (o *oneAsker) CallersModel(name string, key llm.Secret) (provider.Asker, error) {
	if !key.IsSet() {
		return nil, errors.New("no key")
	}
	o.asked = append(o.asked, name)
	return o.asker, nil
}

func (o *oneAsker) HasCustomAddress(string) bool { return false }
