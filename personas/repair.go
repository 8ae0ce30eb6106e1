package personas

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

type mistake struct {
	span    span // range for the diagnostic
	change  textChange
	message string
	unsure  bool // no automatic fix, because the author may have meant something else
}

const maxRereading = 2 << 20

// explainFault looks for a mistake that explains the fault. Its change must move the first error
// towards the end of the text. The function read returns the offset of the first error, or -1.
func (t *sourceText) explainFault(
	fault *Diagnostic, failedAt int, begin string, mistakes []mistake, read func(text string) int,
) {
	remaining := maxRereading
	for _, m := range mistakes {
		if remaining -= len(t.src); remaining < 0 {
			return
		}
		after := read(m.change.apply(t.src))
		grown := len(m.change.text) - (m.change.span.end - m.change.span.start)
		if after >= 0 && after <= max(failedAt+grown, m.change.span.end+grown) {
			continue
		}
		fault.Position = t.positionOf(m.span)
		fault.Message = begin + m.message + writeAs(m.change.line(t.src))
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
	mistakes := t.findYAMLMistakes(marks.failedAt, marks.from)
	t.explainFault(fault, marks.failedAt, "not valid YAML: ", mistakes, func(text string) int {
		m := newOffsets(newText(text))
		if _, fault := parseYAML(m.t, m); fault == nil || m.isRead && !wasRead {
			return -1
		}
		return max(m.failedAt, 0)
	})
}

const maxLines = 400

func (t *sourceText) findYAMLMistakes(failedAt, from int) []mistake {
	errorLine := lineStart(t.src, failedAt)
	lines := []yamlLine{t.readLine(errorLine)}
	if start := lineStart(t.src, from); from >= 0 && start != errorLine {
		lines = append(lines, t.readLine(start))
	}
	before := t.lineBefore(errorLine)
	if before >= 0 {
		lines = append(lines, t.readLine(before))
	}
	var mistakes []mistake
	for _, find := range []func(yamlLine) []mistake{t.findBlanks, t.findGlued, t.findUnquoted, t.findInBrackets} {
		for _, l := range lines {
			mistakes = append(mistakes, find(l)...)
		}
	}
	for range maxLines {
		if before < 0 {
			break
		}
		l := t.readLine(before)
		value := t.src[l.value:l.end]
		isQuoted := value != "" && strings.IndexByte(`"'`, value[0]) >= 0
		if isQuoted && closedQuote().FindString(value) == "" {
			mistakes = append(mistakes, t.findUnquoted(l)...)
		}
		for _, m := range t.findInBrackets(l) {
			if m.message == neverClosed {
				mistakes = append(mistakes, m)
			}
		}
		before = t.lineBefore(before)
	}
	return mistakes
}

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

type yamlLine struct{ start, words, value, end int }

var (
	linePattern  = plaintext.Pattern(`^([ \t]*(?:-[ \t]+)*)((?:"[^"]*"|'[^']*'|[\w.$-]+):(?:[ \t]+|$))?`)
	gluedPattern = plaintext.Pattern(`^[ \t]*(?:-[ \t]+)*(-[\pL"'{\[]|[\w.$-]+:[^ \t/])`)
	anchorName   = plaintext.Pattern(`^\*[\w-]+$`)
	closedQuote  = plaintext.Pattern(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
)

func (t *sourceText) readLine(start int) yamlLine {
	line := strings.TrimRight(t.src[start:lineEnd(t.src, start)], " \t")
	match := linePattern().FindStringSubmatchIndex(line)
	l := yamlLine{start, start + match[3], start + match[1], start + len(line)}
	// Member names are lower case. A capital letter after a dash therefore starts a text.
	if l.words < l.end && strings.Contains(line[:match[3]], "-") && unicode.IsUpper(firstLetter(t.src[l.words:])) {
		l.value = l.words
	}
	return l
}

const oddBlanks = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff"

var blankPattern = plaintext.Pattern(`^[ ` + oddBlanks + `]*(?:-[ ` + oddBlanks + `]+)*(?:[\w.$-]+[ ` + oddBlanks + `]*:[ ` + oddBlanks + `]+)?`)

func (t *sourceText) findBlanks(line yamlLine) (mistakes []mistake) {
	begin := blankPattern().FindString(t.src[line.start:line.end])
	if odd := strings.IndexAny(begin, oddBlanks); odd >= 0 {
		plain := strings.Map(func(r rune) rune {
			if strings.ContainsRune(oddBlanks, r) {
				return ' '
			}
			return r
		}, begin)
		mistakes = append(mistakes, mistake{
			span:    span{line.start + odd, line.start + odd + 2},
			change:  textChange{span{line.start, line.start + len(begin)}, plain},
			message: "a no-break space is used instead of a space",
		})
	}
	source := t.src[line.start:line.end]
	lead := source[:len(source)-len(strings.TrimLeft(source, " \t"))]
	tab := strings.IndexByte(lead, '\t')
	if tab < 0 {
		return mistakes
	}
	add := func(c textChange) {
		mistakes = append(mistakes, mistake{
			span: span{line.start + tab, line.start + len(lead)}, change: c,
			message: "a tab is used for indentation; use spaces",
		})
	}
	if text := "\n" + t.src; strings.Count(text, "\n\t") > 1 {
		first := strings.Index(text, "\n\t")
		for _, width := range []int{2, 4} {
			add(textChange{span{first, len(t.src)}, expandTabs(t.src[first:], width)})
		}
	}
	if before := t.lineBefore(line.start); before >= 0 {
		above := t.readLine(before)
		indent := above.words - before
		text := t.src[before:above.end]
		switch {
		case strings.ContainsAny(text[len(text)-1:], ":|>"):
			indent += 2
		case strings.HasPrefix(t.src[line.start+len(lead):], "- "):
			indent = len(text) - len(strings.TrimLeft(text, " "))
		}
		add(textChange{span{line.start, line.start + len(lead)}, strings.Repeat(" ", indent)})
		add(textChange{span{line.start, line.start + len(lead)}, strings.Repeat(" ", indent+2)})
	}
	return mistakes
}

func expandTabs(text string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, "\t")
		out.WriteString(strings.Repeat(" ", width*(len(line)-len(words))) + words)
	}
	return out.String()
}

