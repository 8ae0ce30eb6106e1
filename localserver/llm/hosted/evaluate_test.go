package hosted_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

const (
	passes    = `{"matter": true, "choice": "A"}`
	redirects = `{"matter": true, "choice": "B"}`
	followsUp = `{"matter": true, "choice": "C"}`
	asides    = `{"matter": false, "choice": "A"}`
	invents   = `{"matter": true, "choice": "win"}`
)

func TestEvaluate(t *testing.T) {
	twice := llm.Usage{Model: "openai/gpt-x", In: 20, Out: 2}
	once := llm.Usage{Model: "openai/gpt-x", In: 10, Out: 1}
	for _, c := range []struct {
		name    string
		answers []answer
		want    llm.Evaluation
		again   string // a part of the instructions in the second request
	}{
		{"a choice", []answer{answerWith(passes)}, llm.Evaluation{Matches: []llm.Match{{Transition: 0, Why: "probability 1.00"}}, Usage: once}, ""},
		{"an aside", []answer{answerWith(asides)}, llm.Evaluation{Aside: true, Usage: once}, ""},
		{"a follow-up", []answer{answerWith(followsUp)}, llm.Evaluation{FollowUp: true, Usage: once}, ""},
		{"no JSON, then a choice", []answer{answerWith("I pass."), answerWith(redirects)},
			llm.Evaluation{Matches: []llm.Match{{Transition: 1, Why: "probability 1.00"}}, Usage: twice}, "was not the JSON object"},
		{"no choice, then a follow-up", []answer{answerWith(invents), answerWith(followsUp)}, llm.Evaluation{FollowUp: true, Usage: twice}, "not in the list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := scriptAnswers(c.answers...)
			got := assert.Value(modelOf(asker).Evaluate(t.Context(), inputOf(t)))(t)
			assert.Equal(t, got.Aside, c.want.Aside)
			assert.Equal(t, got.FollowUp, c.want.FollowUp)
			assert.Equal(t, got.Usage, c.want.Usage)
			assert.EqualSlices(t, got.Matches, c.want.Matches)
			assert.True(t, got.Method == "json" && strings.HasPrefix(got.Why, "json: ") && len(got.Choices) == 4, "%+v", got)
			assert.Must(t, len(asker.seen) == len(c.answers), "asked %d times, not %d", len(asker.seen), len(c.answers))
			if c.again != "" && (strings.Contains(asker.seen[0].System, c.again) || !strings.Contains(asker.seen[1].System, c.again)) {
				t.Errorf("the second time, the instructions do not say %q", c.again)
			}
		})
	}
}

// lettersOf answers with the probabilities of letters, given as "A 0.9 B 0.1".
func lettersOf(text string) answer {
	a := answerWith("")
	fields := strings.Fields(text)
	for i := 0; i+1 < len(fields); i += 2 {
		probability, _ := strconv.ParseFloat(fields[i+1], 64)
		a.first = append(a.first, provider.TokenProbability{Token: fields[i], Probability: probability})
	}
	return a
}

// TestLetters: the verdict follows from the probabilities of the letters and the policy.
func TestLetters(t *testing.T) {
	for _, c := range []struct {
		name, letters   string
		holds           []int
		aside, followUp bool
	}{
		{"a pass", "B 0.9 F 0.05 N 0.05", []int{0}, false, false},
		{"a redirect", "B 0.2 F 0.75 N 0.05", []int{1}, false, false},
		{"an aside", "B 0.2 N 0.8", nil, true, false},
		{"an aside that a model takes for a pass", "B 0.6 N 0.4", nil, true, false},
		{"a follow-up", "B 0.1 G 0.85 N 0.05", nil, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := scriptAnswers(lettersOf(c.letters))
			asker.letters = true
			got, err := modelOf(asker).Evaluate(t.Context(), inputOf(t))
			var holds []int
			for _, h := range got.Matches {
				holds = append(holds, h.Transition)
			}
			sum := 0.0
			for _, choice := range got.Choices {
				sum += choice.Probability
			}
			assert.NoError(t, err)
			assert.Equal(t, got.Aside, c.aside)
			assert.Equal(t, got.FollowUp, c.followUp)
			assert.EqualSlices(t, holds, c.holds)
			assert.Equal(t, got.Method, "letter")
			assert.True(t, sum >= 0.999 && sum <= 1.001, "the sum is %v", sum)
			for _, r := range asker.seen {
				assert.True(t, r.MaxTokens == 1 && r.TopTokens == 20 && r.Schema == nil, "%+v", r)
			}
		})
	}
}

