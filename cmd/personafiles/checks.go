package personafiles

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// UnusedIgnore is the check of comments that ignore findings. A parsed document has no
// comments, so the check is not in the table of personas/lint.
const UnusedIgnore = "unused-ignore"

// fileChecks are the checks of a file, not of its document.
var fileChecks = []lint.Check{{
	Name: UnusedIgnore, Severity: lint.Warning,
	Summary: "A comment that ignores findings names a check, says why, and has something to ignore.",
	Why: "A comment that no longer ignores anything hides the next mistake at that place, and one with a slip in it " +
		"never did what its author believes. Write `# parley:ignore CHECK REASON` above the member or item, or behind " +
		"it on its line; several checks stand with commas between them. Errors cannot be ignored.",
}}

// AllChecks returns the checks of documents, then those of files, in the order of the
// documentation.
func AllChecks() []lint.Check { return slices.Concat(lint.Checks, fileChecks) }

// FindCheck returns the check with a name, if there is one.
func FindCheck(name string) (lint.Check, bool) {
	for _, checks := range [][]lint.Check{lint.Checks, fileChecks} {
		if i := slices.IndexFunc(checks, func(c lint.Check) bool { return c.Name == name }); i >= 0 {
			return checks[i], true
		}
	}
	return lint.Check{}, false
}

// SuggestCheck returns the end of a sentence about an unknown check: the check that may have
// been meant, or where all are listed.
func SuggestCheck(name string) string {
	var names []string
	for _, c := range AllChecks() {
		names = append(names, c.Name)
	}
	if near := personas.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; `parley persona lint --explain` lists them"
}

// IsRefused reports whether a service refuses a persona with findings of a check.
func IsRefused(name string) bool {
	c, known := lint.Find(name)
	return known && c.IsRefused()
}
