package plaintext

import (
	"regexp"
	"strings"
)

// RedactUser returns a text without the names and passwords of the addresses in it, which
// need not be valid: http://name:password@host, and name:password@host at its beginning.
func RedactUser(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	text = regexp.MustCompile(`//[^/?#]*@`).ReplaceAllString(text, "//")
	return regexp.MustCompile(`^[^/\s?#@:]+:[^/\s?#]*@`).ReplaceAllString(text, "")
}
