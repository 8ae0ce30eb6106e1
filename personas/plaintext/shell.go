package plaintext

import (
	"runtime"
	"strings"
	"unicode"
)

// ShellFile quotes a file name for a shell. A leading hyphen gets the prefix ./, because commands
// would parse a flag.
func ShellFile(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return ShellWord(path)
}

// ShellWord quotes a word for PowerShell on Windows and for a POSIX shell elsewhere. A quoted word
// cannot run a command. Control characters become U+FFFD, because a pasted line break would end the
// command.
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

// RedactUser removes user names and passwords from the URLs in a text, even from invalid URLs. A
// login without a scheme, such as name:password@host, is removed only at the start of the text.
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
		// In prose a URL ends at a space. A URL alone or in quotes may have a space in the
		// password.
		lead := strings.TrimRight(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-:")
		isAlone := lead == "" && out.Len() == len(before)+2 || strings.HasSuffix(lead, `"`)
		text = after[userInfo(after, isAlone):]
	}
}

func userInfo(address string, hasSpaces bool) int {
	end := len(address)
	for i := range len(address) {
		switch c := address[i]; {
		case c == '/',
			c == '"' && (i == 0 || address[i-1] != '\\'),
			!hasSpaces && strings.IndexByte(" \t\r\n", c) >= 0:
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
	colon := strings.IndexByte(text, ':')
	if colon < 1 || colon > at || strings.IndexByte(text, '@') < colon {
		return 0
	}
	return at + 1
}
