package personas

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// mistake is a possible cause of a syntax error, with the change that corrects it.
type mistake struct {
	at     span // the range for the diagnostic
	change textChange
	says   string
	unsure bool // the author may have meant something else, so there is no automatic fix
}

// maxRereading is the maximum number of bytes that are parsed again to explain one mistake.
const maxRereading = 2 << 20

// explainFault improves the message of a syntax error if one of the mistakes explains it. That is
// the first mistake with a change that moves the error towards the end of the text. read returns the
// offset of the first syntax error, or -1.
func (t *sourceText) explainFault(fault *Diagnostic, failedAt int, begin string, mistakes []mistake, read func(text string) int) {
	left := maxRereading
	for _, m := range mistakes {
		if left -= len(t.src); left < 0 {
			return
		}
		at := read(m.change.apply(t.src))
		grown := len(m.change.text) - (m.change.at.end - m.change.at.start)
		if at >= 0 && at <= max(failedAt+grown, m.change.at.end+grown) {
			continue
		}
		fault.Position = t.positionOf(m.at)
		fault.Message = begin + m.says + writeAs(m.change.line(t.src))
		if !m.unsure {
			fault.Fix = m.change.fix(t.src, "")
		}
		return
	}
}

func (t *sourceText) explainYAML(fault *Diagnostic, marks *yamlOffsets) {
	if len(t.src) > maxRereading/2 {
		return
	}
	wasRead := marks.isRead
	t.explainFault(fault, marks.failedAt, "not valid YAML: ", t.findYAMLMistakes(marks.failedAt, marks.from), func(text string) int {
		m := newOffsets(newText(text))
		if _, fault := parseYAML(m.t, m); fault == nil || m.isRead && !wasRead {
			return -1
		}
		return max(m.failedAt, 0)
	})
}

// maxLines is the maximum number of lines before the error that are searched for an unclosed quote.
const maxLines = 400

// findYAMLMistakes returns possible causes of the YAML syntax error at failedAt, the most probable
// first. from is the start of the construct that parsing could not complete, or -1.
func (t *sourceText) findYAMLMistakes(failedAt, from int) []mistake {
	here := lineStart(t.src, failedAt)
	lines := []yamlLine{t.readLine(here)}
	if start := lineStart(t.src, from); from >= 0 && start != here {
		lines = append(lines, t.readLine(start))
	}
	before := t.lineBefore(here)
	if before >= 0 {
		lines = append(lines, t.readLine(before))
	}
	var found []mistake
	for _, look := range []func(yamlLine) []mistake{t.findBlanks, t.findGlued, t.findUnquoted, t.findInBrackets} {
		for _, l := range lines {
			found = append(found, look(l)...)
		}
	}
	for range maxLines {
		if before < 0 {
			break
		}
		l := t.readLine(before)
		if value := t.src[l.value:l.end]; value != "" && strings.IndexByte(`"'`, value[0]) >= 0 && closedQuote().FindString(value) == "" {
			found = append(found, t.findUnquoted(l)...)
		}
		for _, m := range t.findInBrackets(l) {
			if m.says == neverClosed {
				found = append(found, m)
			}
		}
		before = t.lineBefore(before)
	}
	return found
}

// lineBefore returns the start of the nearest line above that has content, or -1.
func (t *sourceText) lineBefore(start int) int {
	for start > 0 {
		end := start - 1
		start = lineStart(t.src, end)
		if line := strings.TrimSpace(t.src[start:end]); line != "" && line[0] != '#' {
			return start
		}
	}
	return -1
}

// yamlLine holds the offsets of a line, of its first character after spaces and dashes, and of its
// value.
type yamlLine struct{ start, words, value, end int }

