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
		_, places, _ := Parse("a", []byte(src))
		assert.True(t, len(places.Comments()) == 0, "%q: comments %v", src, places.Comments())
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
			assert.Equal(t, first, want[0], "below line %d", line)
			assert.Equal(t, last, want[1], "below line %d", line)
			assert.Equal(t, ok, want[0] > 0, "below line %d", line)
		})
	}
}

// TestWithin: a {{name}} is found in every notation of a text.
func TestWithin(t *testing.T) {
	t.Parallel()
	const head = "name: n\ndescription: d\n"
	tests := []struct{ name, src string }{
		{"plain", head + "persona_identity_prompt: Du é «{{x}}» ja # {{x}}\nmachines: []\n"},
		{"single quoted", head + "persona_identity_prompt: 'it''s  ''«{{x}}»'''\nmachines: []\n"},
		{"double quoted", head + `persona_identity_prompt: "\u00e9 \x41\t\"\\ \U0001F600\_ «{{x}}» \n"` + "\nmachines: []\n"},
		{"literal", head + "persona_identity_prompt: |\n  One.\n\n  Two 日本 🎭.\n  Three «{{x}}» four\nmachines: []\n"},
		{"folded", head + "persona_identity_prompt: >\n  One\n  two\n\n    deep {x}\n  «{{x}}» four\nmachines: []\n"},
		{"anchored", head + "persona_identity_prompt: &p !!str 'a «{{x}}» b'\nmachines: []\n"},
		{"alias", head + "x-p: &p a {{x}} b\npersona_identity_prompt: «*p»\nmachines: []\n"},
		{"flow", "# c\n" + `{name: n, description: d, persona_identity_prompt: "a «{{x}}» b", machines: []}`},
		{"JSON", `{"name": "n", "description": "d", "persona_identity_prompt": "a \"\ud83d\ude00\" \\ \/ \u00e9\n«{{x}}» b", "machines": []}`},
	}
	for _, test := range tests {
		for variant, marked := range map[string]string{"lf": test.src, "crlf": strings.ReplaceAll(test.src, "\n", "\r\n"), "bom": byteOrderMark + test.src} {
			src := strings.NewReplacer("«", "", "»", "").Replace(marked)
			p, places, faults := Parse("a.yaml", []byte(src))
			if len(faults) > 0 {
				t.Errorf("%s %s: %v", test.name, variant, faults)
				continue
			}
			from := strings.Index(p.IdentityPrompt, "{{x}}")
			assert.Equal(t, places.Within("persona_identity_prompt", from, from+5), markedPlace(marked), "%s %s", test.name, variant)
		}
	}
}

func markedPlace(src string) (p Position) {
	line, column := 1, 1
	for _, r := range strings.ReplaceAll(src, "\r\n", "\n") {
		switch r {
		case '«':
			p.Line, p.Column = line, column
		case '»':
			p.EndLine, p.EndColumn = line, column
		case '\n':
			line, column = line+1, 1
		case '\ufeff':
		default:
			column++
		}
	}
	return p
}

// TestWithinOutsideOfText: a range outside a text has the position of the whole text.
func TestWithinOutsideOfText(t *testing.T) {
	t.Parallel()
	_, places, _ := Parse("a.yaml", []byte("name: abc\ndescription: d\n"))
	whole := fmt.Sprint(places.Lookup("name"))
	for _, piece := range [][2]int{{-1, 1}, {0, 0}, {2, 1}, {0, 4}, {9, 10}} {
		assert.Equal(t, fmt.Sprint(places.Within("name", piece[0], piece[1])), whole, piece)
	}
	assert.Equal(t, (SourceMap{}).Within("name", 0, 1), startOfText(), "nothing")
}
