package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestRejects: the findings about rejects in scoring mode agree with the moves of the engine.
func TestRejects(t *testing.T) {
	const three = "machine m\nstate a initial\nstate b terminal\nstate c terminal\n"
	cases := map[string]lintCase{
		"one pass is the way on":               {persona: "machine m" + inn + "a > z pass 3\na > - reject -1"},
		"several passes and a target":          {persona: three + "a > b pass 3\na > c pass 3 p1\na > c reject -1 p2"},
		"several passes and no target":         {three + "a > b pass 3\na > c pass 3 p1\na > - reject -1 p2", nil, []string{"reject-falls-to-pass machines[0].transitions[2]"}},
		"several passes to one state":          {persona: "machine m" + inn + "a > z pass 3\na > z pass 3 p1\na > - reject -1 p2"},
		"its own state as the target":          {"machine m" + inn + "a > z pass 3\na > a reject -1 p1", nil, []string{"reject-falls-to-pass machines[0].transitions[1].to_state_key"}},
		"its own state, where no pass leads":   {persona: "machine m" + inn + "state b\na > z pass 3\na > b pass 3 p1\nb > b reject -1\nb > z reject -1 p1"},
		"its own state, to which a pass leads": {persona: "machine m" + inn + "a > a pass 3\na > z pass p1\na > a reject -1 p2"},
		"passing or failing":                   {persona: "machine m pass_fail\nstate a initial\nstate b terminal\nstate c terminal\na > b pass\na > c pass p1\na > - reject p2"},
		"the priority says which is first":     {three + "a > b pass 3 p5\na > c pass 3 p1\na > - reject -1 p9", nil, []string{"reject-falls-to-pass machines[0].transitions[2]"}},

		"redirects used up":                   {"machine m\nstate a initial max=2\nstate b terminal\nstate c terminal\na > b pass 3\na > c pass 3 p1", nil, []string{"redirects-fall-to-pass machines[0].states[0].max_redirects"}},
		"redirects used up with a reject":     {persona: "machine m\nstate a initial max=2\nstate b terminal\nstate c terminal\na > b pass 3\na > c pass 3 p1\na > c reject -1 p2"},
		"redirects used up and one way":       {persona: "machine m\nstate a initial max=2\nstate z terminal\na > z pass 3"},
		"redirects without a limit":           {persona: three + "a > b pass 3\na > c pass 3 p1"},
		"the points run out before the limit": {persona: "machine m bound=-2\nstate a initial max=2\nstate b terminal\nstate c terminal\na > b pass 3\na > c pass 3 p1\na > - redirect -1 p2"},
		"the points last just long enough": {"machine m bound=-3\nstate a initial max=2\nstate b terminal\nstate c terminal\na > b pass 3\na > c pass 3 p1\na > - redirect -1 p2", nil,
			[]string{"redirects-fall-to-pass machines[0].states[0].max_redirects"}},
		"points from before last long enough": {"machine m bound=-2\nstate s initial\nstate a max=2\nstate b terminal\nstate c terminal\ns > a pass 1\na > b pass 3\na > c pass 3 p1\na > - redirect -1 p2", nil,
			[]string{"redirects-fall-to-pass machines[0].states[1].max_redirects"}},

		"an ending that only a reject wins":      {three + "a > b pass 3\na > c reject 3 p1\na > c pass 0 p2", nil, []string{"won-only-by-reject machines[0].states[2]"}},
		"an ending that a pass wins too":         {persona: three + "a > b pass 3\na > c reject 3 p1\na > c pass 3 p2\na > c pass -1 p3"},
		"an ending that a reject does not win":   {persona: three + "a > b pass 3\na > c reject 2 p1\na > c pass 3 p2"},
		"a pass wins it with points from before": {persona: "machine m\nstate s initial\nstate a\nstate c terminal\ns > a pass 3\na > c pass 0\na > c reject -1 p1"},
		"used up redirects that win": {"machine m\nstate s initial\nstate a max=1\nstate b\nstate c terminal\ns > a pass 3\na > c pass -3\ns > b pass 3 p1\nb > c pass -3", nil,
			[]string{"won-only-by-reject machines[0].states[3]"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found := lintPersona(smallPersona(t, c.persona))
			var got []string
			for _, f := range found {
				if slices.Contains([]string{"reject-falls-to-pass", "redirects-fall-to-pass", "won-only-by-reject"}, f.Check) {
					got = append(got, f.Check+" "+f.Path)
				}
			}
			assert.EqualSlices(t, got, c.want, "found %+v", found)
		})
	}
}

