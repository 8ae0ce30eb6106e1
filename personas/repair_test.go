package personas

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// TestRepairCosts: for any text of a megabyte, the search for the mistake costs a few passes over it.
func TestRepairCosts(t *testing.T) {
	const size = 1 << 20
	for i, piece := range []string{"[", "{", "\"", "'", "[a, ", "{a: ", "\"a\" b, ", "- ", "a: ", "\n", "\t", "\ta: b\n", " ", "{{a}} ", "'a': ", "\n \"", "*a ", "“", "' ' ", "//", "/*", "\\", "a: [", "a:\n ", "x: \"a\n", ", ", "[\"", "a=b ", "-a\n", "\u00a0"} {
		text := strings.Repeat(piece, size/len(piece))
		for name, look := range map[string]func(at int){
			"YAML": func(at int) { repairYAML(text, at, at/2, func(string) (int, bool) { return 0, true }) },
			"JSON": func(at int) { repairJSON(text, at, func(string) (int, bool) { return 0, true }) },
		} {
			for _, at := range []int{0, len(text) / 2, len(text) - 1, len(text)} {
				begun := time.Now()
				look(at)
				took := time.Since(begun)
				assert.True(t, took <= 4*time.Second, "%d %q %s at %d takes %v", i, piece, name, at, took)
			}
		}
	}
}

// TestNoRepairPanics tries every short text of special characters, at every offset.
func TestNoRepairPanics(t *testing.T) {
	signs := []string{"\"", "'", "[", "{", "]", ":", ",", "-", " ", "\n", "a", "“", "\t", "\\", "#", "/", "*"}
	for _, a := range signs {
		for _, b := range signs {
			for _, c := range signs {
				text := a + b + c
				for at := range len(text) + 1 {
					for name, look := range map[string]func() (mistake, bool){
						"YAML": func() (mistake, bool) { return repairYAML(text, at, at-1, readNothing) },
						"JSON": func() (mistake, bool) { return repairJSON(text, at, readNothing) },
					} {
						if m, ok := look(); ok && (m.start > m.end || m.end > len(text) || m.line(text) == "\x00") {
							t.Fatalf("%s %q at %d: %+v", name, text, at, m)
						}
					}
				}
			}
		}
	}
}

func readNothing(string) (int, bool) { return -1, true }
