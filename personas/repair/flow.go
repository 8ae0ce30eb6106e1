package repair

import (
	"slices"
	"strings"
)

// isMemberName reports whether a word has the form of a member name of a persona file.
func isMemberName(name string) bool {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return false
	}
	return strings.Contains(name, "_") || slices.Contains(shortMembers, name)
}

// partMembers are the short names that begin a member anywhere in braces if a colon follows. Others
// do so only after a single word or a quoted text.
var partMembers = []string{"pass", "redirect", "reject"}

// lookForMembers adds the commas that are missing in a value in braces, in front of the
// members that are in it.
func (y *yamlText) lookForMembers(at, end int) {
	var right strings.Builder
	begin, done, name := -1, at, ""
	last, says := at, `a comma is missing in front of "`
	for i := at; i < end; i++ {
		if i == last && strings.IndexByte("\"'", y.text[i]) >= 0 {
			if to, ok := isClosed(y.text[i:end]); ok {
				i += to - 1
				continue
			}
		}
		to := wordEnd(y.text[:end], i+1)
		if y.text[i] != ' ' || to+1 >= end || y.text[to] != ':' || y.text[to+1] != ' ' || !y.beginsMember(last, i, to) {
			continue
		}
		cut := last + len(strings.TrimRight(y.text[last:i], " "))
		until := cut
		if y.text[cut-1] == ';' {
			cut--
			says = `a comma parts the members, not a ";", in front of "`
		}
		if begin < 0 {
			begin, done, name = cut, cut, y.text[i+1:to]
		}
		right.WriteString(y.text[done:cut] + ",")
		done, last = until, y.skipBlanks(to+1, end)
		i = last - 1
	}
	if begin >= 0 {
		y.add(Mistake{At: begin, Until: begin + 1, Start: begin, End: done, Right: right.String(), Says: says + name + `"`})
	}
}

// beginsMember reports whether the word between a space and a place begins a member, behind
// the value that begins at another place.
func (y *yamlText) beginsMember(value, space, to int) bool {
	name, before := y.text[space+1:to], strings.TrimSpace(y.text[value:space])
	if before == "" || !isMemberName(name) {
		return false
	}
	quoted := strings.IndexByte("\"']}", before[len(before)-1]) >= 0
	return quoted || strings.Contains(name, "_") || slices.Contains(partMembers, name) || !strings.Contains(before, " ")
}

// lookForTwoCommas adds that commas in brackets that follow each other are to be one.
func (y *yamlText) lookForTwoCommas(at, end int) {
	var right strings.Builder
	begin, done := -1, at
	for i := at; i < end; i++ {
		if strings.IndexByte("\"'", y.text[i]) >= 0 && strings.IndexByte(" [{,:", y.text[max(i-1, 0)]) >= 0 {
			if to, ok := isClosed(y.text[i:end]); ok {
				i += to - 1
				continue
			}
		}
		if y.text[i] != ',' && i > at {
			continue
		}
		next := y.skipBlanks(i+1, end)
		if next >= end || y.text[next] != ',' {
			continue
		}
		for next < end && (y.text[next] == ',' || y.text[next] == ' ') {
			next++
		}
		from := i + 1
		if begin < 0 {
			begin, done = from, from
		}
		right.WriteString(y.text[done:from])
		if y.text[i] == ',' && y.text[next-1] == ' ' {
			right.WriteByte(' ')
		}
		done, i = next, next-1
	}
	if begin >= 0 {
		y.add(Mistake{At: begin, Until: begin + 1, Start: begin, End: done, Right: right.String(), Says: "this comma is one too many"})
	}
}

// hasOpenQuote reports whether a quote opens in brackets on a line and is not closed on it.
func hasOpenQuote(text string) bool {
	for i := 1; i < len(text); i++ {
		if strings.IndexByte("\"'", text[i]) >= 0 && strings.IndexByte(" [{,:", text[i-1]) >= 0 {
			end, ok := isClosed(text[i:])
			if !ok {
				return true
			}
			i += end - 1
		}
	}
	return false
}

// lookForOpenBrackets goes back from the failure for lines on which a bracket, or a quote
// in brackets, opens and is not closed.
func (y *yamlText) lookForOpenBrackets(failedAt int) {
	start := lineStart(y.text, failedAt)
	for range mostLines {
		if start = y.lineBefore(start); start < 0 {
			return
		}
		l := y.splitLine(start)
		if l.value == l.end || strings.IndexByte("{[", y.text[l.value]) < 0 {
			continue
		}
		if value := y.text[l.value:l.end]; bracketEnd(value) < 0 || hasOpenQuote(value) {
			y.lookAtBrackets(l.value, l.end)
		}
	}
}
