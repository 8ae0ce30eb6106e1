package plaintext

import (
	"runtime"
	"strings"
	"unicode"
)

// ShellFile quotes a file name as ShellWord does. A name that starts with a hyphen is changed so
// that it is not parsed as a flag.
func ShellFile(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return ShellWord(path)
}

// ShellWord quotes a word for use in a command. The quotes are those of PowerShell on Windows, and
// of a POSIX shell elsewhere. A word from an untrusted source cannot run a command. The result is
// one line. Control characters, which would not survive copying to a shell, become the replacement
// character.
func ShellWord(word string) string { return quoteWord(word, runtime.GOOS == "windows") }

func quoteWord(word string, windows bool) string {
	word = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return unicode.ReplacementChar
		}
		return r
	}, word)
	plain := "./-_:+"
	if windows {
		plain += `\`
	}
	isPlain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(plain, r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
		return word
	}
	if windows {
		// PowerShell also treats typographic quotes as quotes.
		return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(word) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