func (t *sourceText) findGlued(line yamlLine) []mistake {
	match := gluedPattern().FindStringSubmatchIndex(t.src[line.start:line.end])
	if match == nil {
		return nil
	}
	glued := t.src[line.start+match[2] : line.start+match[3]]
	sign := strings.LastIndexAny(glued, ":-")
	end := line.start + match[2] + sign + 1
	return []mistake{{
		span:    span{line.start + match[2], end},
		change:  textChange{span{end, end}, " "},
		message: `a space is missing after the "` + glued[sign:sign+1] + `"`,
	}}
}

func (t *sourceText) findUnquoted(line yamlLine) []mistake {
	value := t.src[line.value:line.end]
	if value == "" || value[0] == '?' && strings.TrimLeft(t.src[line.start:line.value], " ") == "" {
		return nil
	}
	unquoted := span{line.value, line.end}
	result := mistake{span: unquoted, change: textChange{span: unquoted}, unsure: strings.Contains(value, " #")}
	text, closed := value, closedQuote().FindString(value)
	first, size := utf8.DecodeRuneInString(value)
	isSpaced := len(value) == size || value[size] == ' '
	switch rest := strings.TrimSpace(value[len(closed):]); {
	case (first == '"' || first == '\'') && closed == "":
		result.span.end, result.change.text = line.value+1, value+value[:1]
		result.message = neverClosed
		result.unsure = result.unsure || elision().MatchString(value)
		return []mistake{result}
	case closed != "" && rest != "" && rest[0] != '#':
		text = unwrapQuoted(value)
		result.message = "the text continues after its closing quote; put all of it in quotes of the other kind"
	case first == '"' && strings.Contains(closed, `\`):
		text, result.span.end = closed[1:len(closed)-1], line.value+len(closed)
		result.change.span = result.span
		result.message = `a \ in double quotes begins an escape; use single quotes, or write \\`
	case strings.HasPrefix(value, "{{"):
		result.message = "a text that starts with {{ needs quotes"
	case (first == '{' || first == '[') && closesEarly(value):
		result.message = "a text that starts with " + value[:1] + " needs quotes"
	case strings.ContainsRune("{[\"'", first), anchorName().MatchString(value):
		return nil // The parser reports an unknown anchor.
	case strings.ContainsRune("*&!%@`|>,]}", first), strings.ContainsRune("?-:", first) && isSpaced:
		result.message = `a text cannot start with "` + string(first) + `"; quote it`
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		result.message = `a ":" inside a text begins a member; quote the text`
	default:
		return nil
	}
	if inside, ok := stripCurly(text); ok {
		text, result.message = inside, "YAML does not treat curly quotes as quotes; use straight ones"
	}
	result.change.text = quoteEither(text)
	return []mistake{result}
}

