package plaintext

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled when it is first used: a program of
// many patterns would spend most of a short command on them. It panics then if text is no
// regular expression.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
