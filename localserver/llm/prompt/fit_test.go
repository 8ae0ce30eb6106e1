package prompt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func newMessages(sizes ...int) []llm.Message {
	list := make([]llm.Message, len(sizes))
	for i, size := range sizes {
		list[i] = llm.Message{Role: []string{"assistant", "user"}[i%2], Text: strings.Repeat("ö", size)}
	}
	return list
}

func sizesOf(messages []llm.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, fmt.Sprint(utf8.RuneCountInString(m.Text)))
	}
	return strings.Join(out, " ")
}

// TestRecentIsBounded: up to 80,000 characters of messages are sent whole; past
// that the longest are cut, and the player's own words never are.
func TestRecentIsBounded(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  string
	}{
		{[]int{40_000, 40_000}, "40000 40000 90000"},
		{[]int{40_000, 40_001}, "40000 40000 90000"},
		{[]int{10, 90_000, 20}, "10 79970 20 90000"},
		{[]int{70_000, 10, 70_000, 10}, "39990 10 39990 10 90000"},
	} {
		t.Run(fmt.Sprint(c.sizes), func(t *testing.T) {
			input := inputOf(t, full)
			input.Recent, input.Message = newMessages(c.sizes...), strings.Repeat("x", 90_000)
			r := assert.Value(prompt.New().BuildReply(input, llm.StepResult{}))(t)
			assert.Equal(t, sizesOf(r.Messages[1:]), c.want, c.sizes)
		})
	}
}

func TestShorter(t *testing.T) {
	input := inputOf(t, full)
	input.Recent, input.Summary, input.Message = newMessages(100, 100, 100, 100, 10), strings.Repeat("s", 1000), "m"
	short := prompt.ShortenInput(input)
	assert.Equal(t, sizesOf(short.Recent), "97 97 10", "the last half")
	if utf8.RuneCountInString(short.Summary) != 400 || short.Message != "m" || len(input.Recent) != 5 || utf8.RuneCountInString(input.Recent[2].Text) != 100 {
		t.Errorf("summary %d, message %q, and the input itself %s", len(short.Summary), short.Message, sizesOf(input.Recent))
	}
	assert.Equal(t, sizesOf(prompt.ShortenConversation(newMessages(100, 10, 100, 10))), "45 10 45 10", "a conversation")
	got := prompt.ShortenInput(llm.Input{})
	assert.True(t, len(got.Recent) == 0 && len(prompt.ShortenConversation(nil)) == 0, "of nothing something was left")
}

// requestSize returns all that a request sends, in bytes.
func requestSize(r provider.Request) int {
	sum := len(r.System)
	for _, m := range r.Messages {
		sum += len(m.Text)
	}
	if r.Schema != nil {
		sum += len(r.Schema.JSON)
	}
	return sum
}

// inputAtTurn returns the input at a turn of a long conversation.
func inputAtTurn(tb testing.TB, turn int) llm.Input {
	input := inputOf(tb, full)
	all := newConversation(turn - 1)
	input.Recent = all[max(len(all)-20, 0):]
	input.Message = "I am here for a wedding."
	if len(all) > 20 {
		input.Summary = strings.Repeat("s", prompt.MaxSummary)
	}
	return input
}

// TestSizeIsBounded: a turn's requests do not grow with the conversation.
func TestSizeIsBounded(t *testing.T) {
	sizes := map[string][]int{}
	for _, turn := range []int{20, 200, 2000} {
		t.Run(fmt.Sprint(turn), func(t *testing.T) {
			for name, ask := range stepRequests(inputAtTurn(t, turn)) {
				r := assert.Value(ask())(t)
				sizes[name] = append(sizes[name], requestSize(r))
			}
		})
	}
	for name, s := range sizes {
		t.Run(name, func(t *testing.T) {
			t.Logf("%s: %d, %d and %d bytes at turns 20, 200 and 2000", name, s[0], s[1], s[2])
			assert.True(t, s[2] <= s[0]+200, "the %s grows with the conversation: %v", name, s)
		})
	}
}

// buildLetter asks a judge which choice describes the message.
func buildLetter(book *prompt.Builder, input llm.Input) func() (provider.Request, error) {
	return func() (provider.Request, error) {
		q, err := book.NewQuestion(input)
		if err != nil {
			return provider.Request{}, err
		}
		return q.BuildLetter(), nil
	}
}

func stepRequests(input llm.Input) map[string]func() (provider.Request, error) {
	book := prompt.New()
	result := llm.StepResult{Decision: personas.DecidePass, Entered: &input.Machine.States[1]}
	return map[string]func() (provider.Request, error){
		"open":          func() (provider.Request, error) { return book.BuildOpening(input) },
		"evaluation":    buildLetter(book, input),
		"response":      func() (provider.Request, error) { return book.BuildReply(input, result) },
		"summarization": func() (provider.Request, error) { return book.BuildSummary(input, input.Recent) },
		"extraction":    func() (provider.Request, error) { return book.BuildExtraction(input, input.Recent) },
	}
}

// conditionsInput returns an input with a state of the given number of transitions, each with a
// condition of the given number of characters after expansion.
func conditionsInput(transitions, characters int) llm.Input {
	p := &personas.Persona{Variables: []personas.Variable{{Key: "a", Value: strings.Repeat("x", characters)}}}
	m := personas.Machine{Key: "m", States: []personas.State{{Key: "s"}}}
	input := llm.Input{}
	for i := range transitions {
		m.Transitions = append(m.Transitions, personas.Transition{From: "s", To: "s", Decision: personas.DecidePass, Condition: "{{a}}"})
		input.Outgoing = append(input.Outgoing, i)
	}
	p.Machines = []personas.Machine{m}
	input.Persona, input.Machine, input.State = p, &p.Machines[0], &p.Machines[0].States[0]
	return input
}

// TestInstructionsAreBounded: each text of a request is bounded, and all of them
// together; at the limit they are sent, and past it the place is named.
func TestInstructionsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		transitions, characters int
		criterion, place        string
	}{
		"one text at the limit":  {1, 64000, "", ""},
		"one text past it":       {1, 64001, "", "condition has more than 64000 characters"},
		"all texts at the limit": {16, 64000, "", ""},
		"all texts past it":      {16, 64000, "x", "the instructions up to condition has more than 1024000 characters"},
		"far more than can be":   {100000, 64000, "", "the instructions up to condition"},
	} {
		t.Run(name, func(t *testing.T) {
			input := conditionsInput(c.transitions, c.characters)
			input.State.Criteria.Pass = c.criterion
			_, err := prompt.New().NewQuestion(input)
			tooLong, ok := errors.AsType[*llm.ExpansionError](err)
			if (err != nil) != (c.place != "") || err != nil && (!ok || !strings.HasPrefix(tooLong.Error(), c.place)) {
				t.Errorf("built with %v", err)
			}
		})
	}
}