var (
	// linePattern matches the dashes and the name before a value.
	linePattern = plaintext.Pattern(`^([ \t]*(?:-[ \t]+)*)((?:"[^"]*"|'[^']*'|[\w.$-]+):(?:[ \t]+|$))?`)
	// gluedPattern matches a dash or a name that is followed by its value without a space.
	gluedPattern = plaintext.Pattern(`^[ \t]*(?:-[ \t]+)*(-[\pL"'{\[]|[\w.$-]+:[^ \t/])`)
	anchorName   = plaintext.Pattern(`^\*[\w-]+$`)
	closedQuote  = plaintext.Pattern(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
)

func (t *sourceText) readLine(start int) yamlLine {
	line := strings.TrimRight(t.src[start:lineEnd(t.src, start)], " \t")
	at := linePattern().FindStringSubmatchIndex(line)
	l := yamlLine{start, start + at[3], start + at[1], start + len(line)}
	// Member names are lower case, so a capital letter after a dash means that this is a text.
	if l.words < l.end && strings.Contains(line[:at[3]], "-") && unicode.IsUpper(firstLetter(t.src[l.words:])) {
		l.value = l.words
	}
	return l
}

// oddBlanks are invisible characters, and characters that look like a space but that YAML treats as
// letters.
const oddBlanks = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff"

// blankPattern matches the part of a line before its value, with any kind of blanks.
var blankPattern = plaintext.Pattern(`^[ ` + oddBlanks + `]*(?:-[ ` + oddBlanks + `]+)*(?:[\w.$-]+[ ` + oddBlanks + `]*:[ ` + oddBlanks + `]+)?`)

func (t *sourceText) findBlanks(l yamlLine) (found []mistake) {
	begin := blankPattern().FindString(t.src[l.start:l.end])
	if odd := strings.IndexAny(begin, oddBlanks); odd >= 0 {
		plain := strings.Map(func(r rune) rune {
			if strings.ContainsRune(oddBlanks, r) {
				return ' '
			}
			return r
		}, begin)
		found = append(found, mistake{
			at: span{l.start + odd, l.start + odd + 2}, change: textChange{span{l.start, l.start + len(begin)}, plain},
			says: "a no-break space is used instead of a space",
		})
	}
	lead := t.src[l.start : l.start+len(t.src[l.start:l.end])-len(strings.TrimLeft(t.src[l.start:l.end], " \t"))]
	tab := strings.IndexByte(lead, '\t')
	if tab < 0 {
		return found
	}
	add := func(c textChange) {
		found = append(found, mistake{at: span{l.start + tab, l.start + len(lead)}, change: c, says: "a tab is used for indentation; use spaces"})
	}
	if text := "\n" + t.src; strings.Count(text, "\n\t") > 1 {
		first := strings.Index(text, "\n\t") // the first line with a tab
		for _, width := range []int{2, 4} {
			add(textChange{span{first, len(t.src)}, expandTabs(t.src[first:], width)})
		}
	}
	if before := t.lineBefore(l.start); before >= 0 {
		above := t.readLine(before)
		indent := above.words - before
		if line := t.src[before:above.end]; strings.ContainsAny(line[len(line)-1:], ":|>") {
			indent += 2
		} else if strings.HasPrefix(t.src[l.start+len(lead):], "- ") {
			indent = len(line) - len(strings.TrimLeft(line, " "))
		}
		add(textChange{span{l.start, l.start + len(lead)}, strings.Repeat(" ", indent)})
		add(textChange{span{l.start, l.start + len(lead)}, strings.Repeat(" ", indent+2)})
	}
	return found
}

// expandTabs replaces the tabs at the starts of lines by spaces.
func expandTabs(text string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, "\t")
		out.WriteString(strings.Repeat(" ", width*(len(line)-len(words))) + words)
	}
	return out.String()
}

func (t *sourceText) findGlued(l yamlLine) []mistake {
	at := gluedPattern().FindStringSubmatchIndex(t.src[l.start:l.end])
	if at == nil {
		return nil
	}
	glued := t.src[l.start+at[2] : l.start+at[3]]
	sign := strings.LastIndexAny(glued, ":-")
	end := l.start + at[2] + sign + 1
	return []mistake{{
		at: span{l.start + at[2], end}, change: textChange{span{end, end}, " "},
		says: `a space is missing after the "` + glued[sign:sign+1] + `"`,
	}}
}

func (t *sourceText) findUnquoted(l yamlLine) []mistake {
	value := t.src[l.value:l.end]
	if value == "" || value[0] == '?' && strings.TrimLeft(t.src[l.start:l.value], " ") == "" {
		return nil
	}
	m := mistake{at: span{l.value, l.end}, change: textChange{at: span{l.value, l.end}}, unsure: strings.Contains(value, " #")}
	text, closed := value, closedQuote().FindString(value)
	first, size := utf8.DecodeRuneInString(value)
	switch rest := strings.TrimSpace(value[len(closed):]); {
	case (first == '"' || first == '\'') && closed == "":
		m.at.end, m.change.text = l.value+1, value+value[:1]
		m.says = neverClosed
		m.unsure = m.unsure || elision().MatchString(value)
		return []mistake{m}
	case closed != "" && rest != "" && rest[0] != '#':
		text = unwrapQuoted(value)
		m.says = "the text continues after its closing quote; put all of it in quotes of the other kind"
	case first == '"' && strings.Contains(closed, `\`):
		text, m.at.end = closed[1:len(closed)-1], l.value+len(closed)
		m.change.at = m.at
		m.says = `a \ in double quotes begins an escape; use single quotes, or write \\`
	case strings.HasPrefix(value, "{{"):
		m.says = "a text that starts with {{ needs quotes"
	case (first == '{' || first == '[') && strings.IndexByte(value, value[0]+2) > 0 && strings.IndexByte(value[len(value)-1:], value[0]+2) < 0 && !strings.HasSuffix(value, ","):
		m.says = "a text that starts with " + value[:1] + " needs quotes"
	case strings.ContainsRune("{[\"'", first), anchorName().MatchString(value):
		return nil // An unknown anchor is reported as such.
	case strings.ContainsRune("*&!%@`|>,]}", first), strings.ContainsRune("?-:", first) && (len(value) == size || value[size] == ' '):
		m.says = `a text cannot start with "` + string(first) + `"; quote it`
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		m.says = `a ":" inside a text begins a member; quote the text`
	default:
		return nil
	}
	if inside, ok := stripCurly(text); ok {
		text, m.says = inside, "YAML does not treat curly quotes as quotes; use straight ones"
	}
	m.change.text = quoteEither(text)
	return []mistake{m}
}

