package playtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestParse(t *testing.T) {
	f, places := parsePlay(t, `persona: ../doors.yaml
player: {name: Ann}
plays:
  - name: in
    player: {gender: male}
    machine: outer
    variants:
      - {name: word, say: "friend <score> [[1]]", score: 2, opened: [inner]}
      - {say: "<nobody>", score: 3.0, opened: []}
    steps:
      - say: "well, <say>!"
        expect: {decision: none, score: <score>, unlocked: <opened>, follow_up: true, redirects: none, reply: {contains: [a, b], matches: ^a, lacks: c}}
  - steps:
      - machine: inner
        expect: {locked: true, reply: Hi, variables: {k: v}}
      - {say: x}
`)
	assert.Must(t, f.Persona == "../doors.yaml" && len(f.Plays) == 3, "%+v", f)
	for i, want := range []string{"in, variant word", "in, variant 2", ""} {
		assert.Equal(t, f.Plays[i].Title(), want, "play %d is called", i)
	}
	assert.Equal(t, f.Plays[0].Player, Player{"Ann", "male"}, "player")
	first, second := f.Plays[0].Steps, f.Plays[1].Steps
	assert.True(t, first[0].Start, "steps %+v", first)
	assert.Equal(t, first[0].Machine, "outer")
	assert.Equal(t, first[1].Say, "well, friend <score> [[1]]!")
	assert.Equal(t, second[1].Say, "well, <nobody>!")
	var got []string
	for _, e := range second[1].Expect {
		at := places.Lookup(e.Path)
		got = append(got, fmt.Sprintf("%s=%s%v@%d:%d", e.Member, e.Want, e.List, at.Line, at.Column))
	}
	want := []string{"decision=none[]@12:28", "score=3[]@9:34", "redirects=none[]@12:98", "follow_up=true[]@12:81", "unlocked=[]@9:47",
		"reply.contains=a[]@12:123", "reply.contains=b[]@12:126", "reply.lacks=c[]@12:150", "reply.matches=^a[]@12:139"}
	assert.DeepEqual(t, got, want, "expectations")
	third := f.Plays[2].Steps
	assert.Must(t, len(third) == 2, "steps %+v", third)
	assert.Equal(t, third[0].Machine, "inner")
	assert.Equal(t, len(third[0].Expect), 3, "expectations")
}

func TestParseFaults(t *testing.T) {
	for src, want := range map[string]string{
		"steps: [{say: a}]":             "1:1: persona is missing",
		"persona: p":                    "1:1: steps are missing",
		"persona: p\nsteps: []":         "2:8: steps are missing",
		"[]":                            "1:1: the play file must be an object",
		"persona: 3\nsteps: [{say: a}]": "1:10: persona must be a text, but it is the number 3",
		"persona: p\nstep: [{say: a}]":  `2:1: the play file has no member "step"; did you mean "steps"?`,
		"persona: p\nplays: []":         "2:8: plays is empty",
		"persona: p\nplays: {}":         "2:8: plays must be a list",
		"persona: p\nvariants: []\nsteps: [{say: a}]":                                "2:11: the table of variants is empty",
		"persona: p\nvariants: [3]\nsteps: [{say: a}]":                               "2:12: a variant must be an object",
		"persona: p\nplayer: {gender: x}\nsteps: [{say: a}]":                         `2:18: gender "x" is not one of female, male, non-binary`,
		"persona: p\nmachine: a\nsteps: [{machine: b}]":                              "2:10: machine is given twice",
		"persona: p\nsteps: [{}]":                                                    "2:9: a step needs either say",
		"persona: p\nsteps: [{say: a, machine: b}]":                                  "2:9: a step needs either say",
		"persona: p\nsteps: [{say: ' '}]":                                            "2:15: the message is empty",
		"persona: p\nsteps: [{say: a, expect: {decisin: pass}}]":                     `2:27: expect of the first step has no member "decisin"; did you mean "decision"?`,
		"persona: p\nsteps: [{say: a, expect: {decision: passs}}]":                   `2:37: decision "passs" is not one of pass, redirect`,
		"persona: p\nsteps: [{say: a, expect: {decision: [pass]}}]":                  "2:37: decision must be one value",
		"persona: p\nsteps: [{say: a, expect: {score: 1.5}}]":                        "2:34: score must be a whole number",
		"persona: p\nsteps: [{say: a, expect: {redirects: some}}]":                   "2:38: redirects must be a whole number",
		"persona: p\nsteps: [{say: a, expect: {locked: true}}]":                      `2:27: expect of the first step has no member "locked"`,
		"persona: p\nsteps: [{machine: a, expect: {state: b}}]":                      `2:31: expect of the first step has no member "state"`,
		"persona: p\nsteps: [{say: a, expect: {reply: {matches: '('}}}]":             "2:44: invalid regular expression",
		"persona: p\nsteps: [{say: a, expect: {variables: [a]}}]":                    "2:38: variables must be an object",
		"persona: p\nsteps: [{say: a, expect: {unlocked: [1]}}]":                     "2:38: the first item of expect.unlocked of the first step must be a text",
		"persona: p\npersona: q\nsteps: [{say: a}]":                                  "2:1: persona occurs twice",
		"persona: p\nsteps: [{say: " + strings.Repeat("x", wire.MaxMessage+1) + "}]": fmt.Sprintf("2:15: the message has %d characters", wire.MaxMessage+1),
		"": "1:1: the document is empty",
	} {
		t.Run(fmt.Sprintf("%q", strings.TrimPrefix(src, "persona: p\n")), func(t *testing.T) {
			_, _, faults := Parse("a.play.yaml", []byte(src))
			assert.True(t, slices.ContainsFunc(faults, func(f personas.Diagnostic) bool { return strings.HasPrefix(f.Error(), want) }), "%.80q: %v, want %s", src, faults, want)
		})
	}
}

