package repair

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// JSON returns the mistake that makes a JSON text unreadable at a byte.
func JSON(text string, failedAt int, read Reader) (Mistake, bool) {
	j := jsonText{text: text, at: failedAt}
	if failedAt >= len(text) {
		j.lookForEnd()
	} else {
		j.lookAtPlace()
	}
	best := choose(text, failedAt, j.found, read, func(string, bool) int { return 0 })
	return best.Mistake, best.ok
}

// jsonText collects what may be wrong with a JSON text at a place.
type jsonText struct {
	text  string
	at    int
	found []Mistake
}

func (j *jsonText) replace(start, end int, right, says string) {
	j.found = append(j.found, Mistake{At: start, Until: end, Start: start, End: end, Right: right, Says: says})
}

// before returns the end of the text before the failure.
func (j *jsonText) before() int { return len(strings.TrimRight(j.text[:j.at], " \t\r\n")) }

func (j *jsonText) lookAtPlace() {
	rest, end := j.text[j.at:], j.before()
	first, n := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\n' || first == '\r':
		j.lookAtLineBreak()
		return
	case (first == '}' || first == ']') && end > 0 && j.text[end-1] == ',':
		j.found = append(j.found, Mistake{At: j.at, Until: j.at + 1, Start: end - 1, End: end, Says: "the comma before this " + string(first) + " is one too many"})
		return
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), first == '#':
		j.lookAtComment(end)
		return
	case first == '\'':
		j.lookAtSingleQuotes()
	case strings.ContainsRune(curlyOpen, first):
		j.lookAtCurlyQuotes(n)
	}
	j.lookAtWord()
	j.lookForInnerQuotes(end)
	if end > 0 && strings.IndexByte(`"]}0123456789el`, j.text[end-1]) >= 0 && strings.IndexByte(`"{[-0123456789`, rest[0]) >= 0 {
		j.found = append(j.found, Mistake{At: end - 1, Until: end, Start: end, End: end, Right: ",", Says: "a comma is missing here"})
	}
}

// lookAtLineBreak looks at a string that does not end on its line.
func (j *jsonText) lookAtLineBreak() {
	open := j.openQuote()
	if open < 0 {
		return
	}
	next := strings.TrimLeft(j.text[j.at:], " \t\r\n")
	end := len(strings.TrimRight(j.text[:j.at], " \t"))
	comma := ""
	if j.text[end-1] == ',' {
		end, comma = end-1, ","
	}
	if next != "" && strings.IndexByte(`"}]`, next[0]) >= 0 {
		j.found = append(j.found, Mistake{At: open, Until: open + 1, Start: open, End: end + len(comma), Right: j.text[open:end] + `"` + comma, Says: "the quote that opens here is never closed"})
	}
	closing := strings.IndexByte(j.text[j.at:], '"')
	if closing < 0 {
		return
	}
	lines := strings.ReplaceAll(j.text[open:j.at+closing+1], "\r\n", "\n")
	lines = strings.NewReplacer("\n", `\n`, "\r", `\n`, "\t", `\t`).Replace(lines)
	j.found = append(j.found, Mistake{At: open, Until: open + 1, Start: open, End: j.at + closing + 1, Right: lines, Says: `a text of JSON stands on one line; a line break in it is \n`})
}

// openQuote finds the quote that is open at the place, or -1.
func (j *jsonText) openQuote() int {
	open := -1
	for i := lineStart(j.text, j.at); i < j.at; i++ {
		switch {
		case j.text[i] == '\\':
			i++
		case j.text[i] == '"' && open < 0:
			open = i
		case j.text[i] == '"':
			open = -1
		}
	}
	return open
}

// lookAtComment handles a comment: it becomes a member, so that the writer's words are not lost.
func (j *jsonText) lookAtComment(before int) {
	rest := j.text[j.at:]
	end, words := lineEnd(j.text, j.at), strings.TrimLeft(rest[:lineEnd(rest, 0)], "/#")
	if strings.HasPrefix(rest, "/*") {
		if i := strings.Index(rest[2:], "*/"); i >= 0 {
			end, words = j.at+i+4, rest[2:i+2]
		}
	}
	note := fmt.Sprintf("%q: %s", j.freeName(), quoteJSON(strings.Join(strings.Fields(words), " ")))
	const says = "comments are no part of JSON; keep the words in a member whose name begins with x-"
	next := strings.TrimLeft(j.text[end:], " \t\r\n")
	switch {
	case before > 0 && (j.text[before-1] == '{' || j.text[before-1] == ',') && strings.HasPrefix(next, `"`):
		j.replace(j.at, end, note+",", says)
	case before > 0 && (j.text[before-1] == ',' || strings.HasPrefix(next, "}") && j.text[before-1] == '{'):
		j.replace(j.at, end, note, says)
	case strings.HasPrefix(next, "}"):
		j.found = append(j.found, Mistake{At: j.at, Until: end, Start: before, End: end, Right: ", " + note, Says: says})
	case strings.HasPrefix(next, ","):
		j.found = append(j.found, Mistake{At: j.at, Until: end, Start: before, End: end, Right: ", " + note, Says: says})
	}
	j.found = append(j.found, Mistake{At: j.at, Until: end, Start: len(j.text), End: len(j.text), Says: says})
}

