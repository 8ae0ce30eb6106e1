package personas

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLines is the maximum number of lines before the error that are searched for an unclosed quote.
const maxLines = 400

// repairYAML returns the mistake that causes the YAML syntax error at failedAt. from is the start
// of the construct that parsing could not complete, or -1.
func repairYAML(text string, failedAt, from int, read syntaxReader) (mistake, bool) {
	y := yamlText{text: text}
	lines := y.suspectLines(failedAt, from)
	for _, start := range lines {
		y.lookAtBlanks(start)
	}
	for _, start := range lines {
		y.lookAtLine(start)
	}
	y.lookForOpenQuotes(failedAt)
	for _, start := range lines {
		y.lookForDash(start)
	}
	return choose(text, failedAt, y.found, read)
}

// yamlText collects possible mistakes of a YAML text, the most probable first.
type yamlText struct {
	text  string
	found []mistake
	parts int // number of values in brackets that were examined
}

const maxParts = 400

const maxTried = 50

func (y *yamlText) add(m mistake) {
	if len(y.found) < maxTried {
		y.found = append(y.found, m)
	}
}

func (y *yamlText) suspectLines(failedAt, from int) []int {
	here := lineStart(y.text, failedAt)
	lines := []int{here}
	if from >= 0 && from < len(y.text) {
		lines = append(lines, lineStart(y.text, from))
	}
	if before := y.lineBefore(here); before >= 0 {
		lines = append(lines, before)
	}
	slices.SortStableFunc(lines[1:], func(a, b int) int { return b - a })
	return slices.Compact(lines)
}

func (y *yamlText) lineBefore(start int) int {
	for start > 0 {
		end := start - 1
		start = lineStart(y.text, end)
		if line := strings.TrimSpace(y.text[start:end]); line != "" && line[0] != '#' {
			return start
		}
	}
	return -1
}

type yamlLine struct {
	start, words int // start of the line, and its first non-space character
	name, nameTo int // range of the name; without a name, both are the start of the value
	value, end   int // range of the value without surrounding spaces
	item         bool
}

func (y *yamlText) splitLine(start int) yamlLine {
	l := yamlLine{start: start, end: start + len(strings.TrimRight(y.text[start:lineEnd(y.text, start)], " \t"))}
	at := y.skipBlanks(start, l.end)
	l.words = at
	for at+1 < l.end && y.text[at] == '-' && y.text[at+1] == ' ' {
		l.item = true
		at = y.skipBlanks(at+1, l.end)
	}
	l.name, l.nameTo, l.value = at, at, at
	to := wordEnd(y.text, at)
	if to < l.end && strings.IndexByte(`"'`, y.text[to]) >= 0 && to == at {
		to = quoteEnd(y.text[:l.end], at, y.text[to])
	}
	if to > at && to < l.end && y.text[to] == ':' && (to+1 == l.end || y.text[to+1] == ' ' || y.text[to+1] == '\t') {
		l.nameTo, l.value = to, y.skipBlanks(to+1, l.end)
	}
	return l
}

func (y *yamlText) skipBlanks(at, end int) int {
	for at < end && (y.text[at] == ' ' || y.text[at] == '\t') {
		at++
	}
	return at
}

func quoteEnd(text string, at int, mark byte) int {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && mark == '"':
			i++
		case text[i] == mark && mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			i++
		case text[i] == mark:
			return i + 1
		}
	}
	return len(text)
}

func isClosed(text string) (end int, ok bool) {
	end = quoteEnd(text, 0, text[0])
	return end, end > 1 && text[end-1] == text[0] && end <= len(text) && closes(text[:end])
}