// TestParseLimits checks a play file with the maximum number of steps, and one with a step more.
func TestParseLimits(t *testing.T) {
	src := func(variants int) string {
		return "persona: p\nvariants: [" + strings.Repeat("{a: 1},", variants) + "]\nsteps: [" + strings.Repeat("{say: x},", 100) + "]\n"
	}
	f, _, faults := Parse("a.yaml", []byte(src(MaxSteps/100)))
	assert.True(t, len(faults) == 0 && len(f.Plays) == MaxSteps/100, "%d steps: %v", MaxSteps, faults)
	_, _, faults = Parse("a.yaml", []byte(src(MaxSteps/100+1)))
	assert.True(t, len(faults) == 1 && strings.Contains(faults[0].Message, "more than 1000 steps"), "%d steps: %v", MaxSteps+100, faults)
	for name, src := range map[string]func(n int) string{
		"steps[1000]": func(n int) string { return "persona: p\nsteps:\n" + strings.Repeat("  - say: x\n", n) },
		"plays[1000]": func(n int) string {
			return "persona: p\nplays:\n" + strings.Repeat("  - steps: [{say: x}]\n", n/2) + strings.Repeat("  - steps: [{machine: m}]\n", n-n/2)
		},
	} {
		_, _, faults := Parse("a.yaml", []byte(src(MaxSteps)))
		assert.Empty(t, faults, "%d steps", MaxSteps)
		_, _, faults = Parse("a.yaml", []byte(src(MaxSteps+1)))
		assert.True(t, len(faults) == 1 && strings.HasPrefix(faults[0].Path, name), "%d steps: %v", MaxSteps+1, faults)
	}
	said := func(last int) string {
		return "persona: p\nsteps:\n" + strings.Repeat("  - say: "+strings.Repeat("é", 1000)+"\n", MaxSaid/1000-1) + "  - machine: m\n  - say: " + strings.Repeat("é", last) + "\n"
	}
	if _, _, faults := Parse("a.yaml", []byte(said(1000))); len(faults) > 0 {
		t.Errorf("%d characters: %v", MaxSaid, faults)
	}
	if _, _, faults := Parse("a.yaml", []byte(said(1001))); len(faults) != 1 || faults[0].Path != "steps[50]" || !strings.Contains(faults[0].Message, "more than 50000 characters up to here") {
		t.Errorf("%d characters: %v", MaxSaid+1, faults)
	}
	big := "persona: p\nvariants: [" + strings.Repeat("{}, ", 400) + "]\nsteps: [{say: x}]\nx-notes: " + strings.Repeat("n", 3<<20)
	_, _, faults = Parse("a.yaml", []byte(big))
	assert.True(t, len(faults) == 1 && strings.Contains(faults[0].Message, "400 variants are too many"), "400 variants of 3 MiB: %v", faults)
	_, _, faults = Parse("a.yaml", []byte("persona: p\nsteps: [{say: "+strings.Repeat("é", wire.MaxMessage)+"}]"))
	assert.Empty(t, faults, "a message of %d characters", wire.MaxMessage)
}

func FuzzParse(f *testing.F) {
	f.Add("persona: p\nvariants: [{a: 1}]\nsteps: [{say: <a>, expect: {score: <a>, reply: {matches: x}}}]")
	f.Add(`{"persona": "p", "plays": [{"steps": [{"machine": "m", "expect": {"locked": true}}]}]}`)
	f.Add("persona: p\nsteps: [{say: a, expect: {variables: {\"a.b\": c}, unlocked: [x]}}]")
	f.Fuzz(func(t *testing.T, src string) {
		file, places, faults := Parse("a.play.yaml", []byte(src))
		for _, fault := range faults {
			assert.True(t, fault.Line >= 1 && fault.Column >= 1, "%q: position of %+v", src, fault)
			assert.True(t, fault.Message != "", "%q: no message: %+v", src, fault)
		}
		if len(faults) > 0 {
			return
		}
		for _, p := range file.Plays {
			for _, s := range p.Steps {
				for _, e := range s.Expect {
					assert.True(t, places.Lookup(e.Path) != (personas.Position{}), "%q: %+v has no place", src, e)
				}
			}
		}
	})
}