const neverClosed = "the quote that opens here is never closed"

var (
	// elision matches words that begin with an apostrophe.
	elision = plaintext.Pattern(`^'(?i:tis|twas|twere|til|em|cause|bout|round|neath|\d\ds)\b`)
	// itemPattern matches an item in brackets up to its value.
	itemPattern = plaintext.Pattern(`^[\s,\]}]*(?:[\w.$-]+:\s+)?`)
	// itemValue matches a value without quotes, or what follows the quotes of one.
	itemValue = plaintext.Pattern(`^(?:\{\{[^{}]*\}\}|[^,\[\]{}])*`)
	// memberAtEnd matches the name of a member that follows another value without a comma.
	memberAtEnd = plaintext.Pattern(`\b(?:pass|redirect|reject|answer|intent|\w+_\w+):\s`)
)

// findInBrackets finds unquoted texts among the items of a value in brackets or braces.
func (t *sourceText) findInBrackets(l yamlLine) (found []mistake) {
	if l.value == l.end || strings.IndexByte("[{", t.src[l.value]) < 0 {
		return nil
	}
	for at := l.value + 1; at < l.end; {
		at += len(itemPattern().FindString(t.src[at:l.end]))
		rest := t.src[at:l.end]
		if rest == "" || strings.IndexByte("[{", rest[0]) >= 0 && !strings.HasPrefix(rest, "{{") {
			at++
			continue
		}
		closed := closedQuote().FindString(rest)
		behind := itemValue().FindString(rest[len(closed):])
		n := len(closed) + len(behind)
		value := strings.TrimRight(rest[:n], " ")
		if behind = strings.TrimSpace(behind); closed != "" && behind != "" && closedQuote().FindString(behind) == behind {
			value = "" // a comma is missing
		}
		more := n < len(rest) && rest[n] == ','
		if !more || !strings.HasPrefix(value, "{{") || strings.IndexByte(value, ' ') > 0 { // else a form of address: {{name}}, hello
			for _, m := range t.findUnquoted(yamlLine{l.start, at, at, at + len(value)}) {
				m.unsure = m.unsure || more && m.says == neverClosed || memberAtEnd().MatchString(value)
				found = append(found, m)
			}
		}
		at += max(n, 1)
	}
	return found
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
	if second < 0 {
		return value
	}
	opens := second == 0 || strings.IndexByte(" (", inside[second-1]) >= 0
	apostrophe := mark == "'" && unicode.IsLetter(firstLetter(inside[second+1:]))
	if strings.Count(value, mark)%2 == 1 || opens || apostrophe {
		return inside
	}
	return value
}

func (t *sourceText) explainJSON(fault *Diagnostic, failedAt int) {
	end := len(strings.TrimRight(t.src[:failedAt], " \t\r\n"))
	if failedAt >= len(t.src) || end == 0 {
		return
	}
	first, before := t.src[failedAt], t.src[end-1]
	var found []mistake
	switch {
	case (first == '}' || first == ']') && before == ',':
		found = []mistake{{at: span{failedAt, failedAt + 1}, change: textChange{at: span{end - 1, end}}, says: "remove the comma before this " + string(first)}}
	case strings.IndexByte(`"]}0123456789el`, before) >= 0 && strings.IndexByte(`"{[-0123456789`, first) >= 0:
		found = []mistake{{at: span{end - 1, end}, change: textChange{span{end, end}, ","}, says: "a comma is missing here"}}
	}
	t.explainFault(fault, failedAt, "not valid JSON: ", found, func(text string) int {
		err := json.Unmarshal([]byte(text), new(json.RawMessage))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return max(int(syntax.Offset)-1, 0)
		}
		return -1
	})
}

// maxRepeated is the maximum number of characters of a source line in a message.
const maxRepeated = 160

func writeAs(line string) string {
	return "; write it as: " + plaintext.ClipAfter(strings.ReplaceAll(line, "\t", " "), maxRepeated, plaintext.Dots)
}

func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:max(min(at, len(text)), 0)], "\r\n") + 1
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

func firstLetter(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}
