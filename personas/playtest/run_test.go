package playtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/wire"
)

func formatFailures(results []Result, places personas.SourceMap) []string {
	var all []string
	for i := range results {
		for _, f := range results[i].Failures() {
			at := places.Lookup(f.Path)
			all = append(all, fmt.Sprintf("%d:%d %s", at.Line, at.Column, f.Message()))
		}
	}
	return all
}

func wantAll(t *testing.T, got []string, want ...string) {
	t.Helper()
	assert.EqualSlices(t, got, want)
}

// TestRunThatHolds uses every kind of expectation, in two machines.
func TestRunThatHolds(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	results, places := playAll(t, s, subject, `persona: doors.yaml
player: {name: Nell}
steps:
  - machine: outer
    expect: {reply: {contains: [halt, nell], matches: '^Halt, \w+\.$', lacks: inner}}
  - machine: inner
    expect: {locked: true}
  - say: knock [[follow_up]]
    expect: {follow_up: true, decision: none, state: closed, redirects: 0}
  - say: hello
    expect: {decision: redirect, follow_up: false, redirects: 1, score: -1, outcome: none, unlocked: []}
  - machine: outer
  - say: the word [[1]]
    expect: {decision: pass, state: open, score: 2, redirects: none, outcome: ACCEPT, unlocked: [inner], variables: {word: mellon}}
  - machine: inner
    expect: {locked: false}
  - say: push [[pass]]
    expect: {outcome: ACCEPT, score: 0}
`)
	wantAll(t, formatFailures(results, places))
	assert.True(t, results[0].Err == nil, results[0].Err)
	missing := FindMissing(Points(subject.Doc), results[0].Hits)
	var names []string
	for _, p := range missing {
		names = append(names, NewNames(subject.Doc).Describe(p)+" at "+NewNames(subject.Doc).Path(p))
	}
	wantAll(t, names,
		"machine outer: transition pass from closed to open at machines[0].transitions[1]",
		"machine outer: transition kick_out from closed at machines[0].transitions[3]",
		"machine outer: decision kick_out at machines[0].transitions[3].decision_type",
		"machine outer: outcome REJECT at machines[0].machine_key",
		"machine outer: outcome KICK_OUT at machines[0].machine_key",
		"machine inner: outcome REJECT at machines[1].machine_key",
		"machine inner: outcome KICK_OUT at machines[1].machine_key")
	sum := Sum(Count(Points(subject.Doc), results[0].Hits))
	assert.True(t, sum == (Tally{14, 21}) && int(sum.Percent()) == 66, "coverage %+v, %g %%", sum, sum.Percent())
}

// TestRunContinuesAfterFailures: every wrong expectation of a step is reported, and the steps after it are played.
func TestRunContinuesAfterFailures(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	results, places := playAll(t, s, subject, `persona: doors.yaml
plays:
  - steps:
      - say: the word [[1]]
        expect: {decision: redirect, state: closed, score: 9, redirects: 1, follow_up: true, outcome: none, unlocked: [],
          reply: {contains: moo, lacks: mm, matches: x$}, variables: {word: friend, other: a}}
      - say: more
      - say: and more
        expect: {score: 1}
      - machine: inner
        expect: {locked: true}
      - machine: nowhere
      - machine: inner
      - say: push [[1]]
        expect: {score: 1}
`)
	wantAll(t, formatFailures(results, places),
		"5:28 decision: expected redirect, got pass",
		"5:45 state: expected closed, got open",
		"5:60 score: expected 9, got 2",
		"5:74 redirects: expected 1, got none",
		"5:88 follow_up: expected true, got false",
		"5:103 outcome: expected none, got ACCEPT",
		"5:119 unlocked: expected [], got [inner]",
		"6:92 variable other: expected a, got nothing",
		"6:77 variable word: expected friend, got mellon",
		`6:29 the reply does not contain "moo": "Mm: the word [[1]]"`,
		`6:41 the reply contains "mm": "Mm: the word [[1]]"`,
		`6:54 the reply does not match "x$": "Mm: the word [[1]]"`,
		"7:9 refused: the machine is finished",
		"11:26 locked: expected true, got false",
		"12:9 refused: there is no such machine",
		"15:25 score: expected 1, got 0")
	assert.True(t, results[0].Steps[3].Skipped, "a message after a refusal was sent")
}

