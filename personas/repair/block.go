package repair

import (
	"fmt"
	"strings"
)

// mostBlocks is how many texts before the failure are looked at.
const mostBlocks = 4

// listBlockLines goes back from the failure for texts under | or > of which some lines are
// not indented as the others.
func (y *yamlText) listBlockLines(failedAt int) []move {
	var all []move
	start := lineStart(y.text, failedAt)
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

// isBlockHeader tells whether a value is the sign in front of a text of several lines.
func isBlockHeader(value string) bool {
	sign, _, _ := strings.Cut(value, " ")
	return strings.IndexByte("|>", sign[0]) >= 0 && strings.Trim(sign[1:], "+-123456789") == ""
}

// findLostLines finds the lines of a text under | or > that are less indented than its
// others, so that they are none of it to YAML.
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

// blockColumn gives the column of the text under a sign: that of its first line that is
// deeper than the member's name.
func (y *yamlText) blockColumn(header yamlLine) int {
	parent := header.name - header.start
	for at := y.nextFilled(header.start); at >= 0 && !y.endsBlock(at, parent+1); at = y.nextFilled(at) {
		if lead := len(y.leadOf(at)); lead > parent {
			return lead
		}
	}
	return parent + 2
}

// endsBlock tells whether a line is none of the text before it: it is not as deep, and a
// member, an item or a comment.
func (y *yamlText) endsBlock(at, deep int) bool {
	words := strings.TrimSpace(y.text[at:lineEnd(y.text, at)])
	return len(y.leadOf(at)) < deep && (isMemberLine(words) || strings.HasPrefix(words, "- ") || words[0] == '#')
}

// nextFilled gives the beginning of the next line that is not empty, or -1.
func (y *yamlText) nextFilled(start int) int {
	for start = lineEnd(y.text, start); start < len(y.text); start = lineEnd(y.text, start) {
		start++
		if strings.TrimSpace(y.text[start:lineEnd(y.text, start)]) != "" {
			return start
		}
	}
	return -1
}

// nameText says which text a sign stands in front of.
func (y *yamlText) nameText(header yamlLine) string {
	if header.nameTo > header.name {
		return "of " + strings.Trim(y.text[header.name:header.nameTo], "\"'") + " above"
	}
	return "that begins above"
}
