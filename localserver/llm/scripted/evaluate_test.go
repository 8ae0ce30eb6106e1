package scripted

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/intent"
)

// gateInput returns an input with two pass rows, one of them with its own examples, a reject row,
// and neither a redirect nor a kick_out row. Its player may direct.
func gateInput() llm.Input {
	m := &personas.Machine{
		Key: "gate",
		States: []personas.State{
			{Key: "here", Label: "The gate", IsInitial: true, Offline: &personas.Offline{
				Opening: []string{"Halt, {{player_name}}! {{persona_name}} guards {{town}}. {{nothing}}"},
				Examples: personas.Examples{
					Pass: personas.NewExamples("I will pay the toll"), Reject: personas.NewExamples("I refuse to pay", "I come to fight"),
					KickOut: personas.NewExamples("I spit at you"), FollowUp: personas.NewExamples("What does it cost?"),
				},
				Lines: personas.Lines{Pass: []string{"Go on.", "Through with you.", "Fine."}, FollowUp: []string{"Two coins. Well?"}},
			}},
			{Key: "yard", Label: "The yard", Offline: &personas.Offline{Lines: personas.Lines{Enter: []string{"A wide yard."}}}},
			{Key: "end", Label: "The end", IsTerminal: true, Offline: &personas.Offline{Opening: []string{"The end, {{player_name}}."}}},
		},
		Transitions: []personas.Transition{
			{From: "here", To: "yard", Decision: personas.DecidePass, Priority: 2},
			{From: "here", To: "end", Decision: personas.DecidePass, Priority: 1,
				Offline: &personas.TransitionOffline{Examples: personas.NewExamples("The captain sent me", "I will pay double the toll")}},
			{From: "here", Decision: personas.DecideReject, Priority: 3},
		},
	}
	return llm.Input{
		MayDirect: true,
		Persona:   &personas.Persona{Name: "Hobb", Variables: []personas.Variable{{Key: "town", Value: "Marrow"}}},
		Machine:   m, State: &m.States[0], Player: llm.Player{Name: "Ada", Gender: "female"},
		Outgoing: []int{1, 0, 2}, FollowUpAllowed: true,
	}
}

func TestEvaluate(t *testing.T) {
	tests := []struct {
		name, message string
		holds         []int
		decision      string
		why           string
	}{
		{"a state's example stands for all rows of its decision", "I will pay the toll", []int{1, 0}, "pass", `: like "I will pay the toll" (1.00)`},
		{"a row's own example stands for the row", "the captain has sent me", []int{1, 0}, "pass", `: like "The captain sent me" (0.`},
		{"the nearest example is named", "I would gladly pay you double the toll", []int{1, 0}, "pass", `: like "I will pay double the toll" (0.`},
		{"case, accents and punctuation do not count", "  i WÍLL, pay; thé toll!!", []int{1, 0}, "pass", "(1.00)"},
		{"compatibility forms do not count", "I will ｐａｙ the ｔｏｌｌ", []int{1, 0}, "pass", "(1.00)"},
		{"invisible characters do not split words", "I will p\u200bay the to\u00adll", []int{1, 0}, "pass", "(1.00)"},
		{"reject", "I come to fight you", []int{2}, "reject", `: like "I come to fight"`},
		{"a follow-up", "what does this cost?", nil, "follow_up", `: like "What does it cost?"`},
		{"an example of a decision without a row means nothing", "I spit at you", nil, "aside", "aside"},
		{"nothing near", "My cat is grey", nil, "aside", "aside"},
		{"an intent", "Hello!", nil, "aside", `: greeting, like "hello" (1.00)`},
		{"no words", "?! ...", nil, "aside", "aside"},
		{"empty", "", nil, "aside", "aside"},
	}
	o := New()
	for _, tt := range tests {
		e := evaluateMessage(t, o, gateInput(), tt.message)
		assert.EqualSlices(t, heldRows(e), tt.holds, "%s: %q", tt.name, tt.message)
		assert.Equal(t, e.Decision(gateInput().Machine), tt.decision, "%s: %q", tt.name, tt.message)
		assert.True(t, strings.HasPrefix(e.Why, tt.decision+" "), "%s: %q: why %s", tt.name, tt.message, e.Why)
		assert.Contains(t, e.Why, tt.why, "%s: %q", tt.name, tt.message)
	}
}