// TestRunOfAForeignPersona: a 403 for another reason than a locked machine does not meet "locked: true".
func TestRunOfAForeignPersona(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	s.lockCode = wire.CodeForbidden
	results, places := playAll(t, s, subject, "persona: p\nsteps: [{machine: inner, expect: {locked: true}}]")
	wantAll(t, formatFailures(results, places), "2:9 refused: the machine is not unlocked yet")
}

func TestRunWithoutAService(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	s.broken = "boom"
	results, _ := playAll(t, s, subject, "persona: p\nsteps: [{say: hi}, {say: boom}, {say: hi}]")
	r := results[0]
	assert.True(t, r.Err != nil, "no error")
	assert.Empty(t, r.Failures())
	assert.Equal(t, len(r.Steps), 3, "steps")
}

// TestWhichTransition: an ambiguous reply counts for no transition, and a note says so, unless a mark selects one.
func TestWhichTransition(t *testing.T) {
	for say, want := range map[string]string{"the key": "", "the key [[1]]": "0", "the key [[4]]": "1", "the key [[2]]": "2", "the key [[9]]": "2", "no [[0]]": "2", "no [[redirect]]": "2", "go [[kick_out]]": "3"} {
		t.Run(say, func(t *testing.T) {
			s, subject, _ := newFakeService(t, doors)
			results, _ := playAll(t, s, subject, fmt.Sprintf("persona: p\nsteps: [{say: %q}]", say))
			got := ""
			for p := range results[0].Hits {
				if p.Kind == KindTransition {
					got += fmt.Sprint(p.Index)
				}
			}
			assert.True(t, got == want && (len(results[0].Notes) == 1) == (want == ""), "%s: transition %q, want %q; notes %v", say, got, want, results[0].Notes)
			if want == "" && !strings.Contains(results[0].Notes[0].Text, "transitions[0] (mark [[1]]) or transitions[1] (mark [[4]])") {
				t.Errorf("the note says %s", results[0].Notes[0].Text)
			}
		})
	}
}

// TestAnotherVersion: the runner notices that a service has another version of the persona, and follows it anyway.
func TestAnotherVersion(t *testing.T) {
	s, _, _ := newFakeService(t, strings.Replace(doors, "score_delta: 2", "score_delta: 7", 1))
	_, ours, _ := newFakeService(t, doors)
	f, _ := parsePlay(t, "persona: p\nsteps: [{say: hi}, {say: 'in [[1]]'}]")
	r := ours.Run(context.Background(), s, "ann", &f.Plays[0])
	assert.Must(t, len(r.Notes) == 1, "notes %v", r.Notes)
	assert.Contains(t, r.Notes[0].Text, "matches no transition")
	assert.Equal(t, r.Hits[Point{Kind: KindOutcome, Machine: "outer", Name: "ACCEPT"}], 1, "hits %v", r.Hits)
}

// TestPlacesInWords: messages about a play file name positions in words, never by an index from 0.
func TestPlacesInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"persona: p\nplays:\n  - name: By night\n    steps: [{say: a}, {say: b, expect: {decisoin: pass}}]": `expect of the second step of the first play has no member "decisoin"; did you mean "decision"?`,
		"persona: p\nplays: [{steps: [{say: a}]}, {steps: [{say: [1]}]}]":                                   "say of the first step of the second play must be a text",
		"persona: p\nplays: [{steps: {say: a}}]":                                                            "steps of the first play must be a list",
		"persona: p\nsteps: [{saay: a}]":                                                                    `the first step has no member "saay"; did you mean "say"?`,
	} {
		_, _, faults := Parse("a.play.yaml", []byte(text))
		assert.Must(t, len(faults) == 1, "%s\n%v", text, faults)
		assert.Contains(t, faults[0].Message, want, text)
		assert.True(t, !strings.Contains(faults[0].Message, "[0]"), "%s\n%v", text, faults)
	}
}

