package plaintext

import (
	"runtime"
	"strings"
	"unicode"
)

// ShellFile is ShellWord for a file, which is no flag also where its name begins with a
// hyphen.
func ShellFile(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return ShellWord(path)
}

// ShellWord writes a word as it can be copied into a command: of a shell as POSIX has it,
// on Windows of PowerShell. Nothing in it is run, whoever has thought it up. It is one
// line: a control character, which no shell takes from the clipboard as it is, becomes
// the replacement character.
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
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune(plain, r) }) < 0 {
		return word
	}
	if windows {
		// PowerShell takes the typographic quotes for quotes too.
		return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(word) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
