package plaintext

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression on first use. Compiling many
// patterns at startup would dominate the time of a short command. The function panics if text is
// not a valid regular expression.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