func TestNegation(t *testing.T) {
	const notPass, notReject = "no pass", "no reject"
	pay := "pass: I will pay the toll\npass: I am honest\npass: I come in peace\n"
	deny := pay + "reject: I will not pay\nreject: I don't trust you\n"
	tests := []struct{ examples, message, want string }{
		{pay, "I will pay the toll", "pass"},
		{pay, "I will not pay the toll", notPass},
		{pay, "I won't pay the toll", notPass},
		{pay, "i wont pay the toll", notPass},
		{pay, "I refuse to pay the toll", notPass},
		{pay, "I will never ever pay your toll", notPass},
		{pay, "I would never refuse to pay the toll", "pass"},
		{pay, "I will pay no toll", notPass},
		{pay, "No problem, I will pay the toll", "pass"},
		{pay, "I don't mind, I'll pay the toll", "pass"},
		{pay, "I won't run. I will pay the toll.", "pass"},
		{pay, "Couldn't I pay the toll?", "pass"},
		{pay, "I am dishonest", notPass},
		{pay, "I am not honest", notPass},
		{pay, "I do not come in peace", notPass},
		{deny, "I won't pay", "reject"},
		{deny, "I'm not going to pay", "reject"},
		{deny, "I will pay", "pass"},
		{deny, "I do not trust you", "reject"},
		{deny, "I distrust you", notPass},
		{deny, "I trust you", notReject},
		{"pass: yes", "Yes!", "pass"},
		{"pass: yes", "No.", notPass},
		{"pass: yes\nreject: no", "of course", "pass"},
		{"pass: yes\nreject: no", "no way", "reject"},
		{"pass: yes\nreject: no", "I do not agree", "reject"},
		{"pass: Ich bezahle den Zoll\nreject: Ich bezahle nicht", "Den Zoll bezahle ich nicht", notPass},
		{"pass: Ich bezahle den Zoll", "Ich bezahle keinen Zoll", notPass},
		{"pass: Pago el peaje\nreject: No pago nada", "No pago nunca", "reject"},
		{"pass: Pago el peaje", "No pago el peaje", notPass},
		{"pass: お金を払います", "お金を払いません", notPass},
		{"pass: お金を払います", "お金を払います。", "pass"},
	}
	o := New()
	for _, tt := range tests {
		input := inputOf(tt.examples)
		e := evaluateMessage(t, o, input, tt.message)
		got := e.Decision(input.Machine)
		other, not := strings.CutPrefix(tt.want, "no ")
		assert.Equal(t, got == other, !not, "%q is %s, want %s: %s", tt.message, got, tt.want, e.Why)
	}
}

func TestWordsOfConditionsStandInForExamples(t *testing.T) {
	input := gateInput()
	input.State.Offline = nil
	for i := range input.Machine.Transitions {
		input.Machine.Transitions[i].Offline = nil
	}
	input.Machine.Transitions[1].Condition = "The player offers to pay, or shows a permit with a seal."
	input.State.Criteria = personas.Criteria{Reject: "The player refuses to pay or insults the guard.", FollowUp: "The player asks about the price."}
	for message, want := range map[string]string{
		"I have a permit with a seal": "pass", "I offer to pay": "pass", "I refuse to pay": "reject", "I won't pay": "reject",
		"May I ask about the price?": "follow_up", "The moon is made of cheese": "aside",
	} {
		e := evaluateMessage(t, New(), input, message)
		assert.Equal(t, e.Decision(input.Machine), want, "%q: %s", message, e.Why)
	}
	input.State.Criteria, input.Machine.Transitions[1].Condition = personas.Criteria{}, ""
	e := evaluateMessage(t, New(), input, "hello")
	assert.True(t, e.Aside && e.Matches == nil, "without material: %+v", e)
}

func TestDirectorForcesTheVerdict(t *testing.T) {
	tests := []struct {
		mark     string
		holds    []int
		followUp bool
		why      string
	}{
		{"[[pass]]", []int{1, 0}, false, "director: pass"},
		{"[[reject]]", []int{2}, false, "director: reject"},
		{"[[redirect]]", nil, false, "director: redirect"},
		{"[[kick_out]]", nil, false, "no transition kick_out"},
		{"[[follow_up]]", nil, true, "director: follow_up"},
		{"[[1]]", []int{1}, false, "director: 1"},
		{"[[2]]", []int{0}, false, "director: 2"},
		{"[[3]]", []int{2}, false, "director: 3"},
		{"[[0]]", nil, false, "the state has no transition"},
		{"[[4]]", nil, false, "the state has no transition"},
		{"[[99999999999999999999999]]", nil, false, "the state has no transition"},
	}
	for _, tt := range tests {
		e := evaluateMessage(t, New(), gateInput(), "I come to fight "+tt.mark)
		assert.EqualSlices(t, heldRows(e), tt.holds, tt.mark)
		assert.True(t, e.FollowUp == tt.followUp && strings.Contains(e.Why, tt.why), "%s: %+v", tt.mark, e)
	}
}

