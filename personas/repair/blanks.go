package repair

import (
	"strings"
	"unicode/utf8"
)

// oddBlanks are characters that look like a space, or like nothing, and are letters to
// YAML.
const oddBlanks = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff"

// lookAtBlanks finds what only looks like a space at the beginning of a line and behind
// its colon or dash, and tabs in the indentation.
func (y *yamlText) lookAtBlanks(start int) {
	end := lineEnd(y.text, start)
	line := y.text[start:end]
	words := strings.TrimLeft(line, " \t"+oddBlanks)
	lead := line[:len(line)-len(words)]
	if right, odd := plainBlanks(line, lead, words); odd {
		y.add(Mistake{At: start + strings.IndexAny(line, oddBlanks), Until: start + strings.IndexAny(line, oddBlanks) + 2, Start: start, End: end, Right: right,
			Says: "a no-break space stands where a space belongs"})
	}
	if strings.Contains(lead, "\t") {
		y.lookAtTabs(start, lead)
	}
}

// plainBlanks returns a line with characters that look like spaces replaced by spaces, except
// within texts.
func plainBlanks(line, lead, words string) (right string, odd bool) {
	right = strings.Repeat(" ", utf8.RuneCountInString(strings.ReplaceAll(lead, "\ufeff", "")))
	if strings.Contains(lead, "\t") {
		right = lead
	}
	if dashed, ok := strings.CutPrefix(words, "-"); ok && strings.TrimLeft(dashed, oddBlanks) != dashed {
		right, words = right+"- ", strings.TrimLeft(dashed, " "+oddBlanks)
	}
	if dashed, ok := strings.CutPrefix(words, "- "); ok {
		right, words = right+"- ", dashed
	}
	if to := wordEnd(words, 0); to > 0 {
		name, behind := words[:to], strings.TrimLeft(words[to:], " "+oddBlanks)
		if value, ok := strings.CutPrefix(behind, ":"); ok && strings.TrimLeft(value, " "+oddBlanks) != value {
			words = name + ": " + strings.TrimLeft(value, " "+oddBlanks)
		}
	}
	return right + words, right+words != line && strings.ContainsAny(line, oddBlanks)
}

const tabIndented = "a tab is used for indentation; use spaces"

// lookAtTabs indents a line that begins with a tab like the lines around it, or else replaces the
// tabs of all such lines by spaces.
func (y *yamlText) lookAtTabs(start int, lead string) {
	at := start + strings.IndexByte(lead, '\t')
	here := Mistake{At: at, Until: start + len(lead), Start: start, End: start + len(lead), Says: tabIndented}
	before, after := y.lineBefore(start), y.lineAfter(start)
	if before >= 0 && !strings.Contains(y.leadOf(before), "\t") {
		deep := y.contentColumn(before)
		here.Right = strings.Repeat(" ", deep)
		y.add(here)
		if after >= 0 && !strings.Contains(y.leadOf(after), "\t") && len(y.leadOf(after)) != deep {
			here.Right = y.leadOf(after)
			y.add(here)
		}
		here.Right = strings.Repeat(" ", deep+2)
		y.add(here)
	}
	for _, width := range []int{2, 4, 8} {
		y.addTabWidth(at, width)
	}
}

func (y *lineText) leadOf(start int) string {
	line := y.text[start:lineEnd(y.text, start)]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// contentColumn returns the column of the content after the dashes of a line.
func (y *lineText) contentColumn(start int) int {
	l := y.splitLine(start)
	return l.name - l.start
}

// addTabWidth adds the correction that replaces each leading tab of all lines by width spaces.
func (y *yamlText) addTabWidth(at, width int) {
	var out strings.Builder
	for line := range strings.Lines(y.text) {
		words := strings.TrimLeft(line, " \t")
		out.WriteString(strings.ReplaceAll(line[:len(line)-len(words)], "\t", strings.Repeat(" ", width)))
		out.WriteString(words)
	}
	first := 0
	for first < len(y.text) && y.text[first] != '\t' {
		first++
	}
	start := lineStart(y.text, first)
	if right := out.String(); start < len(right) && len(y.text) <= mostRewritten {
		y.add(Mistake{At: at, Until: at + 1, Start: start, End: len(y.text), Right: right[start:], Says: tabIndented})
	}
}

// mostRewritten is the size of a text, in bytes, that is rewritten as a whole at most.
const mostRewritten = 1 << 20
