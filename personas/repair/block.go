package repair

import (
	"fmt"
	"strings"
)

// mostBlocks is how many texts before the failure are looked at.
const mostBlocks = 4

// listBlockLines searches backwards from the failure for texts under | or > with inconsistent
// indentation.
func (y *yamlText) listBlockLines(failedAt int) []move {
	start := lineStart(y.text, failedAt)
	all := append(y.listGoingOn(start), y.listGoingOn(y.lineBefore(start))...)
	for found, looked := 0, 0; found < mostBlocks && looked < mostLines; looked++ {
		if start = y.lineBefore(start); start < 0 {
			break
		}
		l := y.splitLine(start)
		if l.value == l.end || !isBlockHeader(y.text[l.value:l.end]) {
			continue
		}
		found++
		if m, ok := y.findLostLines(l, failedAt); ok {
			all = append(all, m)
		}
	}
	return all
}

// listGoingOn lists that a line without a name goes on with the text of the line before it,
// which has one.
func (y *yamlText) listGoingOn(start int) []move {
	before := y.lineBefore(start)
	if before < 0 {
		return nil
	}
	l, b := y.splitLine(start), y.splitLine(before)
	lead, want := l.words-l.start, b.name-b.start+2
	if l.words == l.end || l.item || l.nameTo > l.name || b.nameTo == b.name || b.value == b.end || lead >= want || strings.IndexByte("\"'{[|>&*!#", y.text[b.value]) >= 0 {
		return nil
	}
	m := move{Mistake{At: l.words, Until: l.end, Start: start, End: l.words, Right: strings.Repeat(" ", want)}, 1, lead - want, true}
	m.Says = fmt.Sprintf("the line belongs to the text %s, and is indented by %s than it should be: %s", y.nameText(b), countColumns(m.by), compareColumns(lead, want))
	return []move{m}
}

// isBlockHeader reports whether a value is the sign in front of a text of several lines.
func isBlockHeader(value string) bool {
	sign, _, _ := strings.Cut(value, " ")
	return strings.IndexByte("|>", sign[0]) >= 0 && strings.Trim(sign[1:], "+-123456789") == ""
}

// findLostLines finds the lines of a text under | or > that are less indented than its others, so
// that YAML does not include them.
func (y *yamlText) findLostLines(header yamlLine, failedAt int) (lost move, ok bool) {
	var right strings.Builder
	deep, have, done := y.blockColumn(header), 0, 0
	for at := y.nextFilled(header.start); at >= 0 && !y.endsBlock(at, deep) && lost.lines < mostTextLines; at = y.nextFilled(at) {
		lead := len(y.leadOf(at))
		if lead >= deep {
			continue
		}
		if lost.lines == 0 {
			lost.At, lost.Until, lost.Start = at+lead, lineEnd(y.text, at), at
			have, done = lead, at
		}
		lost.lines++
		right.WriteString(y.text[done:at] + strings.Repeat(" ", deep))
		done = at + lead
	}
	if lost.lines == 0 || lost.Start > failedAt {
		return lost, false
	}
	lost.End, lost.Right, lost.by, lost.isText = done, right.String(), have-deep, true
	lost.Says = fmt.Sprintf("the line belongs to the text %s, and is indented by %s than it should be: %s", y.nameText(header), countColumns(lost.by), compareColumns(have, deep))
	return lost, true
}

// blockColumn returns the column of the text under a sign: that of its first line that is
// deeper than the member's name.
func (y *lineText) blockColumn(header yamlLine) int {
	parent := header.name - header.start
	for at := y.nextFilled(header.start); at >= 0 && !y.endsBlock(at, parent+1); at = y.nextFilled(at) {
		if lead := len(y.leadOf(at)); lead > parent {
			return lead
		}
	}
	return parent + 2
}

// endsBlock reports whether a line is outside the text before it: it is less indented, and a
// member, an item or a comment.
func (y *lineText) endsBlock(at, deep int) bool {
	words := strings.TrimSpace(y.text[at:lineEnd(y.text, at)])
	return len(y.leadOf(at)) < deep && (isMemberLine(words) || strings.HasPrefix(words, "- ") || words[0] == '#')
}

// nextFilled returns the beginning of the next line that is not empty, or -1.
func (y *lineText) nextFilled(start int) int {
	for start = lineEnd(y.text, start); start < len(y.text); start = lineEnd(y.text, start) {
		start++
		if strings.TrimSpace(y.text[start:lineEnd(y.text, start)]) != "" {
			return start
		}
	}
	return -1
}

// nameText returns which text a sign is in front of.
func (y *lineText) nameText(header yamlLine) string {
	if header.nameTo > header.name {
		return "of " + strings.Trim(y.text[header.name:header.nameTo], "\"'") + " above"
	}
	return "that begins above"
}
