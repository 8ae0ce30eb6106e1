package cli

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

func diffLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	lines[len(lines)-1] += "\n\\ No newline at end of file\n"
	return lines
}

// applyDiff makes the second text of the first and the difference, and fails where a hunk does not fit.
func applyDiff(t *rapid.T, before, diff string) string {
	lines := diffLines(before)
	var out []string
	x, left, right := 0, 0, 0
	for _, line := range diffLines(diff)[2:] {
		if strings.HasPrefix(line, "@@ ") {
			var from, to int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &left, &to, &right); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = append(out, lines[x:from-1]...)
			if x = from - 1; len(out) != to-1 {
				t.Fatalf("the hunk %q begins at line %d", line, len(out)+1)
			}
			continue
		}
		if line[0] == '\\' {
			out[len(out)-1] += line
			continue
		}
		if line[0] != '+' {
			if !strings.HasPrefix(lines[x], line[1:]) {
				t.Fatalf("%q stands where %q is meant", line, lines[x])
			}
			x, left = x+1, left-1
		}
		if line[0] != '-' {
			out, right = append(out, line[1:]), right-1
		}
	}
	if left != 0 || right != 0 {
		t.Fatalf("the last hunk says another length than it has:\n%s", diff)
	}
	return strings.Join(append(out, lines[x:]...), "")
}

func TestDiffsApply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "", "x: 1", "y: 2"})
		before := strings.Join(rapid.SliceOfN(line, 1, 40).Draw(t, "before"), "\n") + "\n"
		after := strings.Join(rapid.SliceOfN(line, 1, 40).Draw(t, "after"), "\n") + "\n"
		diff := UnifiedDiff("x", "formatted", before, after)
		if before == after {
			if diff != "" {
				t.Fatalf("a difference of the same: %s", diff)
			}
			return
		}
		if got := applyDiff(t, before, diff); got != after {
			t.Fatalf("%q and\n%s give %q, not %q", before, diff, got, after)
		}
	})
}

func TestUnifiedDiff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after, want string }{
		{"the same", "a\n", "a\n", ""},
		{"without line end", "a\nb", "a\nb\n", "--- x\n+++ x (formatted)\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"from nothing", "", "a\n", "--- x\n+++ x (formatted)\n@@ -0,0 +1,1 @@\n+a\n"},
		{"to nothing", "a\n", "", "--- x\n+++ x (formatted)\n@@ -1,1 +0,0 @@\n-a\n"},
		{"three lines around it", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"--- x\n+++ x (formatted)\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, UnifiedDiff("x", "formatted", tt.before, tt.after), tt.want)
		})
	}
}
