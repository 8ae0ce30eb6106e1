package plaintext

import "strings"

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
