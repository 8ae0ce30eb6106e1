package personas

import (
	"strings"
	"unicode/utf8"
)

// mistake is one possible cause of a syntax error. Positions are byte offsets, and ends are
// exclusive.
type mistake struct {
	at, until  int    // the range for the diagnostic
	start, end int    // the range to replace
	right      string // the replacement
	says       string // the message
	unsure     bool   // the author may have meant something else, so there is no automatic fix
}

// syntaxReader returns the offset of the first syntax error, or -1 for a valid text. asked is false
// if no more texts may be parsed.
type syntaxReader func(text string) (failedAt int, asked bool)

func (m *mistake) apply(text string) string {
	return text[:m.start] + m.right + text[m.end:]
}

func (m *mistake) line(text string) string {
	first, right := lineStart(text, m.start), m.apply(text)
	return strings.TrimSpace(right[first:lineEnd(right, max(first, min(m.start, len(right))))])
}

// choose tries the corrections. It returns the first one that makes the text valid, or else the one
// that moves the syntax error furthest towards the end of the text.
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

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$' || c == '.'
}

func wordEnd(text string, at int) int {
	for at < len(text) && isWordByte(text[at]) {
		at++
	}
	return at
}

func quoteEither(text string) string {
	if !strings.ContainsAny(text, "\"\\") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// curlyOpen and curlyClose are typographic quotes, which YAML and JSON treat as letters.
const (
	curlyOpen  = "“„«‘‚‟"
	curlyClose = "”“»’‘"
)

func stripCurly(text string) (inside string, ok bool) {
	first, n := utf8.DecodeRuneInString(text)
	last, m := utf8.DecodeLastRuneInString(text)
	if len(text) <= n+m || !strings.ContainsRune(curlyOpen, first) || !strings.ContainsRune(curlyClose, last) {
		return text, false
	}
	inside = text[n : len(text)-m]
	return inside, !strings.ContainsAny(inside, "“”„")
}

// repairJSON returns the mistake that causes the JSON syntax error at failedAt. If several
// corrections are possible, the mistake replaces nothing.
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
			says: "remove the comma before this " + string(first) + ""})
	}
	if m, ok := quoteInner(text, failedAt, end); ok {
		found = append(found, m)
	}
	if strings.IndexByte(`"]}0123456789el`, before) >= 0 && strings.IndexByte(`"{[-0123456789`, text[failedAt]) >= 0 {
		found = append(found, mistake{at: end - 1, until: end, start: end, end: end, right: ",", says: "a comma is missing here"})
	}
	return choose(text, failedAt, found, read)
}

func describeForeign(first rune, text string) string {
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), first == '#':
		return "JSON has no comments; write the text in a member whose name begins with x-"
	case first == '\'':
		return "JSON does not allow single quotes; use double ones"
	case strings.ContainsRune(curlyOpen, first):
		return "JSON does not treat curly quotes as quotes; use straight ones"
	case first == '\n', first == '\r':
		return `a JSON string must be on one line; close its quote, or write \n`
	}
	return ""
}

// quoteInner looks for unescaped quotes inside a string, such as "the "old" gate". before is the
// offset after the quote that ended the string too early.
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
