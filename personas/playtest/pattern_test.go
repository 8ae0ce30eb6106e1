package playtest

import (
	"strings"
	"testing"
)

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