func closes(quoted string) bool {
	if quoted[0] == '\'' {
		inside := quoted[1:]
		return (len(inside)-len(strings.TrimRight(inside, "'")))%2 == 1
	}
	inside := quoted[1 : len(quoted)-1]
	return (len(inside)-len(strings.TrimRight(inside, `\`)))%2 == 0
}

func (y *yamlText) lookAtLine(start int) {
	l := y.splitLine(start)
	if l.words == l.end {
		return
	}
	if y.text[l.name] == '-' && l.name+1 < l.end && (isLetter(y.text[l.name+1:]) || strings.IndexByte("\"'{[", y.text[l.name+1]) >= 0) {
		y.add(mistake{at: l.name, until: l.name + 1, start: l.name + 1, end: l.name + 1, right: " ", says: `a space is missing after the "-"`})
	}
	if l.nameTo == l.name {
		y.lookForSpace(l)
	}
	if first := y.text[l.name]; l.item && l.nameTo > l.name && first >= 'A' && first <= 'Z' {
		// Member names are lower case, so a capital letter means that this is a string.
		y.addQuoted(l.name, l.end, y.text[l.name:l.end], `a ":" inside a text begins a member; quote the text`)
	}
	if l.value < l.end && (l.item || l.nameTo > l.name || y.text[l.value] != '?') {
		y.lookAtValue(l.value, l.end)
	}
}

func (y *yamlText) lookForSpace(l yamlLine) {
	to := wordEnd(y.text, l.name)
	if to == l.name || to+1 >= l.end || y.text[to] != ':' || strings.HasPrefix(y.text[to:], "://") {
		return
	}
	value := strings.TrimLeft(y.text[to+1:l.end], " \t\u00a0")
	y.add(mistake{at: l.name, until: to + 1, start: to + 1, end: l.end - len(value), right: " ", says: `a space is missing after the ":"`})
}

func (y *yamlText) lookAtValue(at, end int) {
	value := y.text[at:end]
	switch value[0] {
	case '"', '\'':
		y.lookAtQuoted(at, end)
	case '{', '[':
		y.lookAtBrackets(at, end)
	default:
		y.lookAtPlain(at, end)
	}
}

func (y *yamlText) addQuoted(at, end int, text, says string) {
	if inside, ok := stripCurly(text); ok {
		text, says = inside, "YAML does not treat curly quotes as quotes; use straight ones"
	}
	y.add(mistake{at: at, until: end, start: at, end: end, right: quoteEither(text), says: says})
}

func (y *yamlText) lookAtPlain(at, end int) {
	value := y.text[at:end]
	first, n := utf8.DecodeRuneInString(value)
	if first == '*' && wordEnd(value, 1) == len(value) {
		return // This is the name of an anchor; the parser reports it as unknown.
	}
	begins := strings.ContainsRune("*&!%@`|>,]}", first) || strings.ContainsRune("?-:", first) && (len(value) == n || value[n] == ' ')
	switch {
	case begins:
		y.addQuoted(at, end, value, "a text cannot start with \""+string(first)+"\"; quote it")
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		y.addQuoted(at, end, value, `a ":" inside a text begins a member; quote the text`)
	}
}

func (y *yamlText) lookAtQuoted(at, end int) {
	value := y.text[at:end]
	closed, ok := isClosed(value)
	rest := strings.TrimSpace(value[min(closed, len(value)):])
	switch {
	case !ok:
		y.addOpenQuote(at, end)
	case rest != "" && rest[0] != '#':
		y.addQuoted(at, end, unwrapQuoted(value), "the text continues after its closing quote; put all of it in quotes of the other kind")
	case value[0] == '"' && strings.Contains(value, `\`):
		y.addQuoted(at, at+closed, value[1:closed-1], `a \ in double quotes begins an escape; use single quotes, or write \\`)
	}
}

// unwrapQuoted returns the intended string if a quoted string contains the same quotes. It removes
// the outer quotes if the second quote is an apostrophe or opens another quotation.
func unwrapQuoted(value string) string {
	mark := value[:1]
	if !strings.HasSuffix(value, mark) {
		return value
	}
	inside := value[1 : len(value)-1]
	second := strings.Index(inside, mark)
	opens := second == 0 || strings.IndexByte(" (", inside[second-1]) >= 0
	apostrophe := mark == "'" && second+1 < len(inside) && isLetter(inside[second+1:])
	if strings.Count(value, mark)%2 == 1 || opens || apostrophe {
		return inside
	}
	return value
}

func isLetter(text string) bool {
	c := text[0]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// elisions are English words that start with an apostrophe.
var elisions = []string{"tis", "twas", "twill", "twere", "cause", "em", "til", "till", "bout", "round", "neath", "cos", "ere", "ello", "im", "er"}

func (y *yamlText) addOpenQuote(at, end int) {
	value := y.text[at:end]
	word, _, _ := strings.Cut(strings.ToLower(value[1:]), " ")
	if value[0] == '\'' && slices.Contains(elisions, strings.Trim(word, ".,!?")) {
		y.addQuoted(at, end, value, "the apostrophe at the start opens a quote; put the text in double quotes")
		return
	}
	right, inside := value+value[:1], value[1:]
	if value[0] == '"' && strings.Contains(inside, `\`) || value[0] == '\'' && strings.Contains(inside, "'") {
		right = quoteEither(inside)
	}
	y.add(mistake{at: at, until: at + 1, start: at, end: end, right: right, says: "the quote that opens here is never closed"})
}

func (y *yamlText) lookForOpenQuotes(failedAt int) {
	start := lineStart(y.text, failedAt)
	for range maxLines {
		if start = y.lineBefore(start); start < 0 {
			return
		}
		l := y.splitLine(start)
		if l.value == l.end {
			continue
		}
		switch value := y.text[l.value:l.end]; value[0] {
		case '"', '\'':
			if _, ok := isClosed(value); !ok {
				y.addOpenQuote(l.value, l.end)
			}
		case '{', '[':
			if hasOpenQuote(value) {
				y.lookAtBrackets(l.value, l.end)
			}
		}
	}
}

func hasOpenQuote(text string) bool {
	for i := 1; i < len(text); i++ {
		if opensQuote(text, i) {
			end, ok := isClosed(text[i:])
			if !ok {
				return true
			}
			i += end - 1
		}
	}
	return false
}

func opensQuote(text string, i int) bool {
	return strings.IndexByte("\"'", text[i]) >= 0 && strings.IndexByte(" [{,:", text[max(i-1, 0)]) >= 0
}

func (y *yamlText) lookAtBrackets(at, end int) {
	value := y.text[at:end]
	closed := bracketEnd(value)
	rest := ""
	if closed > 0 {
		rest = strings.TrimSpace(value[closed:])
	}
	switch {
	case strings.HasPrefix(value, "{{"):
		y.addQuoted(at, end, value, "a text that starts with {{ needs quotes")
	case closed > 0 && rest != "" && rest[0] != '#':
		y.addQuoted(at, end, value, "a text that starts with "+value[:1]+" needs quotes")
	}
	y.lookInBrackets(at, at+max(closed, 0), end, maxNested)
}

func bracketEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			if opensQuote(text, i) {
				i = quoteEnd(text, i, text[i]) - 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

const maxNested = 4

func (y *yamlText) lookInBrackets(at, closed, end, nested int) {
	if nested == 0 {
		return
	}
	if closed <= at {
		closed = end
	}
	inside := strings.TrimRight(y.text[at+1:closed], " ")
	if strings.HasSuffix(inside, string(y.text[at]+2)) {
		inside = inside[:len(inside)-1]
	}
	from := at + 1
	if y.text[at] == '[' && y.lookForSentence(from, from+len(inside)) {
		return
	}
	for from < at+1+len(inside) && len(y.found) < maxTried && y.parts < maxParts {
		y.parts++
		to := from + partEnd(y.text[from:at+1+len(inside)], y.text[at] == '{')
		y.lookAtPart(from, to, nested)
		from = to + 1
	}
}

// partEnd returns the offset of the comma that ends the first value of text. If members is true, a
// member name must follow the comma.
func partEnd(text string, members bool) int {
	for i := nestedEnd(text); i < len(text); i++ {
		if opensQuote(text, i) {
			if end, ok := isClosed(text[i:]); ok {
				i += end - 1 // commas in quotes do not separate parts
				continue
			}
		}
		if text[i] != ',' {
			continue
		}
		next := i + 1 + len(text[i+1:]) - len(strings.TrimLeft(text[i+1:], " "))
		if to := wordEnd(text, next); !members || to > next && to < len(text) && text[to] == ':' {
			return i
		}
	}
	return len(text)
}

func nestedEnd(text string) int {
	words := strings.TrimLeft(text, " ")
	if words == "" || strings.IndexByte("[{", words[0]) < 0 || strings.HasPrefix(words, "{{") {
		return 0
	}
	return max(bracketEnd(words), 0) + len(text) - len(words)
}

func (y *yamlText) lookAtPart(from, to, nested int) {
	at := y.skipBlanks(from, to)
	end := at + len(strings.TrimRight(y.text[at:to], " \t"))
	if word := wordEnd(y.text, at); word > at && word+1 < end && y.text[word] == ':' {
		if strings.IndexByte("[{\"'", y.text[word+1]) >= 0 {
			y.add(mistake{at: at, until: word + 1, start: word + 1, end: word + 1, right: " ", says: `a space is missing after the ":"`})
		}
		if y.text[word+1] == ' ' {
			at = y.skipBlanks(word+1, end)
			if hasMember(y.text[at:end]) {
				return
			}
		}
	}
	if at >= end {
		return
	}
	switch value := y.text[at:end]; {
	case value[0] == '[' || value[0] == '{' && !strings.HasPrefix(value, "{{"):
		closed := bracketEnd(value)
		y.lookInBrackets(at, at+max(closed, 0), end, nested-1)
	case strings.HasPrefix(value, "{{"):
		y.addQuoted(at, end, value, "a text that starts with {{ needs quotes")
	case y.lacksComma(at, end):
	case strings.ContainsAny(value, "{}[]") && value[0] != '"' && value[0] != '\'':
		y.addQuoted(at, end, value, "a text with brackets inside other brackets needs quotes")
	default:
		y.lookAtValue(at, end)
	}
}

// hasMember reports whether a value in braces contains a member name with a colon. That means that
// a comma is missing before the name.
func hasMember(value string) bool {
	return slices.ContainsFunc(strings.Fields(value), func(word string) bool {
		name, ok := strings.CutSuffix(word, ":")
		return ok && (strings.Contains(name, "_") || slices.Contains(criteria, name))
	})
}

var criteria = []string{"pass", "redirect", "reject"}

func (y *yamlText) lacksComma(at, end int) bool {
	value := y.text[at:end]
	if strings.IndexByte("\"'", value[0]) < 0 {
		return false
	}
	closed, ok := isClosed(value)
	rest := strings.TrimLeft(value[min(closed, len(value)):], " ")
	if !ok || rest == "" || rest[0] != value[0] || len(rest) == len(value)-closed {
		return false
	}
	y.add(mistake{at: at + closed, until: end - len(rest) + 1, start: at + closed, end: at + closed, right: ",", says: "a comma is missing between these two texts"})
	return true
}

func (y *yamlText) lookForDash(start int) {
	before := y.lineBefore(start)
	if before < 0 {
		return
	}
	l, b := y.splitLine(start), y.splitLine(before)
	if b.item && !l.item && l.nameTo == l.name && l.words-l.start == b.words-b.start {
		y.add(mistake{at: l.words, until: l.end, start: l.words, end: l.words, right: "- ",
			says: `a "- " is missing in front of this item`})
	}
}

// oddBlanks are invisible characters, and characters that look like a space but that YAML treats as
// letters.
const oddBlanks = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff"

func (y *yamlText) lookAtBlanks(start int) {
	end := lineEnd(y.text, start)
	line := y.text[start:end]
	words := strings.TrimLeft(line, " \t"+oddBlanks)
	lead := line[:len(line)-len(words)]
	if right, odd := plainBlanks(line, lead, words); odd {
		y.add(mistake{at: start + strings.IndexAny(line, oddBlanks), until: start + strings.IndexAny(line, oddBlanks) + 2, start: start, end: end, right: right,
			says: "a no-break space is used instead of a space"})
	}
	if strings.Contains(lead, "\t") {
		y.lookAtTabs(start, lead)
	}
}

func plainBlanks(line, lead, words string) (right string, odd bool) {
	right = strings.Repeat(" ", utf8.RuneCountInString(strings.ReplaceAll(lead, "\ufeff", "")))
	if strings.Contains(lead, "\t") {
		right = lead
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

// lookAtTabs records a tab in the indentation, with several possible corrections. One indents this
// line like the line before it, another by two more spaces. The others replace the tabs in all
// lines.
func (y *yamlText) lookAtTabs(start int, lead string) {
	at := start + strings.IndexByte(lead, '\t')
	here := mistake{at: at, until: start + len(lead), start: start, end: start + len(lead), says: tabIndented}
	if before := y.lineBefore(start); before >= 0 {
		if l := y.splitLine(before); !strings.Contains(y.text[l.start:l.words], "\t") {
			for _, deeper := range []int{0, 2} {
				here.right = strings.Repeat(" ", l.name-l.start+deeper)
				y.add(here)
			}
		}
	}
	for _, width := range []int{2, 4, 8} {
		y.addTabWidth(at, width)
	}
}

func (y *yamlText) addTabWidth(at, width int) {
	var out strings.Builder
	for line := range strings.Lines(y.text) {
		words := strings.TrimLeft(line, " \t")
		out.WriteString(strings.ReplaceAll(line[:len(line)-len(words)], "\t", strings.Repeat(" ", width)))
		out.WriteString(words)
	}
	start := lineStart(y.text, strings.IndexByte(y.text, '\t'))
	if right := out.String(); start < len(right) && len(y.text) <= maxRewritten {
		y.add(mistake{at: at, until: at + 1, start: start, end: len(y.text), right: right[start:], says: tabIndented})
	}
}

const maxRewritten = 1 << 20

const saysSentence = "a text with {{ in it needs quotes; if its commas are part of it, quote it as one text"

// lookForSentence records an unquoted string in brackets that contains a placeholder: [Come in,
// {{player_name}}, and sit.]. It returns false if the commas clearly separate several strings. The
// mistake is unsure if only some commas seem to be inside a string.
func (y *yamlText) lookForSentence(from, end int) bool {
	var parts []string
	start, stop := y.skipBlanks(from, end), from
	for at := from; at < end && len(parts) < maxTried; {
		to := at + partEnd(y.text[at:end], false)
		parts = append(parts, strings.Trim(y.text[at:to], " \t"))
		at, stop = to+1, to
	}
	joined, apart := false, false
	for i := 1; i < len(parts); i++ {
		goesOn := mayGoOn(parts[i-1], parts[i])
		joined, apart = joined || goesOn && strings.ContainsAny(parts[i-1]+parts[i], "{}"), apart || !goesOn
	}
	if !joined {
		return false
	}
	whole := strings.TrimRight(y.text[start:stop], " \t")
	y.add(mistake{at: start, until: start + len(whole), start: start, end: start + len(whole), right: quoteEither(whole), unsure: apart || !isOneSentence(parts), says: saysSentence})
	return true
}

// mayGoOn reports whether a comma between two items in brackets may be inside one string. The first
// item must not end a sentence, and the second must not start one.
func mayGoOn(before, part string) bool {
	return isPlainPart(before) && isPlainPart(part) && !endsSentence(before) && (beginsSmall(part) || strings.HasPrefix(part, "{{"))
}

func isPlainPart(part string) bool {
	return part != "" && (strings.IndexByte("\"'[{", part[0]) < 0 || strings.HasPrefix(part, "{{"))
}

func endsSentence(text string) bool {
	return text != "" && strings.ContainsAny(text[len(text)-1:], ".!?")
}

func beginsSmall(text string) bool {
	return unicode.IsLower(firstLetter(text)) || strings.HasPrefix(text, "I ") || strings.HasPrefix(text, "I'")
}

// isOneSentence reports whether parts are certainly pieces of one string. It looks at the full stop
// at the end, at capital and small letters, and at the player's name.
func isOneSentence(parts []string) bool {
	const addressed = "{{player_name}}"
	first, ends := parts[0], endsSentence(parts[len(parts)-1])
	if strings.HasPrefix(first, "{{") && bracketEnd(first) == len(first) {
		return ends && first == addressed
	}
	addresses := func(part string) bool { return beginsSmall(part) || strings.HasPrefix(part, addressed) }
	return ends || unicode.IsUpper(firstLetter(first)) && slices.ContainsFunc(parts[1:], addresses)
}
