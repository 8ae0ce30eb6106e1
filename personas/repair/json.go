package repair

import (
	"strings"
	"unicode/utf8"
)

// JSON returns the mistake that makes a JSON text unreadable at a byte. If there is no single way
// to correct it, Right is what the text has already.
func JSON(text string, failedAt int, read Reader) (Mistake, bool) {
	if failedAt >= len(text) {
		return Mistake{}, false
	}
	first, n := utf8.DecodeRuneInString(text[failedAt:])
	if says := describeForeign(first, text[failedAt:]); says != "" {
		return Mistake{At: failedAt, Until: failedAt + n, Start: failedAt, End: failedAt, Says: says}, true
	}
	end := len(strings.TrimRight(text[:failedAt], " \t\r\n"))
	if end == 0 {
		return Mistake{}, false
	}
	var found []Mistake
	before := text[end-1]
	if (first == '}' || first == ']') && before == ',' {
		found = append(found, Mistake{At: failedAt, Until: failedAt + 1, Start: end - 1, End: end,
			Says: "the comma before this " + string(first) + " is one too many"})
	}
	if m, ok := quoteInner(text, failedAt, end); ok {
		found = append(found, m)
	}
	if strings.IndexByte(`"]}0123456789el`, before) >= 0 && strings.IndexByte(`"{[-0123456789`, text[failedAt]) >= 0 {
		found = append(found, Mistake{At: end - 1, Until: end, Start: end, End: end, Right: ",", Says: "a comma is missing here"})
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
func quoteInner(text string, failedAt, before int) (Mistake, bool) {
	start, end := lineStart(text, failedAt), lineEnd(text, failedAt)
	if before < start || text[before-1] != '"' {
		return Mistake{}, false
	}
	open := strings.LastIndexByte(text[start:before-1], '"')
	closing := start + strings.LastIndexByte(text[start:end], '"')
	if open < 0 || closing <= before-1 {
		return Mistake{}, false
	}
	open += start
	inside := text[open+1 : closing]
	if strings.Contains(inside, `":`) {
		return Mistake{}, false
	}
	return Mistake{At: open, Until: closing + 1, Start: open, End: closing + 1,
		Right: `"` + strings.ReplaceAll(inside, `"`, `\"`) + `"`, Says: `a quote inside a text is written \"`}, true
}
