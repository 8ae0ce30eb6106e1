package playtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
)

// TestUpdate: everything that can be updated is updated, every comment is kept, and the updated file passes.
func TestUpdate(t *testing.T) {
	const before = `persona: doors.yaml # the doors
plays:
  - variants: # who comes
      - {name: a, mark: '[[1]]', score: 7, state: 'closed'} # first
      - {name: b, mark: "[[3]]", score: 7, state: "open"}
    steps:
      - say: in <mark>
        expect: # what comes of it
          state: <state>
          score: <score> # points
          outcome: none # both end
          redirects: 1
  - steps:
      - say: in [[1]]
        expect: {unlocked: [], follow_up: true, decision: reject, variables: {word: friend}} # all
`
	const after = `persona: doors.yaml # the doors
plays:
  - variants: # who comes
      - {name: a, mark: '[[1]]', score: 2, state: 'open'} # first
      - {name: b, mark: "[[3]]", score: 0, state: "closed"}
    steps:
      - say: in <mark>
        expect: # what comes of it
          state: <state>
          score: <score> # points
          outcome: none # both end
          redirects: none
  - steps:
      - say: in [[1]]
        expect: {unlocked: [inner], follow_up: false, decision: pass, variables: {word: mellon}} # all
`
	s, subject, _ := newFakeService(t, doors)
	results, places := playAll(t, s, subject, before)
	got, changes := Update([]byte(before), results)
	assert.Equal(t, string(got), after, "updated")
	var refused []string
	for _, c := range changes {
		if c.Err != nil {
			refused = append(refused, fmt.Sprintf("%d %v", places.Lookup(c.Path).Line, c.Err))
		}
	}
	wantAll(t, refused, "11 variants disagree: ACCEPT in one, KICK_OUT in another; use a column for the value")
	results, places = playAll(t, s, subject, after)
	wantAll(t, formatFailures(results, places), "11:20 outcome: expected none, got ACCEPT", "11:20 outcome: expected none, got KICK_OUT")
}

func TestUpdateRefusals(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	for src, want := range map[string]string{
		"persona: p\nsteps: [{machine: inner}]":                                                        "the step was not played: refused: the machine is not unlocked yet",
		"persona: p\nsteps: [{say: x, expect: {reply: moo}}]":                                          "only the author can change",
		"persona: p\nsteps: [{say: x, expect: {variables: {a: b}}}]":                                   "the variable has no value",
		"persona: p\nsteps: [{machine: outer, expect: {locked: true}}]":                                "only the author can change",
		"persona: p\nvariants: [{m: '[[1]]'}, {m: ''}]\nsteps: [{say: in <m>, expect: {state: open}}]": "variants disagree: open in one, closed in another",
		"persona: p\nsteps: [{say: x, expect: {state: &a open}}, {say: x, expect: {state: *a}}]":       "edit the text by hand",
	} {
		t.Run(fmt.Sprintf("%q", strings.TrimPrefix(src, "persona: p\n")), func(t *testing.T) {
			results, _ := playAll(t, s, subject, src)
			got, changes := Update([]byte(src), results)
			assert.Must(t, len(changes) != 0, "%q: no change", src)
			assert.ErrorContains(t, changes[0].Err, want, "%q", src)
			assert.Equal(t, string(got), src, "text")
		})
	}
}

func TestUpdateJSON(t *testing.T) {
	const src = `{"persona": "p", "steps": [{"say": "in [[1]]", "expect": {"unlocked": [], "redirects": 3, "state": "x"}}]}`
	s, subject, _ := newFakeService(t, doors)
	results, _ := playAll(t, s, subject, src)
	got, _ := Update([]byte(src), results)
	assert.Equal(t, string(got), `{"persona": "p", "steps": [{"say": "in [[1]]", "expect": {"unlocked": ["inner"], "redirects": "none", "state": "open"}}]}`, "updated")
}

func TestMutants(t *testing.T) {
	_, subject, places := newFakeService(t, doors)
	mutants := assert.Value(Mutants(subject.Doc, 0))(t)
	var got []string
	was := string(assert.Value(subject.Doc.MarshalJSON())(t))
	for _, m := range mutants {
		got = append(got, fmt.Sprintf("%d %s", places.Lookup(m.Path).Line, m.What))
		doc := assert.Value(m.MakeDoc())(t, m.What)
		assert.True(t, string(assert.Value(doc.MarshalJSON())(t)) != was, "%s: the mutant equals the document", m.What)
	}
	wantAll(t, got,
		"7 move pass_threshold from 2 to 3", "8 move early_fail_bound from -2 to -1", "7 move pass_threshold from 2 to 1", "8 move early_fail_bound from -2 to -3",
		"16 drop the transition pass from closed", "16 raise score_delta of the transition pass from closed to 3",
		"17 drop the transition pass from closed", "17 raise score_delta of the transition pass from closed to 3",
		"18 drop the transition redirect from closed", "18 raise score_delta of the transition redirect from closed to 0",
		"19 drop the transition kick_out from closed", "19 raise score_delta of the transition kick_out from closed to 1",
		"26 drop the transition pass from shut",
		"28 flip to score_lte the link from outer to inner", "28 raise by one the link from outer to inner", "28 lower by one the link from outer to inner")
	some, err := Mutants(subject.Doc, 4)
	assert.NoError(t, err)
	assert.Must(t, len(some) == 4, "four of them: %v", some)
	assert.Equal(t, some[0].What, mutants[0].What)
	assert.Equal(t, some[3].What, mutants[12].What)
	assert.Equal(t, subject.Doc.Machines[0].Threshold(), 2, "threshold of the persona itself")
	assert.Equal(t, len(subject.Doc.Machines[0].Transitions), 4, "transitions of the persona itself")
}

