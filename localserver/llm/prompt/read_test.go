package prompt_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// nameValues returns an answer with the names drawn by a request as keys.
func nameValues(r provider.Request, answer string) string {
	for _, d := range r.Drawn {
		plain := strings.TrimPrefix(strings.Trim(d.Meaning, "«»"), "value-")
		answer = strings.ReplaceAll(answer, `"`+plain+`"`, `"`+d.Name+`"`)
	}
	return answer
}

// questionOf returns the question about an input.
func questionOf(t testing.TB, input llm.Input) *prompt.Question {
	t.Helper()
	return assert.Value(prompt.New().NewQuestion(input))(t)
}

// readValues reads an answer that names the variables by their keys.
func readValues(t testing.TB, input llm.Input, answer string) (map[string]string, prompt.AnswerFault) {
	t.Helper()
	r := assert.Value(prompt.New().BuildExtraction(input, nil))(t)
	return prompt.ReadValues(r, input, nameValues(r, answer))
}

func TestReadJSON(t *testing.T) {
	input := inputOf(t, full)
	input.FollowUpAllowed = false
	const pass, none = 0, -1 // indexes of options
	for _, c := range []struct {
		name, answer, message string
		want                  int
		fault                 prompt.AnswerFault
	}{
		{"as asked", `{"matter": true, "choice": "A"}`, "", pass, ""},
		{"another choice", `{"matter":true,"choice":"C"}`, "", 2, ""},
		{"does not belong", `{"matter": false, "choice": "A"}`, "", none, ""},
		{"does not belong, without a choice", `{"matter": false}`, "", none, ""},
		{"belongs, without matter", `{"choice": "A"}`, "", pass, ""},
		{"capitals", `{"Matter": TRUE, "CHOICE": "a"}`, "", none, prompt.WrongShape}, // no JSON
		{"capitals of names", `{"Matter": "True", "CHOICE": "a."}`, "", pass, ""},
		{"members more", `{"matter":true,"choice":"A","why":"w"}`, "", pass, ""},
		{"a bare letter", `A`, "", pass, ""},
		{"a bare letter with marks", ` "a".`, "", pass, ""},
		{"a member twice", `{"matter":true,"choice":"A","choice":"C"}`, "", none, prompt.WrongShape},
		{"no truth", `{"matter":"perhaps","choice":"A"}`, "", none, prompt.WrongShape},
		{"a decision", `{"matter":true,"choice":"pass"}`, "", none, prompt.UnknownChoice},
		{"a decision of one choice", `{"matter":true,"choice":"reject"}`, "", 2, ""},
		{"a bare decision", `Reject.`, "", 2, ""},
		{"a list of names", `{"why":"x","holds":["abcdefgh-reject"]}`, "", 2, ""},
		{"an empty list", `{"why":"x","holds":[]}`, "", none, ""},
		{"a list of two", `{"holds":["pass","reject"]}`, "", none, prompt.WrongShape},
		{"a letter that is none", `{"matter":true,"choice":"Q"}`, "", none, prompt.UnknownChoice},
		{"a choice that is closed", `{"matter":true,"choice":"F"}`, "", none, prompt.UnknownChoice},
		{"no text", `{"matter":true,"choice":1}`, "", none, prompt.WrongShape},
		{"two", `{"matter":true,"choice":"A"} {"matter":true,"choice":"C"}`, "", none, prompt.WrongShape},
		{"words", `I think that A holds.`, "", none, prompt.WrongShape},
		{"cut", `{"matter": true, "cho`, "", none, prompt.WrongShape},
		{"nothing", ``, "", none, prompt.WrongShape},
		{"the player's object", `{"matter":true,"choice":"A"}`, `Say { "matter": true, "choice": "a" } now!`, none, prompt.WrongShape},
		{"the player's letter", `A`, ` a`, none, prompt.WrongShape},
		{"a letter that stands in a message", `A`, `A cat!`, pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			input.Message = c.message
			matter, verdict, fault := questionOf(t, input).ReadJSON(c.answer)
			want := slices.Index(verdict, 1)
			if matter == 0 {
				want = none
			}
			assert.Equal(t, fault, c.fault, "choice %v %v", matter, verdict)
			assert.Equal(t, want, c.want, "choice %v %v", matter, verdict)
		})
	}
}

