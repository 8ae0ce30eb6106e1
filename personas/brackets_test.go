package personas

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestBareBracketsAreTold: brackets in place of a list or a text are reported, and cause no other report.
func TestBareBracketsAreTold(t *testing.T) {
	for _, written := range []string{"()", "(", ")", "(\")", "(')", "[]", "{}", "\"\"", "''", "-", "- -", "((", "(,)", "[()]", "|", ">", "~", "?", "«»"} {
		for _, place := range []string{"examples: {pass: %}", "lines: {pass: %}", "opening: %", "answers: %"} {
			src := "name: A\ndescription: b\npersona_identity_prompt: c\nmachines:\n  - machine_key: m\n    states:\n      - state_key: s\n        offline:\n          " +
				replaceSign(place, written) + "\n"
			_, _, faults := Parse("a.yaml", []byte(src))
			for _, f := range faults {
				assert.True(t, f.Line >= 1 && f.Message != "", "%q: %+v", src, f)
			}
		}
	}
}

func replaceSign(place, written string) string {
	for i := range place {
		if place[i] == '%' {
			return place[:i] + written + place[i+1:]
		}
	}
	return place
}