func closesEarly(value string) bool {
	bracket := value[0] + 2 // '}' for '{' and ']' for '['
	return strings.IndexByte(value, bracket) > 0 && value[len(value)-1] != bracket && !strings.HasSuffix(value, ",")
}

const neverClosed = "the quote that opens here is never closed"

var (
	elision          = plaintext.Pattern(`^'(?i:tis|twas|twere|til|em|cause|bout|round|neath|\d\ds)\b`)
	itemPrefix       = plaintext.Pattern(`^[\s,\]}]*(?:[\w.$-]+:\s+)?`)
	itemValue        = plaintext.Pattern(`^(?:\{\{[^{}]*\}\}|[^,\[\]{}])*`)
	memberAfterValue = plaintext.Pattern(`\b(?:pass|redirect|reject|answer|intent|\w+_\w+):\s`)
)

func (t *sourceText) findInBrackets(line yamlLine) (mistakes []mistake) {
	if line.value == line.end || strings.IndexByte("[{", t.src[line.value]) < 0 {
		return nil
	}
	for offset := line.value + 1; offset < line.end; {
		offset += len(itemPrefix().FindString(t.src[offset:line.end]))
		rest := t.src[offset:line.end]
		if rest == "" || strings.IndexByte("[{", rest[0]) >= 0 && !strings.HasPrefix(rest, "{{") {
			offset++
			continue
		}
		closed := closedQuote().FindString(rest)
		after := itemValue().FindString(rest[len(closed):])
		n := len(closed) + len(after)
		value := strings.TrimRight(rest[:n], " ")
		after = strings.TrimSpace(after)
		if closed != "" && after != "" && closedQuote().FindString(after) == after {
			value = "" // a comma is missing
		}
		more := n < len(rest) && rest[n] == ','
		isAddress := more && strings.HasPrefix(value, "{{") && strings.IndexByte(value, ' ') <= 0 // {{name}}, hello
		if !isAddress {
			item := yamlLine{line.start, offset, offset, offset + len(value)}
			for _, m := range t.findUnquoted(item) {
				isCut := more && m.message == neverClosed
				m.unsure = m.unsure || isCut || memberAfterValue().MatchString(value)
				mistakes = append(mistakes, m)
			}
		}
		offset += max(n, 1)
	}
	return mistakes
}

// unwrapQuoted removes the outer quotes if the second quote is an apostrophe or opens another
// quotation.
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
	var mistakes []mistake
	switch {
	case (first == '}' || first == ']') && before == ',':
		mistakes = []mistake{{
			span:    span{failedAt, failedAt + 1},
			change:  textChange{span: span{end - 1, end}},
			message: "remove the comma before this " + string(first),
		}}
	case strings.IndexByte(`"]}0123456789el`, before) >= 0 && strings.IndexByte(`"{[-0123456789`, first) >= 0:
		mistakes = []mistake{{
			span:    span{end - 1, end},
			change:  textChange{span{end, end}, ","},
			message: "a comma is missing here",
		}}
	}
	t.explainFault(fault, failedAt, "not valid JSON: ", mistakes, func(text string) int {
		err := json.Unmarshal([]byte(text), new(json.RawMessage))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return max(int(syntax.Offset)-1, 0)
		}
		return -1
	})
}

const maxQuotedLine = 160

func writeAs(line string) string {
	return "; write it as: " + plaintext.ClipAfter(strings.ReplaceAll(line, "\t", " "), maxQuotedLine, plaintext.Dots)
}

func lineStart(text string, offset int) int {
	return strings.LastIndexAny(text[:max(min(offset, len(text)), 0)], "\r\n") + 1
}

func quoteEither(text string) string {
	if !strings.ContainsAny(text, "\"\\") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

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