// TestMethodIsRemembered: the working method is determined once for a model at its address.
func TestMethodIsRemembered(t *testing.T) {
	methods := hosted.NewMethods()
	asker := scriptAnswers(lettersOf("B 0.9"), lettersOf("<think> 0.9"), answerWith(passes), answerWith(redirects))
	asker.letters = true
	for i, want := range []string{"letter", "json", "json"} { // each with a separate model, as for callers
		m := hosted.New(hosted.Options{Evaluation: asker, Methods: methods})
		e, err := m.Evaluate(t.Context(), inputOf(t))
		assert.True(t, err == nil && e.Method == want, "judgement %d: %+v, %v", i, e, err)
	}
	assert.Equal(t, len(asker.seen), 4, "requests")
	elsewhere := scriptAnswers(lettersOf("B 0.9"))
	elsewhere.letters, elsewhere.name = true, "openai/gpt-x elsewhere"
	if e, err := hosted.New(hosted.Options{Evaluation: elsewhere, Methods: methods}).Evaluate(t.Context(), inputOf(t)); err != nil || e.Method != "letter" {
		t.Errorf("at another address: %+v, %v", e, err)
	}
}

// manyOptions returns an input with more transitions than every decision model accepts.
func manyOptions(t *testing.T) llm.Input {
	many := inputOf(t)
	for len(many.Outgoing) < 17 {
		many.Machine.Transitions = append(many.Machine.Transitions, many.Machine.Transitions[0])
		many.Outgoing = append(many.Outgoing, len(many.Machine.Transitions)-1)
	}
	return many
}

// TestDecisions: a decision model answers both questions with one request.
func TestDecisions(t *testing.T) {
	decided := answerWith("")
	decided.first = []provider.TokenProbability{
		{Token: provider.DecisionMatter, Probability: 0.97}, {Token: "pass", Probability: 0.93}, {Token: "redirect", Probability: 0.07},
	}
	asker := scriptAnswers(decided, decided, lettersOf("B 0.9"), decided)
	asker.letters, asker.decides = true, true
	m := modelOf(asker)
	many := manyOptions(t)
	for i, c := range []struct {
		input llm.Input
		want  string
	}{{inputOf(t), "decisions"}, {inputOf(t), "decisions"}, {many, "letter"}, {inputOf(t), "decisions"}} {
		e, err := m.Evaluate(t.Context(), c.input)
		assert.NoError(t, err, "judgement %d", i)
		assert.Equal(t, e.Method, c.want, "judgement %d", i)
		assert.Must(t, len(e.Matches) != 0, "judgement %d: %+v", i, e)
		assert.Equal(t, e.Matches[0].Transition, 0, "judgement %d", i)
	}
	options := asker.seen[0].Decision.Options
	assert.Must(t, len(options) == 3, "%+v", options)
	assert.Equal(t, options[0].Key, "pass")
	assert.Equal(t, options[1].Key, "redirect")
	assert.Equal(t, options[2].Key, "follow_up")
}

// TestDecisionFaults: a refusal or a missing answer does not cost the player anything.
func TestDecisionFaults(t *testing.T) {
	half := answerWith("")
	half.first = []provider.TokenProbability{{Token: provider.DecisionMatter, Probability: 0.97}}
	for name, a := range map[string]answer{"refused": refuseWith(), "missing": answerWith(""), "half": half} {
		t.Run(name, func(t *testing.T) {
			asker := scriptAnswers(a)
			asker.decides = true
			e, err := modelOf(asker).Evaluate(t.Context(), inputOf(t))
			checkKind(t, err, provider.Unusable)
			assert.True(t, len(e.Matches) == 0 && !e.FollowUp && !e.Aside, "%+v", e)
		})
	}
}

