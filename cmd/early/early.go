// Package early keeps bubbletea from asking the terminal for its background
// colour before main begins: on a terminal that does not answer, that question
// costs every command five seconds. Its init makes the terminal look dumb, and
// main takes that back with Restore. It imports only os, so that it is
// initialised before any package that depends on bubbletea, and it never does
// anything else.
package early

import "os"

const variable = "TERM"

// before is TERM as it was, and whether it was set at all.
var before, was = os.LookupEnv(variable)

func init() {
	_ = os.Setenv(variable, "dumb")
}

// Restore sets TERM to its former value. Call it first in main.
func Restore() {
	if was {
		_ = os.Setenv(variable, before)
		return
	}
	_ = os.Unsetenv(variable)
}
