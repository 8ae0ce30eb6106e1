package playtest

import (
	"regexp"
	"regexp/syntax"
)

// maxPattern is how many bytes a regular expression may have, and maxParts how many parts
// all of a file may have, with repetitions counted. One of 1 MiB took 1.3 GB of memory.
const maxPattern, maxParts = 1000, 20_000

// readPattern compiles a regular expression. It returns nil and adds a fault if the expression is
// invalid or too expensive.
func (r *playReader) readPattern(path, text string) *regexp.Regexp {
	if len(text) > maxPattern {
		r.addFaultAt(path, "the regular expression has %d bytes; at most %d are allowed", len(text), maxPattern)
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		r.addFaultAt(path, "not a regular expression: %v", err)
		return nil
	}
	if r.parts += countParts(tree); r.parts > maxParts {
		r.addFaultAt(path, "the regular expressions of the file have more than %d parts up to here, repetitions counted; split it", maxParts)
		return nil
	}
	return regexp.MustCompile(text)
}

// countParts counts what a regular expression is compiled to, roughly.
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
