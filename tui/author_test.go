package tui

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// Trace is the stage's: why each message is as it is, as the local server tells.
func (s *stage) Trace(_ context.Context, _, _, machine string) (wire.Trace, error) {
	if s.untold != nil {
		return wire.Trace{}, s.untold
	}
	return wire.Trace{SessionID: "s-" + machine, Turns: s.traces[machine]}, nil
}

// judgedAfter plays in line mode and gives what an author is told of the turn at
// the end.
func judgedAfter(t *testing.T, machine, said string, change func(*stage)) string {
	t.Helper()
	p := newLinePlay()
	in := said + "\n/quit\n"
	if err := p.play(t.Context(), strings.NewReader(in), func(o *Options) { o.Machine, o.Interactive = machine, true }); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(p.stage)
	}
	err := p.play(t.Context(), strings.NewReader("/why\n/quit\n"), func(o *Options) { o.Machine, o.Interactive = machine, true })
	if err != nil {
		t.Fatal(err)
	}
	_, why, _ := strings.Cut(p.out.String(), "Judged:")
	return "Judged:" + why
}

func TestWhy(t *testing.T) {
	cases := []struct{ name, machine, said, want string }{
		{"a pass", "gate", "pass", `Judged: like "pass" (1.00).
Held: number 1 of 4, pass to In the yard, score +1: the first word.
Fired: number 1 of 4, pass to In the yard, score +1.
State: from At the gate to In the yard.
Score: from 0 to 1 of 2.
Spoken by: offline: line 1 of 1.
`},
		{"a redirect without a row", "gate", "pass\nhm", `Judged: like "hm" (1.00).
Fired: no transition, which counts as redirect.
State: In the yard.
Score: 1 of 2.
Redirects: 1 of 1.
Spoken by: offline: line 1 of 1.
`},
		{"one redirect too many", "gate", "redi\nredi\nredi", `Judged: like "redi" (1.00).
Held: number 3 of 4, reject to Through the gate: the first word.
Fired: number 3 of 4, reject to Through the gate.
State: from At the gate to Through the gate.
Score: 0 of 2.
Ending: rejected.
Spoken by: offline: line 1 of 1.
`},
		{"more is wanted", "gate", "more", `Judged: like "more" (1.00).
Fired: nothing, the character wants to hear more.
State: At the gate.
Score: 0 of 2.
Spoken by: offline: line 1 of 1.
`},
		{"no points", "cellar", "reje", `Judged: like "reje" (1.00).
Held: number 2 of 2, reject: the first word.
Fired: number 2 of 2, reject.
State: In the dark.
Ending: rejected.
Spoken by: offline: line 1 of 1.
`},
	}
	for _, c := range cases {
		if got := judgedAfter(t, c.machine, c.said, nil); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A provider's model is named with what each step cost, in the order of the
// steps; a transition of an older version of the persona has no name.
func TestWhyOfAProvider(t *testing.T) {
	gone := 40
	got := judgedAfter(t, "gate", "hm", func(s *stage) {
		s.traces["m-gate"][1] = wire.TurnTrace{MessageID: s.traces["m-gate"][1].MessageID, Evaluation: "Small\x1b[2J talk.", Transition: &gone,
			Holds: []wire.Hold{{Transition: -1, Why: "none"}}, Summary: "not made: the provider is away", Usage: map[string]wire.Usage{
				"zeal": {Model: "a/b", In: 1}, "response": {Model: "openai/gpt", In: 1200, Out: 34}, "evaluation": {Model: "a/\x07", In: 5, Out: 6}}}
	})
	want := `Judged: Small␛[2J talk.
Held: the transition at place -1, which this version of the persona does not have: none.
Fired: the transition at place 40, which this version of the persona does not have.
State: At the gate.
Score: 0 of 2.
Redirects: 1 of 2.
Summary: not made: the provider is away.
Tokens: evaluation by a/␇, read 5, wrote 6.
Tokens: response by openai/gpt, read 1,200, wrote 34.
Tokens: zeal by a/b, read 1, wrote 0.
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Whoever is not the author is told so, and play goes on.
func TestWhyIsTheAuthors(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusForbidden:    "Only the persona's author is told why",
		http.StatusUnauthorized: "Only the persona's author is told why",
		http.StatusNotFound:     "This service does not tell why",
		http.StatusBadGateway:   "away",
	} {
		refusal := &wire.Error{Status: status, Message: "away"}
		p := newLinePlay()
		p.stage.untold = refusal
		err := p.play(t.Context(), strings.NewReader("/why\npass\n/quit\n"), func(o *Options) { o.Interactive = true })
		if err != nil || !strings.Contains(strings.ToLower(p.err.String()), strings.ToLower(want)) || !strings.Contains(p.out.String(), "Now: In the yard.") {
			t.Errorf("%d: %v, %s\n%s", status, err, p.err.String(), p.out.String())
		}
		d := playing(t)
		d.stage.untold = refusal
		d.press("f2").settle()
		if !strings.Contains(strings.ToLower(d.screen()), strings.ToLower(want)) {
			t.Errorf("%d: the screen does not say %q:\n%s", status, want, d.screen())
		}
		d.say("pass").shows("In the yard")
	}
}

// asAuthor is a chat that has been played for a while by its author.
func asAuthor(t testing.TB) *driver {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Debug, o.Directed = true, true })
	return d.settle().say("redi, please", "more", "pass, I am a friend of the house")
}

func TestAuthorScreens(t *testing.T) {
	for _, s := range []struct{ name, keys string }{{"author", "f2"}, {"director", "f5"}, {"debug", ""}} {
		d := asAuthor(t)
		if s.keys != "" {
			d.press(s.keys).settle()
		}
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
			d.resize(size[0], size[1])
			golden(t, fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1]), d.screen())
		}
	}
}

func TestAuthorViewByKeys(t *testing.T) {
	d := asAuthor(t).press("f2").settle()
	d.shows("Why: each turn", "pass, I am a friend", "number 1 of 4, pass to In the yard, score +1")
	d.hides("the opening line")
	d.press("pgup", "pgup", "pgup").shows("the opening line")
	d.press("ctrl+end").showing("pass, I am a friend").press("f2")
	d.hides("Why: each turn")
	d.press("/why", "enter").settle().showing("Why: each turn").press("esc")
	d.hides("Why: each turn")
}

// With --debug each reply is followed by why, also when the next machine opens at
// once.
func TestDebugNotes(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Debug, o.Machine = true, "cellar" })
	d.stage.unlocked = []string{"m-cellar"}
	d.settle().say("pass")
	d.resize(80, 60)
	d.shows("Fired: number 1 of 2, pass to In the light", "The cellar ended: accepted", "── The tower")
	hidden := playing(t).say("pass")
	hidden.hides("Fired:")
}

func TestDirectorByKeys(t *testing.T) {
	d := asAuthor(t).press("Let me through").press("f5").settle()
	d.shows("Director: what your words do", "pass to Through the gate, score +1", "[[1]]", "redirect", "needs no transition", "follow up")
	d.press("redirect", "enter").settle()
	if h := d.stage.history["m-gate"]; h[len(h)-2].Content != "Let me through [[redirect]]" {
		t.Errorf("said %q", h[len(h)-2].Content)
	}
	d.press("f5").settle().press("esc").press("/direct 9 x", "enter").settle().shows(`there is no "9" to choose`)
	d.press("ctrl+u", "/direct 1 So", "enter").settle()
	if h := d.stage.history["m-gate"]; h[len(h)-2].Content != "So [[1]]" {
		t.Errorf("said %q", h[len(h)-2].Content)
	}
}

// Directions are only for the offline model: where the chat does not know who
// plays, the trace tells it to the author, and nobody else can direct.
func TestDirectorAsksWhoPlays(t *testing.T) {
	d := playing(t).press("f5").settle().showing("Director: what your words do").press("esc")
	d.stage.traces["m-gate"][0].Usage = map[string]wire.Usage{"open": {Model: "a/b", In: 1}}
	d.press("f5").settle().shows("another one plays here")
	d.press("/direct 1 hm", "enter").settle().shows("another one plays here")
	d.stage.untold = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	d.press("f5").settle().shows("only the built-in offline model takes directions")
	if got := len(d.stage.history["m-gate"]); got != 1 {
		t.Errorf("%d messages were said", got)
	}
	p := newLinePlay()
	p.stage.untold = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	if err := p.play(t.Context(), strings.NewReader("/direct 1 x\n/quit\n"), func(o *Options) { o.Interactive = true }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.err.String(), "Not directed: only the built-in offline model") {
		t.Errorf("talk\n%s", p.err.String())
	}
}

func TestPlainDirects(t *testing.T) {
	p := newLinePlay()
	err := p.play(t.Context(), strings.NewReader("/direct\n/direct 0\n/direct 2 You fool\n/direct\n"), func(o *Options) { o.Directed = true })
	want := gateOpening + `[At the gate] [score 0 of 2] [still going]
1. pass to In the yard, score +1.
2. kick out, score -2.
3. reject to Through the gate.
4. redirect.
5. follow up: nothing moves, the character asks to hear more.
Mira: You said: You fool [[2]]. Here is what I think about it.
[At the gate] [score 0 of 2] [still going]
1. pass to In the yard, score +1.
2. kick out, score -2.
3. reject to Through the gate.
4. redirect.
5. follow up: nothing moves, the character asks to hear more.
`
	if err != nil || p.out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, p.out.String(), want)
	}
	if !strings.Contains(p.err.String(), `There is no "0" to choose, it goes from 1 to 5: /direct lists it.`) {
		t.Errorf("talk\n%s", p.err.String())
	}
}