// freeName returns a name for a note that the text does not have yet.
func (j *jsonText) freeName() string {
	for i := 1; ; i++ {
		name := "x-note"
		if i > 1 {
			name = fmt.Sprintf("x-note-%d", i)
		}
		if !strings.Contains(j.text, `"`+name+`"`) {
			return name
		}
	}
}

func quoteJSON(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(text) + `"`
}

// lookAtSingleQuotes looks at a text in single quotes.
func (j *jsonText) lookAtSingleQuotes() {
	line := j.text[j.at:lineEnd(j.text, j.at)]
	for i := 1; i < len(line); i++ {
		if line[i] == '\'' && isTextEnd(line[i+1:]) {
			inside := strings.ReplaceAll(line[1:i], `\'`, "'")
			inside = `"` + strings.ReplaceAll(strings.ReplaceAll(inside, `\"`, `"`), `"`, `\"`) + `"`
			j.replace(j.at, j.at+i+1, inside, "single quotes are no part of JSON; use double ones")
			return
		}
	}
}

// isTextEnd reports whether what is behind a quote can follow a text.
func isTextEnd(behind string) bool {
	behind = strings.TrimLeft(behind, " \t")
	return behind == "" || strings.IndexByte(",:}]", behind[0]) >= 0
}

// lookAtCurlyQuotes looks at a text in the quotes of a word processor.
func (j *jsonText) lookAtCurlyQuotes(open int) {
	line := j.text[j.at:lineEnd(j.text, j.at)]
	for i, r := range line {
		if i >= open && strings.ContainsRune(curlyClose, r) && isTextEnd(line[i+utf8.RuneLen(r):]) {
			j.replace(j.at, j.at+i+utf8.RuneLen(r), quoteJSON(line[open:i]), "curly quotes are letters to JSON; use straight ones")
			return
		}
	}
}

// lookAtWord looks at a name without quotes, and at the words of other languages.
func (j *jsonText) lookAtWord() {
	start := j.at
	for start > 0 && isWordByte(j.text[start-1]) {
		start--
	}
	end := wordEnd(j.text, start)
	if end == start {
		return
	}
	word := j.text[start:end]
	behind := strings.TrimLeft(j.text[end:], " \t")
	switch lower := strings.ToLower(word); {
	case strings.HasPrefix(behind, ":"):
		j.replace(start, end, `"`+word+`"`, "a member's name needs double quotes")
	case lower == "true" || lower == "false" || lower == "null":
		j.replace(start, end, lower, "JSON writes "+lower+" in small letters")
	case lower == "yes" || lower == "on":
		j.replace(start, end, "true", "JSON knows only true and false")
	case lower == "no" || lower == "off":
		j.replace(start, end, "false", "JSON knows only true and false")
	case lower == "none" || lower == "undefined":
		j.replace(start, end, "null", "JSON writes null for no value")
	case isLetter(word):
		line := j.text[start:lineEnd(j.text, start)]
		text := strings.TrimRight(line, " \t,")
		j.replace(start, start+len(text), quoteJSON(text), "a text needs double quotes")
	}
}

// lookForInnerQuotes looks at a text with quotes in it that are not escaped: the string
// before the place was closed too early.
func (j *jsonText) lookForInnerQuotes(before int) {
	start, end := lineStart(j.text, j.at), lineEnd(j.text, j.at)
	if before == 0 || before < start || j.text[before-1] != '"' {
		return
	}
	open := strings.LastIndexByte(j.text[start:before-1], '"')
	line := strings.TrimRight(j.text[start:end], " \t")
	closing := strings.LastIndexByte(line, '"')
	if open < 0 || start+closing <= before-1 {
		return
	}
	open += start
	inside := j.text[open+1 : start+closing]
	if strings.Contains(inside, `":`) {
		return
	}
	j.replace(open, start+closing+1, `"`+strings.ReplaceAll(inside, `"`, `\"`)+`"`, `a quote inside a text is written \"`)
}

// mostOpen is how many brackets are closed at most.
const mostOpen = 100

// lookForEnd looks for the brackets that are still open at the end of the text.
func (j *jsonText) lookForEnd() {
	var open []int
	for i := 0; i < len(j.text); i++ {
		switch j.text[i] {
		case '"':
			i = quoteEnd(j.text, i) - 1
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 || len(open) > mostOpen {
		return
	}
	closing := ""
	for _, at := range open {
		closing = string(j.text[at]+2) + closing
	}
	last := open[len(open)-1]
	end := len(strings.TrimRight(j.text, " \t\r\n"))
	j.found = append(j.found, Mistake{At: last, Until: last + 1, Start: end, End: end, Right: closing,
		Says: "the bracket that opens here is never closed; the text ends without " + closing})
}