// TestPatternsAreBounded: the total work of all regular expressions in a file is bounded.
func TestPatternsAreBounded(t *testing.T) {
	step := func(pattern string) string { return "  - {say: a, expect: {reply: {matches: '" + pattern + "'}}}\n" }
	for name, tt := range map[string]struct{ steps, want string }{
		"short":    {step("(a|b)*c{1,900}"), ""},
		"long":     {step(strings.Repeat("(a*)*", 201)), "the regular expression has 1005 bytes"},
		"classes":  {strings.Repeat(step(`(x{900}y{900}){1}`), 20), "more than 20000 parts up to here"},
		"together": {strings.Repeat(step("abcdefghij"), 999), ""},
		"nested":   {strings.Repeat(step("((ab){30}c){30}"), 20), "more than 20000 parts up to here"},
	} {
		_, _, faults := Parse("a.yaml", []byte("persona: p\nsteps:\n"+tt.steps))
		switch {
		case tt.want == "" && len(faults) > 0:
			t.Errorf("%s: %v", name, faults[0])
		case tt.want != "" && (len(faults) == 0 || !strings.Contains(faults[0].Message, tt.want)):
			t.Errorf("%s: %v", name, faults)
		}
	}
}

func sampleTalk(t *testing.T, name string) *Talk {
	t.Helper()
	return assert.Value(NewTalk(personatest.Sample(t, name)))(t)
}

// TestUnforeseenMessages: a message similar to an example of any state counts as foreseen.
func TestUnforeseenMessages(t *testing.T) {
	k := sampleTalk(t, "starter")
	for _, said := range []string{
		"You are magnificent", "you are magnificent!", "I push you off the book", "What do you like?", "good morning", // foreseen
		"my left shoe is wet", "My left shoe is WET", "is my left shoe wet?", "the parliament has dissolved itself",
	} {
		assert.NoError(t, k.AddHistory("the-book", []wire.HistoryMessage{{Role: wire.RoleAssistant, StateKeyAtTime: "on-the-book"}, {Role: wire.RoleUser, Content: said}}, "a.json"))
	}
	report := assert.Value(k.Judge(t.Context()))(t)
	var got []string
	for _, g := range report.Groups {
		got = append(got, fmt.Sprintf("%d %d %s", g.N, g.Count, g.Text))
	}
	assert.Equal(t, strings.Join(got, "; "), "1 3 my left shoe is wet; 2 1 the parliament has dissolved itself", got)
	assert.Equal(t, report.Unforeseen, 4, got)
	assert.Equal(t, report.Messages, 9, got)
}

// TestTalkIsBounded: too many messages, and texts that are too long to compare, are refused with a remedy.
func TestTalkIsBounded(t *testing.T) {
	k := sampleTalk(t, "starter")
	for i := range maxMessages + 1 {
		err := k.add("the-book", "on-the-book", "the same", "a.json")
		assert.Must(t, (err != nil) == (i == maxMessages), "message %d: %v", i+1, err)
	}
	k = sampleTalk(t, "gate")
	var err error
	for i := 0; i < maxMessages && err == nil; i++ {
		err = k.add("eel-gate", "bar", fmt.Sprint(i, strings.Repeat(" long words", 700)), "b.json")
	}
	assert.ErrorContains(t, err, "comparing the messages up to b.json with", "texts without a bound")
	err = k.add("eel-gate", "bar", strings.Repeat("x", intent.MaxLineText+1), "b.json")
	assert.True(t, err == nil && k.leftOut == 1, "a text that every service rejects: %v, %d left out", err, k.leftOut)
}