// TestMethodIsSet: a set method is the only one, except for a model without letters.
func TestMethodIsSet(t *testing.T) {
	asker := scriptAnswers(answerWith(passes))
	asker.letters = true
	m := hosted.New(hosted.Options{Evaluation: asker, Method: hosted.MethodJSON})
	e, err := m.Evaluate(t.Context(), inputOf(t))
	assert.True(t, err == nil && e.Method == "json", "%+v, %v", e, err)
	_, err = hosted.ParseMethod("guess")
	assert.ErrorContains(t, err, "letter")
}

// TestJudgeFaultsAreErrors: an unusable answer is an error and never an evaluation.
func TestJudgeFaultsAreErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []answer
		why     string
		again   string // a part of the instructions in the second request
	}{
		{"prose twice", []answer{answerWith("I pass."), answerWith("I still pass.")}, "was not the requested JSON", "was not the JSON object"},
		{"empty twice", []answer{answerWith(""), answerWith(" ")}, "was not the requested JSON", "was not the JSON object"},
		{"cut off twice", []answer{{pieces: []string{passes[:20]}, finish: provider.Length}, {pieces: []string{passes[:20]}, finish: provider.Length}}, "was not the requested JSON", "was not the JSON object"},
		{"unknown choice twice", []answer{answerWith(invents), answerWith(invents)}, "does not have", "not in the list"},
		{"refused", []answer{refuseWith()}, "refused", ""},
		{"refused in the middle", []answer{refuseWith(passes)}, "refused", ""},
		{"prose, then refused", []answer{answerWith("I pass."), refuseWith()}, "refused", "was not the JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := scriptAnswers(c.answers...)
			got, err := modelOf(asker).Evaluate(t.Context(), inputOf(t))
			checkKind(t, err, provider.Unusable)
			assert.ErrorContains(t, err, c.why)
			assert.Empty(t, got.Matches)
			assert.True(t, !got.FollowUp, "%+v, %v", got, err)
			assert.Equal(t, got.Usage.In, 10*len(c.answers))
			if len(asker.seen) != len(c.answers) || c.again != "" && !strings.Contains(asker.seen[1].System, c.again) {
				t.Errorf("asked %d times", len(asker.seen))
			}
		})
	}
	asker := scriptAnswers(refuseWith())
	asker.letters = true
	_, err := modelOf(asker).Evaluate(t.Context(), inputOf(t))
	checkKind(t, err, provider.Unusable)
}

// TestNothingToChoose: for a state without choices, the model is not asked.
func TestNothingToChoose(t *testing.T) {
	input := inputOf(t)
	input.Outgoing, input.FollowUpAllowed = nil, false
	asker := scriptAnswers()
	e, err := modelOf(asker).Evaluate(t.Context(), input)
	assert.NoError(t, err)
	assert.Empty(t, asker.seen)
	assert.Empty(t, e.Matches)
	assert.True(t, !e.FollowUp, "a follow-up")
	assert.True(t, e.Why != "", "no reason")
	assert.Equal(t, e.Usage, (llm.Usage{}))
}

// TestErrorsPass: a provider's failure reaches the caller unchanged, with the cost so far.
func TestErrorsPass(t *testing.T) {
	kinds := []provider.Kind{
		provider.KeyMissing, provider.KeyRefused, provider.Quota, provider.NoModel, provider.BadRequest, provider.Down, provider.Late, provider.NotRecorded,
	}
	for _, kind := range kinds {
		e, err := modelOf(scriptAnswers(answerWith("no JSON"), failWith(kind))).Evaluate(t.Context(), inputOf(t))
		checkKind(t, err, kind)
		assert.Equal(t, e.Usage.In, 10, kind)
		assert.Equal(t, len(e.Matches), 0, kind)
		for name, call := range callsOfModel(t, func() *scriptedAsker { return scriptAnswers(failWith(kind)) }) {
			t.Run(string(kind)+"/"+name, func(t *testing.T) { checkKind(t, call(t.Context()), kind) })
		}
	}
}