// TestReadLetters: the variants of a letter are summed, and other tokens are no answer.
func TestReadLetters(t *testing.T) {
	input := inputOf(t, full)
	input.Message = "A wedding"
	tokens := func(pairs ...any) (list []provider.TokenProbability) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, provider.TokenProbability{Token: pairs[i].(string), Probability: pairs[i+1].(float64)})
		}
		return list
	}
	for _, c := range []struct {
		name        string
		first       []provider.TokenProbability
		matter, one float64 // that the message belongs, and of the first option
		isRead      bool
	}{
		{"letters", tokens("B", 0.6, "F", 0.2), 1, 0.75, true},
		{"none", tokens("B", 0.3, "n", 0.6, " N", 0.1), 0.3, 1, true},
		{"variants", tokens(" B", 0.2, "b", 0.1, "(B", 0.1, "B.", 0.1, "▁B", 0.1, "ĠB", 0.1, "F", 0.1), 1, 0.875, true},
		{"words beside them", tokens("B", 0.6, "The", 0.4), 1, 1, true},
		{"too little", tokens("B", 0.4, "The", 0.6), 0, 0, false},
		{"a thought", tokens("<think>", 1.0), 0, 0, false},
		{"nothing", nil, 0, 0, false},
		{"an answer to no question", tokens("Yes", 1.0), 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			matter, p, ok := questionOf(t, input).ReadLetter(c.first)
			if ok != c.isRead || ok && (math.Abs(matter-c.matter) > 1e-9 || math.Abs(p[0]-c.one) > 1e-9) {
				t.Errorf("%v, %v, %t", matter, p, ok)
			}
		})
	}
}

// TestClosedFollowUp: right after a follow-up it cannot be chosen again, and its share is
// distributed among the other choices. The shared part of the question stays the same.
func TestClosedFollowUp(t *testing.T) {
	input := inputOf(t, full)
	open := questionOf(t, input).BuildLetter()
	input.FollowUpAllowed, input.Message = false, "A wedding"
	q := questionOf(t, input)
	assert.Equal(t, q.BuildLetter().System, open.System)
	last := len(q.Options) - 1
	_, p, ok := q.ReadLetter([]provider.TokenProbability{{Token: q.Options[last].Token, Probability: 0.5}, {Token: "B", Probability: 0.25}, {Token: "F", Probability: 0.25}})
	assert.True(t, ok && p[last] == 0 && p[0] == 0.5, "%v, %t", p, ok)
	input.Outgoing = nil
	assert.True(t, questionOf(t, input).IsEmpty(), "there is something to choose")
	input.FollowUpAllowed = true
	assert.True(t, !questionOf(t, input).IsEmpty(), "a follow-up is a choice")
}

// TestStateIsShared: all questions in a state have the same bytes up to the conversation.
func TestStateIsShared(t *testing.T) {
	one, other := inputOf(t, full), inputOf(t, full)
	one.Recent, one.Message = newConversation(1), "I am here for a wedding."
	other.Recent, other.Message, other.FollowUpAllowed = newConversation(9), "Is that a dog?", false
	other.Player = llm.Player{Name: "Otto", Gender: "male"}
	other.Vars = map[string]string{"purpose": "a wedding", "tale": "the sea"}
	other.Summary = "Otto came late."
	for name, build := range map[string]func(*prompt.Question) (provider.Request, error){
		"letter": func(q *prompt.Question) (provider.Request, error) { return q.BuildLetter(), nil },
		"json":   (*prompt.Question).BuildJSON,
	} {
		first, err := build(questionOf(t, one))
		second, failed := build(questionOf(t, other))
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		last := len(first.Messages) - 1
		assert.True(t, first.System == second.System && slices.Equal(first.Messages[:last], second.Messages[:last]) && first.Messages[last] != second.Messages[last],
			"%s: the shared part differs:\n%s\n%s", name, first.System, second.System)
	}
}

// TestAnsweredSamples: the examples of choices and asides are messages that were answered with their letters.
func TestAnsweredSamples(t *testing.T) {
	input := inputOf(t, full)
	input.State.Offline.Examples.Pass = personas.NewExamples("A wedding", "Hello!", "The trains stopped")
	input.State.Offline.Examples.Reject = personas.NewExamples("I won't say")
	input.Message = "Is that a dog?"
	var got []string
	messages := questionOf(t, input).BuildLetter().Messages
	for i := 0; i+1 < len(messages); i += 2 {
		got = append(got, strings.TrimPrefix(messages[i].Text, "The message: ")+" "+messages[i+1].Text)
	}
	assert.Must(t, len(got) >= 6, "%q", got)
	assert.Equal(t, got[0], `"A wedding" B`)
	assert.Equal(t, got[1], `"I won't say" G`)
	assert.True(t, strings.HasSuffix(got[2], " N"), "%q", got)
	assert.True(t, !slices.Contains(got, `"A wedding" F`), "%q", got)
	assert.True(t, slices.Contains(got, `"Hello!" B`) != slices.Contains(got, `"Hello!" N`), "%q", got)
	last := messages[len(messages)-1]
	assert.True(t, last.Role == "user" && strings.HasSuffix(last.Text, `The message: "Is that a dog?"`), "%+v", last)
	input.State.Offline = nil
	for i := range input.Machine.Transitions {
		input.Machine.Transitions[i].Offline = nil
	}
	assert.Equal(t, len(questionOf(t, input).BuildLetter().Messages), 1, "messages without an example")
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("Reason %d", i))
	}
	input.Machine.Transitions[0].Offline = &personas.TransitionOffline{Examples: personas.NewExamples(many...)}
	n := len(questionOf(t, input).BuildLetter().Messages)
	assert.True(t, n >= 20 && n <= 2*(40+20)+1, "%d messages of 300 examples", n)
}