// TestRejectsThatLeadLikePasses: a reject with the same target as a pass of its state, set explicitly or by default.
func TestRejectsThatLeadLikePasses(t *testing.T) {
	const three = "machine m\nstate a initial\nstate b terminal\nstate c terminal\n"
	for name, c := range map[string]struct {
		persona string
		row     int
	}{
		"the target of the pass":                 {"machine m" + inn + "state s\na > s pass 4\na > - redirect -1 p1\ns > z pass 3\ns > z reject -1 p1", 3},
		"no target":                              {"machine m" + inn + "state s\na > s pass 4\na > - redirect -1 p1\ns > z pass 3\ns > - reject -1", 3},
		"no target, and several passes to one":   {"machine m" + inn + "state s\na > s pass 4\na > - redirect -1 p1\ns > z pass 3\ns > z pass 3 p1\ns > - reject -1 p2", 4},
		"the target of the second pass":          {three + "state s\na > s pass 4\na > - redirect -1 p1\ns > b pass 3\ns > c pass 3 p1\ns > c reject -1 p2", 4},
		"a target where the machine goes on":     {"machine m" + inn + "state s\na > s pass 1\na > s reject -1 p1\ns > z pass 3\ns > z pass 4 p1", 1},
		"too few points at the end":              {"machine m" + inn + "a > z pass 3\na > z reject -1 p1", -1},
		"too few points, without a target":       {"machine m" + inn + "a > z pass 3\na > - reject -1", -1},
		"the bound, where the machine goes on":   {"machine m" + inn + "state s\na > s pass 1\na > s reject -3 p1\ns > z pass 3", -1},
		"the bound, but not with a higher score": {"machine m" + inn + "state r\nstate s\na > r pass 3\na > s pass 3 p1\nr > s pass 1\nr > s reject -3 p1\ns > z pass 3\ns > z reject -9", 3},
		"told as reject-falls-to-pass":           {three + "a > b pass 3\na > c pass 3 p1\na > - reject -1 p2", -1},
		"a target that no pass has":              {three + "a > b pass 3\na > c reject -1 p1", -1},
		"the target of another state's pass":     {"machine m\nstate a initial\nstate b\nstate z terminal\na > b pass 1\nb > z pass 3\na > z reject -1 p1", -1},
		"the target of the pass, without points": {"machine m pass_fail" + inn + "a > z pass\na > z reject p1", -1},
	} {
		var want []string
		if c.row >= 0 {
			want = []string{fmt.Sprintf("machines[0].transitions[%d]", c.row)}
		}
		var got []string
		for _, f := range lintPersona(smallPersona(t, c.persona)) {
			if f.Check == "reject-leads-like-pass" {
				got = append(got, f.Path)
			}
		}
		assert.EqualSlices(t, got, want, name)
	}
}

// TestDeclared: things that an author declares are not reported, or reported as an info.
func TestDeclared(t *testing.T) {
	const trap = "machine m pass_fail" + inn + "state b max=1\na > z pass\na > b pass\nb > - redirect"
	own := personas.Members{{Name: "x-unbeatable", Value: []byte("true")}}
	for name, declare := range map[string]func(m *personas.Machine){
		"in the state": func(m *personas.Machine) { m.States[2].Extra = own }, "in the machine": func(m *personas.Machine) { m.Extra = own },
	} {
		p := smallPersona(t, trap)
		declare(&p.Machines[0])
		assert.Empty(t, formatFindings(lintPersona(p), nil), name)
	}
	goes := personas.Members{{Name: "x-goes-on", Value: []byte("true")}}
	for name, declare := range map[string]func(m *personas.Machine){
		"in the state": func(m *personas.Machine) { m.States[0].Extra = goes }, "in the machine": func(m *personas.Machine) { m.Extra = goes },
	} {
		p := smallPersona(t, "machine m"+inn+"a > z pass 3\na > - redirect 1 p1\na > z reject -1 p1")
		if asked := []string{"reject-leads-like-pass machines[0].transitions[2]"}; !slices.Equal(formatFindings(lintPersona(p), asked), asked) {
			t.Errorf("%s: nothing is found", name)
		} else if declare(&p.Machines[0]); len(formatFindings(lintPersona(p), asked)) > 0 {
			t.Errorf("%s: it is declared, and found", name)
		}
	}
	p := smallPersona(t, trap)
	p.Machines[0].Extra = personas.Members{{Name: "x-unbeatable", Value: []byte("false")}}
	if found := formatFindings(lintPersona(p), nil); len(found) != 1 {
		t.Errorf("not declared: %v", found)
	}
	p = smallPersona(t, "var k v\nmachine m pass_fail"+inn+"a > z pass")
	p.Variables[0].Description = "The game reads it."
	found := slices.DeleteFunc(lintPersona(p), func(f personas.Diagnostic) bool { return f.Check != "variable-never-used" })
	assert.True(t, len(found) == 1 && found[0].Severity == Info, "described: %v", found)
}