func checkKind(t *testing.T, err error, kind provider.Kind) {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	assert.Must(t, ok, "the error is %v, not one of the kind %s", err, kind)
	assert.Equal(t, e.Kind, kind)
	assert.Equal(t, e.Provider, "openai")
	assert.Equal(t, e.Model, "gpt-x")
}

// callsOfModel returns all the methods of a model, each with a separate asker.
func callsOfModel(t *testing.T, asker func() *scriptedAsker) map[string]func(context.Context) error {
	input := inputOf(t)
	return map[string]func(context.Context) error{
		"open": func(ctx context.Context) error { _, err := modelOf(asker()).Open(ctx, input, nil); return err },
		"evaluation": func(ctx context.Context) error {
			_, err := modelOf(asker()).Evaluate(ctx, input)
			return err
		},
		"response": func(ctx context.Context) error {
			_, err := modelOf(asker()).Reply(ctx, input, passed, func(string) error { return nil })
			return err
		},
		"summarization": func(ctx context.Context) error {
			_, err := modelOf(asker()).Summarize(ctx, input, input.Recent)
			return err
		},
		"extraction": func(ctx context.Context) error {
			_, err := modelOf(asker()).Extract(ctx, input, input.Recent)
			return err
		},
	}
}

// TestTimePerStep: each step has its own time limit, after which the error is of kind Late.
func TestTimePerStep(t *testing.T) {
	limits := map[string]time.Duration{
		"open": 60 * time.Second, "evaluation": 60 * time.Second, "response": 60 * time.Second, "summarization": 30 * time.Second, "extraction": 30 * time.Second,
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := callsOfModel(t, blockedAsker)[name](t.Context())
				checkKind(t, err, provider.Late)
				assert.Equal(t, time.Since(began), limit, "it took")
				assert.True(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), limit.String()),
					"the error says %v", err)
			})
		})
	}
}

// TestTimeIsForTheWholeStep: asking twice does not extend the time limit.
func TestTimeIsForTheWholeStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &scriptedAsker{name: "openai/gpt-x"}
		slow.play = func(ctx context.Context, _ provider.Request, _ func(string) error) (provider.Answer, error) {
			select {
			case <-ctx.Done():
				return provider.Answer{}, ctx.Err()
			case <-time.After(4 * time.Second):
				return provider.Answer{Text: "no JSON", Finish: provider.Stopped}, nil
			}
		}
		began := time.Now()
		m := hosted.New(hosted.Options{Evaluation: slow, Limits: hosted.TimeLimits{Evaluation: 5 * time.Second}})
		_, err := m.Evaluate(t.Context(), inputOf(t))
		checkKind(t, err, provider.Late)
		took := time.Since(began)
		assert.True(t, took == 5*time.Second && len(slow.seen) == 2, "it took %s and %d questions", took, len(slow.seen))
	})
}

// TestCallerGivesUp: if the caller's context ends, the error is the caller's and not of kind Late.
func TestCallerGivesUp(t *testing.T) {
	for name, call := range callsOfModel(t, blockedAsker) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, call(ctx), context.Canceled, name)
	}
}

func TestUnknownMethod(t *testing.T) {
	m := hosted.New(hosted.Options{Evaluation: scriptAnswers(answerWith(passes)), Method: "dice"})
	_, err := m.Evaluate(t.Context(), inputOf(t))
	assert.ErrorContains(t, err, `judging method "dice" not found`)
}

