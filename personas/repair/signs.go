package repair

import (
	"strings"
	"unicode/utf8"
)

// otherDashes are the signs with which writers, and the programs they write in, begin the
// items of a list.
const otherDashes = "–—−•·*"

// lookAtSign finds a line that begins with something other than a sign of YAML: another kind of
// dash in front of an item, and the // of a comment.
func (y *yamlText) lookAtSign(l yamlLine) {
	words := y.text[l.words:l.end]
	if rest, ok := strings.CutPrefix(words, "//"); ok {
		y.add(Mistake{At: l.words, Until: l.words + 2, Start: l.words, End: l.end, Right: strings.TrimRight("# "+strings.TrimSpace(rest), " "), Says: "a comment begins with #, not with //"})
	}
	if strings.HasPrefix(words, "-- ") {
		y.addDash(l, 2)
	}
	if dash, n := utf8.DecodeRuneInString(words); strings.ContainsRune(otherDashes, dash) && len(words) > n && words[n] == ' ' {
		y.addDash(l, n)
	}
}

// addDash adds that an item, and those like it around it, are to begin with a "-".
func (y *yamlText) addDash(l yamlLine, size int) {
	sign := y.text[l.words : l.words+size]
	says := `an item of a list begins with "-", not with "` + sign + `"`
	first, last := l.start, l.start
	for before := y.lineBefore(first); before >= 0 && y.beginsLike(before, l, sign); before = y.lineBefore(before) {
		first = before
	}
	for after := y.lineAfter(last); after >= 0 && y.beginsLike(after, l, sign); after = y.lineAfter(after) {
		last = after
	}
	at, end := first+l.words-l.start, lineEnd(y.text, last)
	if first == last {
		y.add(Mistake{At: at, Until: at + size, Start: at, End: at + size, Right: "-", Says: says})
		return
	}
	lead := y.leadOf(first)
	right := strings.ReplaceAll(y.text[first:end], "\n"+lead+sign+" ", "\n"+lead+"- ")
	y.add(Mistake{At: at, Until: at + size, Start: at, End: end, Right: "-" + right[len(lead)+size:], Says: says})
}

// beginsLike reports whether a line begins with the same sign in the same column as another.
func (y *yamlText) beginsLike(start int, l yamlLine, sign string) bool {
	return start-l.start < mostMoved && l.start-start < mostMoved && strings.HasPrefix(y.text[start:], y.leadOf(l.start)+sign+" ")
}

// ListLines returns the lines of a text as the items of a list, and a description of the mistake,
// if its first line begins with a dash without a space, or with another bullet. Otherwise it
// returns the text unchanged.
func ListLines(text string) (right, says string) {
	sign, n := utf8.DecodeRuneInString(text)
	behind := text[n:]
	switch {
	case sign == '-' && !strings.HasPrefix(behind, " "):
		says = `a space is missing behind the "-"`
	case strings.ContainsRune(otherDashes, sign) && strings.HasPrefix(behind, " "):
		says = `an item of a list begins with "-", not with "` + string(sign) + `"`
	case strings.HasPrefix(text, "1. "), strings.HasPrefix(text, "1) "):
		return listNumbers(text), `an item of a list begins with "-", not with a number`
	default:
		return text, ""
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		words := strings.TrimLeft(line, " ")
		if rest, ok := strings.CutPrefix(words, string(sign)); ok && strings.TrimSpace(rest) != "" && (sign != '-' || rest[0] != ' ') {
			lines[i] = line[:len(line)-len(words)] + "- " + strings.TrimLeft(rest, " ")
		}
	}
	return strings.Join(lines, ""), says
}

// listNumbers returns the lines of a numbered list as items.
func listNumbers(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		words := strings.TrimLeft(line, " ")
		rest := strings.TrimLeft(words, "0123456789")
		if len(rest) == len(words) || len(rest) < 3 || rest[:2] != ". " && rest[:2] != ") " {
			return text
		}
		lines[i] = line[:len(line)-len(words)] + "- " + rest[2:]
	}
	return strings.Join(lines, "")
}

// lookForBlockText finds a text that begins on the same line as its | or >.
func (y *yamlText) lookForBlockText(at, end int) {
	sign, words, ok := strings.Cut(y.text[at:end], " ")
	next, start := y.lineAfter(at), lineStart(y.text, at)
	if !ok || !isBlockHeader(sign) || words[0] == '#' || next < 0 || len(y.leadOf(next)) <= len(y.leadOf(start)) {
		return
	}
	y.add(Mistake{At: at, Until: end, Start: at, End: end, Right: sign + "\n" + y.leadOf(next) + strings.TrimSpace(words), Says: "a text under " + sign + " begins on the next line"})
}

// lookForList adds that texts in quotes with commas between them are to be in brackets.
func (y *yamlText) lookForList(at, end int) {
	for i := at; ; {
		closed, ok := isClosed(y.text[i:end])
		if !ok {
			return
		}
		i = y.skipBlanks(i+closed, end)
		if i == end {
			break
		}
		next := y.skipBlanks(i+1, end)
		if y.text[i] != ',' || next == end || strings.IndexByte("\"'", y.text[next]) < 0 {
			return
		}
		i = next
	}
	y.add(Mistake{At: at, Until: end, Start: at, End: end, Right: "[" + y.text[at:end] + "]", Says: "a list of texts stands in brackets"})
}
