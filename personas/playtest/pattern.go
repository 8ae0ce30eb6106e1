package playtest

import (
	"regexp"
	"regexp/syntax"
)

// Bounds of regular expressions. A regular expression of 1 MiB took 1.3 GB of memory.
const (
	maxPattern = 1000   // bytes of one
	maxParts   = 20_000 // parts of all in a file, including repetitions
)

// readPattern compiles a regular expression. If the expression is invalid or too large, it adds a
// fault and returns nil.
func (r *playReader) readPattern(path, text string) *regexp.Regexp {
	if len(text) > maxPattern {
		r.addFaultAt(path, "the regular expression has %d bytes; at most %d are allowed", len(text), maxPattern)
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		r.addFaultAt(path, "invalid regular expression: %v", err)
		return nil
	}
	if r.parts += countParts(tree); r.parts > maxParts {
		r.addFaultAt(path, "the regular expressions of the file have more than %d parts up to here, including repetitions; split it", maxParts)
		return nil
	}
	return regexp.MustCompile(text)
}

func countParts(tree *syntax.Regexp) int {
	n := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		n += countParts(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(1, tree.Min, tree.Max)
	}
	return n
}