// TestStubs: playing the stubs covers every point with a known way.
func TestStubs(t *testing.T) {
	s, subject, _ := newFakeService(t, doors)
	in := []Move{{"outer", engine.Fire(0)}}
	ways := map[Point][]Move{
		{Kind: KindLink}: in,
		{Kind: KindState, Machine: "inner", Name: "shut"}:         in,
		{Kind: KindOutcome, Machine: "inner", Name: "ACCEPT"}:     {{"outer", engine.None}, {"outer", engine.Fire(3)}, {"outer", engine.Fire(1)}, {"inner", engine.Fire(0)}},
		{Kind: KindTransition, Machine: "outer", Index: 2}:        {{"outer", engine.Fire(2)}},
		{Kind: KindDecision, Machine: "outer", Name: "kick_out"}:  {{"outer", engine.Fire(3)}},
		{Kind: KindDecision, Machine: "outer", Name: "follow_up"}: {{"outer", engine.FollowUp}},
	}
	missing := slices.DeleteFunc(Points(subject.Doc), func(p Point) bool { _, known := ways[p]; return !known })
	text, err := WriteStubs("../doors.yaml", subject.Doc, missing, func(p Point) []Move { return ways[p] })
	assert.NoError(t, err)
	results, places := playAll(t, s, subject, string(text))
	wantAll(t, formatFailures(results, places))
	hits := Hits{}
	for _, r := range results {
		hits.Add(r.Hits)
	}
	for p := range ways {
		assert.True(t, hits[p] != 0, "%s is not covered by\n%s", NewNames(subject.Doc).Describe(p), text)
	}
	assert.Contains(t, string(text), `say: "(redirect) [[0]]"`)
	assert.Contains(t, string(text), `unlocked: ["inner"]`)
	text, err = WriteStubs("p", subject.Doc, nil, nil)
	assert.True(t, text == nil && err == nil, "stubs of nothing: %q, %v", text, err)
	text, err = WriteStubs("p", subject.Doc, missing[:1], func(Point) []Move { return nil })
	assert.True(t, text == nil && err == nil, "without a way: %q, %v", text, err)
	_, err = WriteStubs("p", subject.Doc, missing, func(Point) []Move { return []Move{{"outer", engine.Fire(9)}} })
	assert.True(t, err != nil, "an invalid way is accepted")
}

// TestUpdatesAreCheap: similar expectations are rewritten together, and others up to a reported bound.
func TestUpdatesAreCheap(t *testing.T) {
	for name, change := range map[string]struct{ to, expect string }{
		"words":              {"open", "{state: closed}"},
		"another kind":       {"none", "{redirects: 1}"},
		"lists":              {"[inner]", "{unlocked: []}"},
		"words in own lines": {"open", "\n      state: closed # here"},
	} {
		src := "persona: p\nsteps:\n" + strings.Repeat("  - say: "+strings.Repeat("word ", 10)+"\n    # "+strings.Repeat("note ", 190)+"\n    expect: "+change.expect+"\n", 900)
		f, _, faults := Parse("a.yaml", []byte(src))
		assert.Empty(t, faults)
		result := Result{Play: &f.Plays[0]}
		for i := range f.Plays[0].Steps {
			step := &f.Plays[0].Steps[i]
			for _, e := range step.Expect {
				result.Steps = append(result.Steps, StepResult{Step: step, Failures: []Failure{{Path: e.Path, Member: e.Member, Want: e.Want, Got: change.to}}})
			}
		}
		var got []byte
		var changes []Change
		used := assert.Allocated(func() { got, changes = Update([]byte(src), []Result{result}) }) >> 20
		assert.True(t, used <= 700, "%s: %d MiB", name, used)
		written := 0
		for _, c := range changes {
			if c.Err == nil {
				written++
			} else if !strings.Contains(c.Err.Error(), "run the update again") {
				t.Errorf("%s: %v", name, c.Err)
			}
		}
		n := strings.Count(string(got), change.to)
		assert.Equal(t, n, written, "%s: written changes", name)
		assert.True(t, written != 0, "%s: no change", name)
		assert.True(t, !strings.HasPrefix(name, "words") || written >= 900, "%s: %d changes", name, written)
	}
}
