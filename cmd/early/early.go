// Package early prevents bubbletea from querying the terminal before main starts. On a silent
// terminal the query would take five seconds. The init function sets TERM to dumb until main calls
// Restore. The package imports only os, so it is initialised before bubbletea.
package early

import "os"

const variable = "TERM"

var original, isSet = os.LookupEnv(variable)

func init() {
	_ = os.Setenv(variable, "dumb")
}

// Restore restores TERM. main must call Restore first.
func Restore() {
	if isSet {
		_ = os.Setenv(variable, original)
		return
	}
	_ = os.Unsetenv(variable)
}