// TestTooLong: a model that refuses the length is asked once more with a shorter input.
func TestTooLong(t *testing.T) {
	good := map[string]answer{
		"open": answerWith("Good evening."), "evaluation": answerWith(passes), "response": answerWith("Good evening."), "summarization": answerWith("Mira came."), "extraction": answerWith(`{"purpose":null,"tale":null}`),
	}
	for name := range good {
		t.Run(name, func(t *testing.T) {
			asker := scriptAnswers(failWith(provider.TooLong), good[name])
			assert.NoError(t, callsOfModel(t, func() *scriptedAsker { return asker })[name](t.Context()))
			less := 400
			if name == "evaluation" {
				less = 40 // There is no summary, and there are few messages.
			}
			whole, part := requestSize(asker.seen[0]), requestSize(asker.seen[1])
			assert.True(t, part <= whole-less, "%d bytes after %d", part, whole)
			asker = scriptAnswers(failWith(provider.TooLong), failWith(provider.TooLong))
			checkKind(t, callsOfModel(t, func() *scriptedAsker { return asker })[name](t.Context()), provider.TooLong)
		})
	}
}

func requestSize(r provider.Request) int {
	sum := len(r.System)
	for _, m := range r.Messages {
		sum += len(m.Text)
	}
	return sum
}

func TestStepsAreAskedApart(t *testing.T) {
	input := inputOf(t)
	evaluation, response := scriptAnswers(answerWith(passes)), scriptAnswers(answerWith("Hm."), answerWith("Well."))
	summarization := scriptAnswers(answerWith("Mira came."), answerWith(`{"purpose":"x","tale":null}`))
	m := hosted.New(hosted.Options{Evaluation: evaluation, Response: response, Summarization: summarization, AskOpenings: true})
	_, err1 := m.Evaluate(t.Context(), input)
	_, err2 := m.Open(t.Context(), input, nil)
	_, err3 := m.Reply(t.Context(), input, passed, func(string) error { return nil })
	_, err4 := m.Summarize(t.Context(), input, input.Recent)
	_, err5 := m.Extract(t.Context(), input, input.Recent)
	assert.NoError(t, errors.Join(err1, err2, err3, err4, err5))
	var steps []string
	for _, s := range []*scriptedAsker{evaluation, response, summarization} {
		for _, r := range s.seen {
			steps = append(steps, r.Step)
		}
	}
	assert.Equal(t, strings.Join(steps, " "), "evaluation open response summarization extraction", "asked for")
}

// TestBuiltInJudgeWithAVoice: the built-in judge decides, and a model replies.
func TestBuiltInJudgeWithAVoice(t *testing.T) {
	input := inputOf(t)
	input.State.Offline.Examples.Pass = personas.NewExamples("I am here for a wedding.", "I came to see my sister.")
	input.Message = "I am here for a wedding."
	voice := scriptAnswers(answerWith("How ", "lovely."))
	m := hosted.New(hosted.Options{Response: voice})
	e, err := m.Evaluate(t.Context(), input)
	assert.NoError(t, err)
	assert.Must(t, len(e.Matches) == 1, "%+v, %v", e, err)
	assert.Equal(t, e.Matches[0].Transition, 0)
	assert.Equal(t, e.Usage, (llm.Usage{}))
	said := ""
	result := llm.StepResult{Decision: personas.DecidePass, OfflineVerdict: e.OfflineVerdict, Entered: &input.Machine.States[1]}
	reply, err := m.Reply(t.Context(), input, result, func(delta string) error { said += delta; return nil })
	want := "How lovely.\n\nThree rules."
	assert.NoError(t, err)
	assert.Equal(t, said, want)
	assert.Equal(t, reply.Text, want)
	system := voice.seen[0].System
	assert.Contains(t, system, `"Lovely."`)
	assert.Contains(t, system, "is written already")
	summary, err := m.Summarize(t.Context(), input, input.Recent)
	assert.True(t, err == nil && summary.Usage == (llm.Usage{}), "%+v, %v", summary, err)
	values, err := m.Extract(t.Context(), input, input.Recent)
	assert.True(t, err == nil && values.Usage == (llm.Usage{}), "%+v, %v", values, err)
}

