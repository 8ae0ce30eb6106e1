package personas

import (
	"strings"
	"unicode/utf8"
)

// mistake is one thing that keeps a text from being read. All places are bytes of the
// text, and ends are just behind.
type mistake struct {
	at, until  int    // the range to point to
	start, end int    // the range to replace
	right      string // by what
	says       string // the mistake, in words
	unsure     bool   // the writer may have meant something else, so that nothing is changed without asking
}

// syntaxReader returns the byte offset at which a text cannot be read any further, -1 if the whole text
// can be read. asked is false if the reader's budget is used up.
type syntaxReader func(text string) (failedAt int, asked bool)

// apply returns the corrected text.
func (m *mistake) apply(text string) string {
	return text[:m.start] + m.right + text[m.end:]
}

// line returns the first line that the mistake changes, as it should be.
func (m *mistake) line(text string) string {
	first, end := lineStart(text, m.start), m.start+len(m.right)
	for m.start < m.end && m.right != "" && first+1 < end && text[m.start] == '\n' && m.right[0] == '\n' {
		first++
	}
	right := m.apply(text)
	return strings.TrimSpace(right[first:lineEnd(right, max(first, min(m.start, len(right))))])
}

// choose returns the first mistake without which the whole text can be read; else the one without
// which it can be read furthest beyond the failure; else the first one that lets the reader pass the
// failure at all.
func choose(text string, failedAt int, mistakes []mistake, read syntaxReader) (best mistake, ok bool) {
	reach := failedAt
	for i := range mistakes {
		m := &mistakes[i]
		at, asked := read(m.apply(text))
		if !asked {
			break
		}
		if at < 0 {
			return *m, true
		}
		end := m.start + len(m.right)
		if at <= end {
			continue
		}
		if behind := at - end + m.end; !ok || behind > reach {
			best, ok, reach = *m, true, max(behind, reach)
		}
	}
	return best, ok
}

func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:min(at, len(text))], "\r\n") + 1
}

// isWordByte reports whether a byte may be in the name of a member that a writer leaves
// without quotes.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$' || c == '.'
}

// wordEnd passes a member's name.
func wordEnd(text string, at int) int {
	for at < len(text) && isWordByte(text[at]) {
		at++
	}
	return at
}

// quoteEither writes a text in quotes that YAML reads: in double ones where nothing needs an
// escape, else in single ones.
func quoteEither(text string) string {
	if !strings.ContainsAny(text, "\"\\") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// curlyOpen and curlyClose are typographic quotes, which YAML and JSON read as letters.
const (
	curlyOpen  = "“„«‘‚‟"
	curlyClose = "”“»’‘"
)

// stripCurly takes the quotes of a word processor off a text that is in them.
func stripCurly(text string) (inside string, ok bool) {
	first, n := utf8.DecodeRuneInString(text)
	last, m := utf8.DecodeLastRuneInString(text)
	if len(text) <= n+m || !strings.ContainsRune(curlyOpen, first) || !strings.ContainsRune(curlyClose, last) {
		return text, false
	}
	inside = text[n : len(text)-m]
	return inside, !strings.ContainsAny(inside, "“”„")
}

// repairJSON returns the mistake that makes a JSON text unreadable at a byte. If there is no single way
// to correct it, right is what the text has already.
func repairJSON(text string, failedAt int, read syntaxReader) (mistake, bool) {
	if failedAt >= len(text) {
		return mistake{}, false
	}
	first, n := utf8.DecodeRuneInString(text[failedAt:])
	if says := describeForeign(first, text[failedAt:]); says != "" {
		return mistake{at: failedAt, until: failedAt + n, start: failedAt, end: failedAt, says: says}, true
	}
	end := len(strings.TrimRight(text[:failedAt], " \t\r\n"))
	if end == 0 {
		return mistake{}, false
	}
	var found []mistake
	before := text[end-1]
	if (first == '}' || first == ']') && before == ',' {
		found = append(found, mistake{at: failedAt, until: failedAt + 1, start: end - 1, end: end,
			says: "the comma before this " + string(first) + " is one too many"})
	}
	if m, ok := quoteInner(text, failedAt, end); ok {
		found = append(found, m)
	}
	if strings.IndexByte(`"]}0123456789el`, before) >= 0 && strings.IndexByte(`"{[-0123456789`, text[failedAt]) >= 0 {
		found = append(found, mistake{at: end - 1, until: end, start: end, end: end, right: ",", says: "a comma is missing here"})
	}
	return choose(text, failedAt, found, read)
}

// describeForeign returns what is wrong with a sign that JSON does not have.
func describeForeign(first rune, text string) string {
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), first == '#':
		return "comments are no part of JSON; keep the words in a member whose name begins with x-"
	case first == '\'':
		return "single quotes are no part of JSON; use double ones"
	case strings.ContainsRune(curlyOpen, first):
		return "curly quotes are letters to JSON; use straight ones"
	case first == '\n', first == '\r':
		return `a text of JSON stands on one line; close its quote, or write \n`
	}
	return ""
}

// quoteInner finds a text with quotes in it that are not escaped: the string that ends at before was
// closed too early.
func quoteInner(text string, failedAt, before int) (mistake, bool) {
	start, end := lineStart(text, failedAt), lineEnd(text, failedAt)
	if before < start || text[before-1] != '"' {
		return mistake{}, false
	}
	open := strings.LastIndexByte(text[start:before-1], '"')
	closing := start + strings.LastIndexByte(text[start:end], '"')
	if open < 0 || closing <= before-1 {
		return mistake{}, false
	}
	open += start
	inside := text[open+1 : closing]
	if strings.Contains(inside, `":`) {
		return mistake{}, false
	}
	return mistake{at: open, until: closing + 1, start: open, end: closing + 1,
		right: `"` + strings.ReplaceAll(inside, `"`, `\"`) + `"`, says: `a quote inside a text is written \"`}, true
}
