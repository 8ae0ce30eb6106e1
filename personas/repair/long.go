package repair

import (
	"slices"
	"strings"
)

// lookForLongText finds a text of several lines without quotes that has a ":" in it, or
// what else makes something of it that it is not.
func (y *yamlText) lookForLongText(start int) {
	if l := y.splitLine(start); (l.nameTo > l.name || l.item) && l.value < l.end && y.isLongText(l) {
		y.addLongText(l)
	}
	lead := len(y.leadOf(start))
	for range mostLines {
		if start = y.lineBefore(start); start < 0 {
			return
		}
		l := y.splitLine(start)
		if l.textColumn() >= lead {
			continue
		}
		if (l.nameTo > l.name || l.item && l.value < l.end) && y.isLongText(l) {
			y.addLongText(l)
		}
		return
	}
}

// textColumn returns the column to the left of a value's lines.
func (l yamlLine) textColumn() int {
	if l.item && l.nameTo == l.name {
		return l.words - l.start - 1
	}
	return l.name - l.start
}

// isLongText reports whether what is behind a name and under it can only be a text.
func (y *yamlText) isLongText(l yamlLine) bool {
	if l.value < l.end {
		return strings.IndexByte("{[|>&*!#", y.text[l.value]) < 0
	}
	next := y.lineAfter(l.start)
	if next < 0 {
		return false
	}
	first := y.splitLine(next)
	return !first.item && !isMemberName(y.text[first.name:first.nameTo]) && strings.IndexByte("\"'{[|>&*!#", y.text[first.words]) < 0
}

// addLongText adds that the lines of a text are to be under a ">-", which reads them as
// they were read without it.
func (y *yamlText) addLongText(l yamlLine) {
	lines, end := y.listTextLines(l)
	if len(lines) < 2 || slices.ContainsFunc(lines[1:], isMemberLine) || slices.ContainsFunc(lines, isItemLine) {
		return
	}
	says := `a ":" in a text of several lines begins a member; put >- in front of the text, or | to keep its lines`
	if first, last := &lines[0], &lines[len(lines)-1]; strings.IndexByte("\"'", (*first)[0]) >= 0 {
		if !strings.HasSuffix(*last, (*first)[:1]) {
			return
		}
		says = "the text of several lines has the quotes in it that are around it; put >- in front of it and no quotes around it"
		*last = (*last)[:len(*last)-1]
		*first = (*first)[1:]
	}
	pad := "\n" + strings.Repeat(" ", l.name-l.start+2)
	right := ">-"
	if l.value == l.nameTo+1 {
		right = " >-"
	}
	for _, line := range lines {
		if line == "" {
			right += "\n"
		} else {
			right += pad + line
		}
	}
	y.add(Mistake{At: l.value, Until: max(l.end, l.value+1), Start: l.value, End: end, Right: right, Says: says})
}

// shortMembers are the members of a persona file with a name of one word. All others have an
// underscore in their names.
var shortMembers = []string{
	"name", "description", "language", "variables", "machines", "offline", "key", "value", "states", "transitions", "label", "priority", "condition",
	"pass", "redirect", "reject", "opening", "examples", "lines", "answers", "patience", "enter", "unknown", "ask", "say", "answer", "intent",
}

// isMemberLine reports whether a line below a name begins a member of a persona file: then
// its indentation is wrong, and it belongs to no text.
func isMemberLine(line string) bool {
	line = strings.TrimLeft(line, "- ")
	name, rest, ok := strings.Cut(line, ":")
	return ok && (rest == "" || rest[0] == ' ') && isMemberName(name)
}

// isItemLine reports whether a line is an item with members or texts in brackets, or in
// quotes: then it belongs to no text.
func isItemLine(line string) bool {
	return strings.HasPrefix(line, "- {") || strings.HasPrefix(line, "- [") || strings.HasPrefix(line, `- "`)
}

// mostTextLines is how many lines of a text are put under a ">-" at most.
const mostTextLines = 1000

// listTextLines lists the lines of the text that begins behind a name, without the spaces around
// them, and returns the end of the last one.
func (y *yamlText) listTextLines(l yamlLine) (lines []string, end int) {
	end = l.end
	if l.value < l.end {
		lines = append(lines, y.text[l.value:l.end])
	}
	filled := len(lines)
	for at := lineEnd(y.text, l.start); at < len(y.text) && len(lines) < mostTextLines; {
		next := at + 1
		if strings.HasPrefix(y.text[at:], "\r\n") {
			next++
		}
		line := y.text[next:lineEnd(y.text, next)]
		words := strings.TrimLeft(line, " \t")
		if lead := len(line) - len(words); words != "" && (lead <= l.textColumn() || lead < l.name-l.start && strings.HasPrefix(words, "- ")) {
			break
		}
		at = next + len(line)
		lines = append(lines, strings.TrimRight(words, " \t"))
		if words != "" {
			filled, end = len(lines), at
		}
	}
	return lines[:filled], end
}