// TestStatesOfOneName checks duplicate labels and keys of states, and openings that are never spoken.
func TestStatesOfOneName(t *testing.T) {
	tests := []struct {
		old, changed string
		want         []string
	}{
		{"label: Inside the walls", "label: ' OUTSIDE '", []string{"duplicate-label machines[0].states[1].label"}},
		{"state_key: outside\n", "state_key: outside\n        label: inside  the Walls\n", []string{"duplicate-label machines[0].states[1].label"}},
		{"label: Inside the walls", "label: well", nil},
		{"label: Inside the walls", "offline: {opening: [Hello]}", []string{"opening-not-spoken machines[0].states[1].offline.opening"}},
		{"label: Inside the walls", "offline: {opening: []}", nil},
	}
	for _, test := range tests {
		assert.EqualSlices(t, formatFindings(lintText(strings.Replace(Example, test.old, test.changed, 1)), nil), test.want, test.changed)
	}
}

// TestHiddenCharacters: control characters and direction marks are reported with the text without them.
func TestHiddenCharacters(t *testing.T) {
	tests := []struct{ label, right string }{
		{"a\u202eb", "ab"}, {"a\u200fb", "ab"}, {"a\u2066b\u2069", "ab"}, {"a\u0085b", "ab"}, {"a\u200bb", "ab"}, {"a\nb", "a b"}, {"a\tb", "a b"}, {"a\u0007b", "ab"}, {"a\ufeffb", "ab"},
		{"שלום\u200f!", ""}, {"👩\u200d👧", ""}, {"می\u200cخواهم", ""}, {"é 日本", ""}, {"שלום\u202e", "שלום"},
	}
	for _, test := range tests {
		p := parsePersona(t, Example)
		p.Machines[0].States[1].Label = test.label
		found := slices.DeleteFunc(lintPersona(&p), func(f personas.Diagnostic) bool { return f.Check != "hidden-character" })
		switch {
		case test.right == "" && len(found) > 0, test.right != "" && (len(found) != 1 || found[0].Fix == nil || found[0].Fix.Value != test.right || found[0].To == 0):
			t.Errorf("%q: %+v", test.label, found)
		}
	}
	p := parsePersona(t, Example)
	p.IdentityPrompt = "You\tare\na guard\u200b."
	assert.Empty(t, lintPersona(&p), "in a prompt")
	p.IdentityPrompt = "You are\u202e a guard."
	found := lintPersona(&p)
	assert.Must(t, len(found) == 1, "in a prompt: %+v", found)
	assert.Equal(t, found[0].From, 7, "from")
	assert.Equal(t, found[0].To, 10, "to")
}

// TestNoPathInMessages: messages for writers name states and transitions in words.
func TestNoPathInMessages(t *testing.T) {
	for _, c := range Checks {
		if c.Bad == "" || c.Project {
			continue
		}
		for _, f := range lintText(c.WrongExample()) {
			for _, index := range []string{"[0]", "[1]", "transition 0", "link 0"} {
				assert.True(t, !strings.Contains(f.Message, index), "%s says %s", c.Name, f.Message)
			}
		}
	}
	found := lintText(strings.Replace(Example, "opening: [\"Good evening, {{player_name}}.\"]", "opening: [{a: 1, b: 2}]", 1))
	assert.True(t, len(found) != 0 && strings.Contains(found[0].Message, `the first item of offline.opening of the first state, "outside" must be a string`), "%v", found)
}