// talkative is the persona doors with an answer to small talk and a patience of two.
var talkative = strings.Replace(doors, "        max_redirects: 1\n", "        max_redirects: 1\n        offline: {patience: 2, answers: [{intent: greeting, say: [Creak.]}]}\n", 1)

func TestAsidesAreExpected(t *testing.T) {
	service, subject, _ := newFakeService(t, talkative)
	f, _ := parsePlay(t, `persona: doors.yaml
steps:
  - say: hello [[aside]]
    expect: {aside: true, follow_up: true, decision: none, state: closed, score: 0, redirects: 0}
  - say: knock [[follow_up]]
    expect: {aside: false, follow_up: true}
  - say: hello [[aside]]
    expect: {aside: true}
  - say: nice door [[aside]]
    expect: {aside: true}
  - say: very nice [[aside]]
    expect: {aside: false, decision: redirect, redirects: 1, score: -1}
  - say: the key [[4]]
    expect: {outcome: REJECT}
`)
	r := subject.Run(t.Context(), service, "u", &f.Plays[0])
	failures := r.Failures()
	assert.Empty(t, failures, "failures")
	assert.NoError(t, r.Err)
	assert.Empty(t, r.Notes, "notes")
	assert.Equal(t, r.Hits[Point{Kind: KindDecision, Machine: "outer", Name: personas.AsideName}], 3, "asides counted")
}

func TestAsidePoints(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      int
	}{{"nothing written", doors, 0}, {"answers of a state", talkative, 1}, {"answers of the persona", doors + "offline: {answers: [{intent: joke, say: [no]}]}\n", 2}} {
		t.Run(c.name, func(t *testing.T) {
			_, subject, _ := newFakeService(t, c.src)
			found := 0
			for _, p := range Points(subject.Doc) {
				if p.Kind == KindDecision && p.Name == personas.AsideName {
					found++
				}
			}
			assert.Equal(t, found, c.want, "points")
		})
	}
}

// TestAsidesAreRecorded: a recorded play with asides contains the mark that forces each aside.
func TestAsidesAreRecorded(t *testing.T) {
	_, subject, _ := newFakeService(t, talkative)
	said := func(text string) wire.HistoryMessage { return wire.HistoryMessage{Role: wire.RoleUser, Content: text} }
	heard := wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "closed", FollowUpTriggered: true}
	aside := heard
	aside.Aside = true
	src, err := WriteRecording("a.yaml", subject.Doc, Player{Name: "Ann", Gender: "female"}, []Take{{Machine: "outer", Messages: []wire.HistoryMessage{
		{Role: wire.RoleAssistant}, said("hello"), aside, said("knock"), heard, said("nice"), aside,
	}}}, func(int) bool { return true })
	assert.NoError(t, err)
	for _, want := range []string{`"hello [[aside]]"`, `"knock [[follow_up]]"`, `"nice [[aside]]"`, "decision: none, state: \"closed\", score: 0, aside: true"} {
		assert.Contains(t, string(src), want)
	}
	_, _, faults := Parse("a.play.yaml", src)
	assert.Empty(t, faults, "%v in\n%s", faults, src)
}

// TestAsidesAreSimulated: the simulator plays asides only if their weight is set, and they do not change any ending.
func TestAsidesAreSimulated(t *testing.T) {
	_, subject, _ := newFakeService(t, doors)
	plain := assert.Value(Simulate(subject.Doc, SimulateOptions{Plays: 200, Seed: 3}))(t)
	talked := assert.Value(Simulate(subject.Doc, SimulateOptions{Plays: 200, Seed: 3, Weights: map[string]int{personas.AsideName: 4}}))(t)
	assert.True(t, plain.Machines[0].Turns.Mean < talked.Machines[0].Turns.Mean, "no asides were played")
}