func FuzzDirector(f *testing.F) {
	for _, s := range []string{"hi [[pass]]", "[[1]]", "[[[[pass]]]]", "]][[", "[[ 7 ]] ", "é[[PASS]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		words, mark, ok := cutDirectorMark(message)
		if !ok {
			assert.Equal(t, words, message)
			assert.Equal(t, mark, "")
			return
		}
		assert.True(t, isDirectorMark(mark) && strings.Contains(message, words) && len(words)+len(mark)+4 <= len(message), "%q gives %q, %q", message, words, mark)
		w, m, again := cutDirectorMark(words + " [[" + mark + "]]")
		assert.True(t, again && w == words && m == mark, "%q, %q becomes %q, %q", words, mark, w, m)
	})
}

func TestMarksOfPlayersAreIgnored(t *testing.T) {
	o := New()
	for _, said := range []string{"", "Hello!", "I will pay the toll", "I come to fight", "What does it cost?", "My cat has grey paws"} {
		for _, mark := range []string{"[[pass]]", "[[ PASS ]]", "[[reject]]", "[[kick_out]]", "[[redirect]]", "[[follow_up]]", "[[aside]]", "[[1]]", "[[3]]", "[[1]] [[1]]", "[[pass]][[2]] [[ pass ]]"} {
			input := gateInput()
			input.MayDirect = false
			input.State.Offline.Examples.Pass = append(input.State.Offline.Examples.Pass, personas.Example{Say: "pass"})
			plain, marked := evaluateMessage(t, o, input, said), evaluateMessage(t, o, input, strings.TrimSpace(said+" "+mark))
			assert.EqualSlices(t, heldRows(marked), heldRows(plain), "%q %s", said, mark)
			assert.Equal(t, marked.FollowUp, plain.FollowUp, "%q %s: follow-up", said, mark)
			assert.Equal(t, marked.Aside, plain.Aside, "%q %s: aside", said, mark)
			assert.True(t, marked.OfflineVerdict != nil, "%q %s: no verdict", said, mark)
			assert.Contains(t, marked.Why, "marks are not allowed here", mark)
			assert.True(t, !strings.Contains(marked.Why, "director: "), "%q: %s", mark, marked.Why)
		}
	}
}

func TestReplyUsesEvaluationVerdict(t *testing.T) {
	o, input := New(), bareInput("")
	for _, message := range []string{"Hello!", "I know the password, it is herring", "My cat has grey paws", "Où est la gare, s'il vous plaît ?"} {
		e := evaluateMessage(t, o, input, message)
		assert.True(t, e.OfflineVerdict != nil && e.OfflineVerdict.Why == e.Why, "%q: %+v", message, e)
	}
	e := evaluateMessage(t, o, input, "Hello! [[pass]]")
	assert.True(t, e.OfflineVerdict == nil, "with a director's mark: %+v", e)
	input.Message = "Hello!"
	g := replyTo(t, o, input, llm.StepResult{Aside: true, OfflineVerdict: &intent.Verdict{Decision: personas.AsideName, Intent: personas.IntentThanks}})
	assert.Contains(t, g.Why, "plain line for thanks", "the verdict is not what is answered: %+v", g)
}

func inputOf(block string) llm.Input {
	off := &personas.Offline{}
	lists := map[string]*[]personas.Example{
		"pass": &off.Examples.Pass, "redirect": &off.Examples.Redirect, "reject": &off.Examples.Reject,
		"kick_out": &off.Examples.KickOut, "follow_up": &off.Examples.FollowUp,
	}
	for l := range strings.Lines(strings.TrimSpace(block)) {
		label, text, _ := strings.Cut(strings.TrimSpace(l), ": ")
		*lists[label] = append(*lists[label], personas.Example{Say: text})
	}
	m := &personas.Machine{Key: "m", States: []personas.State{{Key: "here", IsInitial: true, Offline: off}, {Key: "there", IsTerminal: true}}}
	for _, d := range []personas.Decision{personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut} {
		m.Transitions = append(m.Transitions, personas.Transition{From: "here", To: "there", Decision: d})
	}
	return llm.Input{
		Persona: &personas.Persona{Name: "Mara"}, Machine: m, State: &m.States[0],
		Outgoing: []int{0, 1, 2, 3}, FollowUpAllowed: true,
	}
}

func filled(input llm.Input, lines []string) []string {
	return New().sceneOf(input).fill(lines, input.State)
}

func textsOf(code string) *texts { return New().texts.ofLanguage(code) }

func spokenLanguages() []string { return []string{"de", "en", "es", "fr", "it", "pt"} }

func evaluateMessage(t *testing.T, o *Model, input llm.Input, message string) llm.Evaluation {
	t.Helper()
	input.Message = message
	return assert.Value(o.Evaluate(t.Context(), input))(t)
}
