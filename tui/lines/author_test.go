package lines

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

// judgedAfter plays in line mode and returns the author's explanation of the last turn.
func judgedAfter(t *testing.T, machine, said string, change func(*tuitest.Service)) string {
	t.Helper()
	p := newLinePlay()
	in := said + "\n/quit\n"
	assert.NoError(t, p.play(t.Context(), strings.NewReader(in), func(o *Options) { o.Machine, o.Interactive = machine, true }))
	if change != nil {
		change(p.service)
	}
	err := p.play(t.Context(), strings.NewReader("/why\n/quit\n"), func(o *Options) { o.Machine, o.Interactive = machine, true })
	assert.NoError(t, err)
	_, why, _ := strings.Cut(p.out.String(), "Judged:")
	return "Judged:" + why
}

func TestWhy(t *testing.T) {
	cases := []struct{ name, machine, said, want string }{
		{"a pass", "gate", "pass", `Judged: like "pass" (1.00).
Held: transition 1 of 4, pass to In the yard, score +1: the first word.
Fired: transition 1 of 4, pass to In the yard, score +1.
State: from At the gate to In the yard.
Score: from 0 to 1 of 2.
Spoken by: offline: line 1 of 1.
`},
		{"a redirect without a row", "gate", "pass\nhm", `Judged: like "hm" (1.00).
Fired: no transition, which counts as redirect.
State: In the yard.
Score: 1 of 2.
Spoken by: offline: line 1 of 1.
`},
		{"one redirect too many", "gate", "redi\nredi\nredi", `Judged: like "redi" (1.00).
Held: transition 3 of 4, reject to Through the gate: the first word.
Fired: transition 3 of 4, reject to Through the gate.
State: from At the gate to Through the gate.
Score: 0 of 2.
Ending: rejected.
Spoken by: offline: line 1 of 1.
`},
		{"more is wanted", "gate", "more", `Judged: like "more" (1.00).
Fired: nothing: the character wants to hear more.
State: At the gate.
Score: 0 of 2.
Spoken by: offline: line 1 of 1.
`},
		{"no points", "cellar", "reje", `Judged: like "reje" (1.00).
Held: transition 2 of 2, reject: the first word.
Fired: transition 2 of 2, reject.
State: In the dark.
Ending: rejected.
Spoken by: offline: line 1 of 1.
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, judgedAfter(t, c.machine, c.said, nil), c.want, c.name) })
	}
}

// TestWhyOfAProvider: a provider's model is named with the cost of each step; old transitions have no name.
func TestWhyOfAProvider(t *testing.T) {
	gone := 40
	got := judgedAfter(t, "gate", "hm", func(s *tuitest.Service) {
		s.Traces["m-gate"][1] = wire.TurnTrace{MessageID: s.Traces["m-gate"][1].MessageID, Evaluation: "Small\x1b[2J talk.", Transition: &gone,
			Holds: []wire.Hold{{Transition: -1, Why: "none"}}, Summary: "not made: the provider is away", Usage: map[string]wire.Usage{
				"zeal": {Model: "a/b", In: 1}, "response": {Model: "openai/gpt", In: 1200, Out: 34}, "evaluation": {Model: "a/\x07", In: 5, Out: 6}}}
	})
	want := `Judged: Small␛[2J talk.
Held: transition -1, which is missing in this version of the persona: none.
Fired: transition 40, which is missing in this version of the persona.
State: At the gate.
Score: 0 of 2.
Summary: not made: the provider is away.
Tokens: evaluation by a/␇, read 5, wrote 6.
Tokens: response by openai/gpt, read 1,200, wrote 34.
Tokens: zeal by a/b, read 1, wrote 0.
`
	assert.Equal(t, got, want)
}

func TestPlainDirects(t *testing.T) {
	p := newLinePlay()
	err := p.play(t.Context(), strings.NewReader("/direct\n/direct 0\n/direct 2 You fool\n/direct\n"), func(o *Options) { o.Directed = true })
	want := gateOpening + `[At the gate] [score 0 of 2] [still going]
1. pass to In the yard, score +1.
2. kick out, score -2.
3. reject to Through the gate.
4. redirect.
5. follow up: nothing changes, the character asks to hear more.
6. aside: only talk: nothing changes and nothing counts.
Mira: You said: You fool [[2]]. Here is what I think about it.
[At the gate] [score 0 of 2] [still going]
1. pass to In the yard, score +1.
2. kick out, score -2.
3. reject to Through the gate.
4. redirect.
5. follow up: nothing changes, the character asks to hear more.
6. aside: only talk: nothing changes and nothing counts.
`
	assert.NoError(t, err)
	assert.Equal(t, p.out.String(), want)
	assert.Contains(t, p.err.String(), `Unknown direction "0": choose a number from 1 to 6, /direct lists them.`)
}

// TestPlainWhyIsRefusedToPlayers: for a player who is not the author, /why prints that, and the play continues.
func TestPlainWhyIsRefusedToPlayers(t *testing.T) {
	p := newLinePlay()
	p.service.TraceError = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	assert.NoError(t, p.play(t.Context(), strings.NewReader("/why\npass\n/quit\n"), func(o *Options) { o.Interactive = true }))
	assert.Contains(t, p.err.String(), "only the persona's author can read explanations")
	assert.Contains(t, p.out.String(), "Now: In the yard.")
}

func TestPlainDirectNeedsAuthorView(t *testing.T) {
	p := newLinePlay()
	p.service.TraceError = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	assert.NoError(t, p.play(t.Context(), strings.NewReader("/why\n/direct 1 x\n/quit\n"), func(o *Options) { o.Interactive = true }))
	assert.Contains(t, p.err.String(), "Directions reveal the persona's secrets: open the author's view first with /why")
}

// TestPlainAside: an aside is ordinary talk for a player; the author sees that it is one.
func TestPlainAside(t *testing.T) {
	p := newLinePlay()
	got := p.person(t, "aside, nice weather|/why|more|/quit", never, func(o *Options) { o.Debug = true })
	before, after, _ := strings.Cut(got, "You said: more")
	assert.NotContains(t, before, "wants you to say more", "an aside and a follow-up are told alike:\n%s", got)
	assert.Contains(t, after, "Mira wants you to say more about it; that costs you nothing.", "an aside and a follow-up are told alike:\n%s", got)
	assert.Contains(t, before, "an aside, which", "the author is not told:\n%s", got)
}
