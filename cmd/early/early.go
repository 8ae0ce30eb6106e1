// Package early prevents bubbletea from asking the terminal for its background colour before main
// starts. On a terminal that does not answer, the question would delay every command by five
// seconds. The init function of the package sets TERM to dumb, and main restores TERM with Restore.
// The package imports only os, so that it is initialised before any package that depends on
// bubbletea.
package early

import "os"

const variable = "TERM"

// before is the original value of TERM. was is true if TERM was set.
var before, was = os.LookupEnv(variable)

func init() {
	_ = os.Setenv(variable, "dumb")
}

// Restore sets TERM to its original value. main must call it first.
func Restore() {
	if was {
		_ = os.Setenv(variable, before)
		return
	}
	_ = os.Unsetenv(variable)
}
