package plaintext

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Compose returns a text in Unicode's composed form (NFC). Texts that look the same then have the
// same bytes.
func Compose(s string) string { return norm.NFC.String(s) }

// FoldName returns the form for comparing names: composed (NFC), in lower case, without surrounding
// spaces. "Zoë" typed as Zoe and a combining diaeresis is the same name as "zoë" in one character.
func FoldName(name string) string {
	return Compose(strings.ToLower(Compose(strings.TrimSpace(name))))
}

// SameName reports whether two names are the same once they are folded.
func SameName(a, b string) bool { return FoldName(a) == FoldName(b) }