// TestAuthoredOpening: the author's opening is spoken without a request.
func TestAuthoredOpening(t *testing.T) {
	voice := scriptAnswers(answerWith("Good evening."))
	m := hosted.New(hosted.Options{Evaluation: voice, Response: voice, Summarization: voice})
	said := ""
	opening, err := m.Open(t.Context(), inputOf(t), func(delta string) error { said += delta; return nil })
	assert.NoError(t, err)
	assert.Equal(t, opening.Text, "The bell rings.")
	assert.Equal(t, said, opening.Text)
	assert.Empty(t, voice.seen)
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
	assert.Must(t, err == nil && len(e.Matches) == 1, "%+v, %v", e, err)
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
		return assert.Value(hosted.New(hosted.Options{Evaluation: second, BuiltInFirst: true}).Evaluate(t.Context(), input))(t)
	}
	sure := scriptAnswers()
	if e := two(sure, "I am here for a wedding."); len(e.Matches) != 1 || e.Method != "offline" || len(sure.seen) != 0 {
		t.Errorf("sure: %+v, %d requests", e, len(sure.seen))
	}
	const doubtful = "My aunt marries tomorrow, upstairs I think."
	unsure := scriptAnswers(lettersOf("B 0.98 F 0.01 N 0.01"))
	e := two(unsure, doubtful)
	assert.Must(t, len(e.Matches) == 1, "unsure: %+v", e)
	assert.Equal(t, e.Matches[0].Transition, 0, "unsure")
	assert.Equal(t, e.Method, "offline, letter", "unsure")
	assert.Equal(t, e.Usage.In, 10, "unsure")
	assert.Contains(t, e.Why, "offline alone", "unsure")
	alone := assert.Value(hosted.New(hosted.Options{}).Evaluate(t.Context(), input))(t)
	e = two(scriptAnswers(failWith(provider.Down)), doubtful)
	assert.Equal(t, e.Aside, alone.Aside, "without the second")
	assert.Equal(t, e.FollowUp, alone.FollowUp, "without the second")
	assert.Equal(t, len(e.Matches), len(alone.Matches), "without the second")
	assert.Contains(t, e.Why, "the second judge failed", "without the second")
}

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

// TestCallersJudge: a caller may name the built-in judge, which needs no key.
func TestCallersJudge(t *testing.T) {
	finder := &oneAsker{asker: scriptAnswers(answerWith("Hm."))}
	models := hosted.CallerModels{Providers: finder}
	c := llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "openai/gpt-mine"}, Evaluation: llm.ModelChoice{Model: "offline"}}
	m := assert.Value(models.With(c))(t)
	e, err := m.Evaluate(t.Context(), inputOf(t))
	assert.True(t, err == nil && e.Usage == (llm.Usage{}) && e.OfflineVerdict != nil, "%+v, %v", e, err)
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

func (o *oneAsker) ModelWithKey(m provider.KeyedModel) (provider.Asker, error) {
	if !m.Key.IsSet() {
		return nil, errors.New("no key")
	}
	o.asked = append(o.asked, m.Name)
	return o.asker, nil
}

func (o *oneAsker) HasCustomAddress(string) bool { return false }

// TestTimeLimits: a model on this machine gets twice the default time. A configured limit applies
// to all steps. The error contains the limit and the flag.
func TestTimeLimits(t *testing.T) {
	for _, c := range []struct {
		place string
		set   time.Duration
		want  time.Duration
	}{
		{"https://api.openai.com/v1 openai/gpt-x", 0, time.Minute},
		{"http://127.0.0.1:11434 ollama/m", 0, 2 * time.Minute},
		{"http://localhost:8080/v1 llamacpp/m", 0, 2 * time.Minute},
		{"http://gpu.example.com:11434 ollama/m", 0, time.Minute},
		{"http://127.0.0.1:11434 ollama/m", 7 * time.Second, 7 * time.Second},
	} {
		t.Run(c.place, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asker := blockedAsker()
				asker.name = c.place
				limits := hosted.TimeLimits{Evaluation: c.set, Response: c.set}
				m := hosted.New(hosted.Options{Evaluation: asker, Response: asker, Limits: limits})
				began := time.Now()
				_, err := m.Evaluate(t.Context(), inputOf(t))
				took := time.Since(began)
				assert.Equal(t, took, c.want)
				assert.ErrorContains(t, err, "within "+c.want.String()+" (--llm-timeout")
				assert.Equal(t, m.Limits().Response, c.want, "a reply may take")
			})
		})
	}
}
