package plaintext

import (
	"net/netip"
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

var (
	schemeStart = Pattern(`^[^\pL\pN]*?(?:[A-Za-z][A-Za-z0-9+.-]*:(?:/|\\\\)+|//+)`)
	urlOrWord   = Pattern(`(?s)"[A-Za-z][A-Za-z0-9+.-]*:(?:/|\\\\)(?:[^"\\]|\\.)*|[^\s"]+`)
)

// RedactText applies RedactUser to each word of a text. A quoted URL may contain spaces.
func RedactText(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return urlOrWord().ReplaceAllStringFunc(text, RedactUser)
}

// RedactUser removes the user name and password from one URL or address, even from an invalid one.
// A password may contain any character: the host begins after the last @. An @ after the first
// slash ends a password only if there is a colon before it, and never after an IP address or
// localhost with a port. Without a scheme, a user name alone remains, because ann@example.com is an
// e-mail address, and so does a jq expression such as {name:.id|@base64}.
func RedactUser(address string) string {
	scheme := schemeStart().FindString(address)
	rest := address[len(scheme):]
	login := rest[:strings.LastIndexByte(rest, '@')+1]
	host, _, _ := strings.Cut(login, "/")
	_, err := netip.ParseAddrPort(strings.Replace(host, "localhost:", "127.0.0.1:", 1))
	user, _, hasPassword := strings.Cut(login, ":")
	isExpression := scheme == "" && strings.ContainsAny(user, "{[(|")
	inHost := scheme != "" && strings.Contains(host, "@")
	if !inHost && (err == nil || !hasPassword || isExpression) {
		return address
	}
	return scheme + rest[len(login):]
}
