package plaintext

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Compose returns a text in Unicode's composed form (NFC). Most texts that look the same then have
// the same bytes.
func Compose(s string) string { return norm.NFC.String(s) }

// FoldName returns a name in a form for comparison: composed (NFC), in lower case, without
// surrounding spaces. "Zoë" typed as Zoe and a combining diaeresis equals "zoë" with a single ë.
func FoldName(name string) string {
	return Compose(strings.ToLower(Compose(strings.TrimSpace(name))))
}

// SameName reports whether two names are equal after FoldName.
func SameName(a, b string) bool { return FoldName(a) == FoldName(b) }
