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

// RedactUser removes the user names and passwords from the addresses in a text. The addresses may
// be invalid. It recognizes http://name:password@host, and name:password@host at the start of the
// text.
func RedactUser(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	text = text[loginAtStart(text):]
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "//")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("//")
		// In a message, an address ends at a space. An address that is the whole text or in quotes may
		// have a space in its password.
		lead := strings.TrimRight(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-:")
		isAlone := lead == "" && out.Len() == len(before)+2 || strings.HasSuffix(lead, `"`)
		text = after[userInfo(after, isAlone):]
	}
}

// userInfo returns the length of the name and password, including the @, in an address after "//".
func userInfo(address string, hasSpaces bool) int {
	end := len(address)
	for i := range len(address) {
		switch c := address[i]; {
		case c == '/', c == '"' && (i == 0 || address[i-1] != '\\'), !hasSpaces && strings.IndexByte(" \t\r\n", c) >= 0:
			end = i
		default:
			continue
		}
		break
	}
	return strings.LastIndexByte(address[:end], '@') + 1
}

func loginAtStart(text string) int {
	end := strings.IndexAny(text, " \t\r\n/?#")
	if end < 0 {
		end = len(text)
	}
	at := strings.LastIndexByte(text[:end], '@')
	if colon := strings.IndexByte(text, ':'); colon < 1 || colon > at || strings.IndexByte(text, '@') < colon {
		return 0
	}
	return at + 1
}