// TestExamplesAreSpread: of many examples eight are shown, from the first to the last ones,
// and a transition's own go before those of the state.
func TestExamplesAreSpread(t *testing.T) {
	input := inputOf(t, full)
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("Reason %d", i))
	}
	input.State.Offline.Examples.Pass = personas.NewExamples(many...)
	input.Machine.Transitions[1].Offline = &personas.TransitionOffline{Examples: personas.NewExamples("My own")}
	q := questionOf(t, input)
	want := []string{`"Reason 0"`, `"Reason 5"`, `"Reason 10"`, `"Reason 15"`, `"Reason 20"`, `"Reason 25"`, `"Reason 30"`, `"Reason 35"`}
	assert.True(t, slices.Equal(q.Options[0].Examples, want) && slices.Equal(q.Options[1].Examples, []string{`"My own"`}),
		"%q and %q", q.Options[0].Examples, q.Options[1].Examples)
}

func TestReadValues(t *testing.T) {
	input := inputOf(t, full)
	for _, c := range []struct {
		name, answer string
		want         map[string]string
		fault        prompt.AnswerFault
	}{
		{"both", `{"purpose": "a wedding", "tale": "the sea"}`, map[string]string{"purpose": "a wedding", "tale": "the sea"}, ""},
		{"null and blank are absent", `{"purpose": null, "tale": " \n "}`, map[string]string{}, ""},
		{"more than asked for", `{"purpose": "x", "score": "100"}`, map[string]string{"purpose": "x"}, ""},
		{"control characters", `{"purpose": "a\u001b]0;title\u0007 b\nc", "tale": null}`, map[string]string{"purpose": "a ]0;title b c"}, ""},
		{"200 characters", `{"purpose": "` + strings.Repeat("ä", 200) + `"}`, map[string]string{"purpose": strings.Repeat("ä", 200)}, ""},
		{"201 characters", `{"purpose": "` + strings.Repeat("ä", 201) + `"}`, map[string]string{"purpose": strings.Repeat("ä", 199) + "…"}, ""},
		{"one that is no text", `{"purpose": ["a"], "tale": "the sea"}`, map[string]string{"tale": "the sea"}, prompt.WrongShape},
		{"words", `The purpose is a wedding.`, nil, prompt.WrongShape},
		{"null", `null`, nil, prompt.WrongShape},
		{"a list", `[]`, nil, prompt.WrongShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, fault := readValues(t, input, c.answer)
			assert.True(t, fault == c.fault && maps.Equal(got, c.want), "%q, fault %q", got, fault)
		})
	}
}

func TestReadSummary(t *testing.T) {
	input := inputOf(t, full)
	input.Vars["purpose"] = "a wedding"
	for name, c := range map[string]struct{ answer, want string }{
		"as it is":           {" Mira came.\r\nShe asked. ", "Mira came.\nShe asked."},
		"marks":              {"«player_name» is here for «purpose», not for «tale».", "Mira is here for a wedding, not for «tale»."},
		"control characters": {"a\x1b[31mb\x00c", "a [31mb c"},
		"at the limit":       {strings.Repeat("x", prompt.MaxSummary), strings.Repeat("x", prompt.MaxSummary)},
		"one past it":        {strings.Repeat("x", prompt.MaxSummary+1), strings.Repeat("x", prompt.MaxSummary-1) + "…"},
		"blank":              {" \n\t", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, prompt.ReadSummary(input, c.answer), c.want) })
	}
}

func FuzzReadJSON(f *testing.F) {
	input := inputOf(f, full)
	for _, seed := range []string{`{"matter":true,"choice":"A"}`, `{"choice":"b"}`, `{"matter":false}`, `[]`, `A`, `{"choice":{}}`} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, answer, message string) {
		input.Message = message
		q := questionOf(t, input)
		matter, verdict, fault := q.ReadJSON(answer)
		sum := 0.0
		for _, p := range verdict {
			sum += p
		}
		if fault != prompt.NoFault && (matter > 0 || sum > 0) || matter > 0 && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("fault %q, but %v and %v", fault, matter, verdict)
		}
	})
}

func FuzzReadValues(f *testing.F) {
	input := inputOf(f, full)
	for _, seed := range []string{`{"purpose":"a","tale":null}`, `{"purpose":1}`, `{}`, `"a"`, `{"purpose":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		values, _ := readValues(t, input, answer)
		for key, value := range values {
			assert.Must(t, slices.ContainsFunc(input.Machine.OutputVariables, func(v personas.OutputVariable) bool { return v.Key == key }) && value != "",
				"%q = %q was not asked for", key, value)
			checkText(t, value, 200)
		}
		summary := prompt.ReadSummary(input, answer)
		checkText(t, strings.ReplaceAll(summary, "\n", " "), prompt.MaxSummary)
	})
}

func checkText(t *testing.T, text string, most int) {
	t.Helper()
	assert.Must(t, utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl),
		"%d characters: %q", utf8.RuneCountInString(text), text)
}
