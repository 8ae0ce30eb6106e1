package personas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestComments: a number sign begins a comment only outside values and names.
func TestComments(t *testing.T) {
	src := "# one\nname: \"a # b\" # two\n'x # y': 'it''s # no'\ndescription: a#b\n" +
		"persona_identity_prompt: |  # three\n  text # in it\n  # in it too\n# four\nx-list: [a, # five\n  b]\n" +
		"x-plain: one\n  two\n#six\nx-folded: >-\n\n  # in it\n\n # seven\nx-none: # eight\nx-anchor: &a 1 # nine\nx-alias: *a # ten"
	var got []string
	_, places, faults := Parse("a.yaml", []byte("\ufeff"+strings.ReplaceAll(src, "\n", "\r\n")))
	for _, c := range places.Comments() {
		got = append(got, fmt.Sprintf("%d:%d %s %v", c.Pos.Line, c.Pos.Column, c.Text, c.Alone))
	}
	want := []string{
		"1:1 # one true", "2:15 # two false", "5:29 # three false", "8:1 # four true", "9:13 # five false",
		"13:1 #six true", "18:2 # seven true", "19:9 # eight false", "20:16 # nine false", "21:13 # ten false",
	}
	assert.EqualSlices(t, got, want, "comments (faults %v)", faults)
}

func TestNoComments(t *testing.T) {
	for _, src := range []string{`{"name": "a # b"}`, "name: [\n# broken", "", "name: 'a\n  # b'\n"} {
		if _, places, _ := Parse("a", []byte(src)); len(places.Comments()) > 0 {
			t.Errorf("%q: comments %v", src, places.Comments())
		}
	}
}

func TestBelow(t *testing.T) {
	src := `name: A
# 2
machines:
  # 4
  - machine_key: m # 5
    states:
      # 7
      -
        state_key: a
        label: >
          b
          c
      - {state_key: b}
x-shared: &s
  - 1
x-again: *s
`
	_, places, _ := Parse("a.yaml", []byte(src))
	for line, want := range map[int][2]int{1: {1, 1}, 2: {3, 13}, 4: {5, 13}, 6: {6, 13}, 7: {9, 12}, 13: {13, 13}, 14: {14, 15}, 16: {16, 16}, 17: {0, 0}} {
		t.Run(fmt.Sprint("line ", line), func(t *testing.T) {
			first, last, ok := places.MemberLines().Below(line)
			assert.True(t, first == want[0] && last == want[1] && ok == (want[0] > 0), "below line %d: %d to %d, want %v", line, first, last, want)
		})
	}
}
