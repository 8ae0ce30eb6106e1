package personas

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/repair"
)

// maxRereading is how many bytes are read again to find out what a writer meant. Of a
// longer YAML text only the lines around the place are.
const maxRereading = 2 << 20

// explainYAML gives a fault the sentence and the fix of the mistake that it comes from, if
// it is one that writers make.
func (t *sourceText) explainYAML(fault *Fault, marks *yamlOffsets) {
	shift, src, failedAt, from := 0, t.src, marks.failedAt, marks.from
	if len(src) > maxRereading/2 {
		around := t.linesAround(failedAt)
		if from >= 0 && from < failedAt {
			begin := t.linesAround(from)
			around.start = min(begin.start, around.start)
			if failedAt-from > mostAround {
				around = begin
			}
		}
		shift, src = around.start, src[around.start:around.end]
		failedAt, from = readAgain(src)
	}
	if failedAt < 0 {
		return
	}
	read := limitReading(func(text string) int {
		at, _ := readAgain(text)
		return at
	})
	if m, ok := repair.YAML(src, failedAt, from, read); ok {
		m.At, m.Until, m.Start, m.End = m.At+shift, m.Until+shift, m.Start+shift, m.End+shift
		t.explainFault(fault, "not valid YAML: ", &m)
	}
}

// readAgain gives the place at which a YAML text cannot be read, and where the reader began
// with what it could not finish; -1 when it can be read.
func readAgain(text string) (failedAt, from int) {
	m := &yamlOffsets{t: newText(text), line: 1, column: 1, failedAt: -1, from: -1}
	if _, fault := parseYAML(m.t, m); fault != nil {
		return max(m.failedAt, 0), m.from
	}
	return -1, -1
}

// mostAround is how many bytes of a long text are read again on either side of a place.
const mostAround = 32 << 10

// linesAround gives the lines around a place that belong together by their indentation:
// those in front that are not less indented than the place's, and one that is, and those
// behind.
func (t *sourceText) linesAround(at int) span {
	src := t.src
	start := strings.LastIndexByte(src[:min(at, len(src))], '\n') + 1
	for start > 0 && strings.TrimSpace(src[start:lineEnd(src, start)]) == "" {
		start = strings.LastIndexByte(src[:start-1], '\n') + 1
	}
	lead, end := leadAt(src, start), lineEnd(src, min(at, len(src)))
	for start > 0 && at-start < mostAround {
		start = strings.LastIndexByte(src[:start-1], '\n') + 1
		if strings.TrimSpace(src[start:lineEnd(src, start)]) != "" && leadAt(src, start) < lead {
			break
		}
	}
	lead = leadAt(src, start)
	for end < len(src) && end-at < mostAround {
		next := lineEnd(src, end+1)
		if line := src[end+1 : next]; strings.TrimSpace(line) != "" && leadAt(src, end+1) < lead {
			break
		}
		end = next
	}
	return span{start, end}
}

// leadAt gives how many spaces are at the beginning of a line.
func leadAt(src string, start int) int {
	line := src[start:min(start+200, len(src))]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// explainJSON is explainYAML for JSON.
func (t *sourceText) explainJSON(fault *Fault, failedAt int) {
	read := limitReading(func(text string) int {
		err := json.Unmarshal([]byte(text), new(json.RawMessage))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return max(int(syntax.Offset)-1, 0)
		}
		return -1
	})
	if m, ok := repair.JSON(t.src, failedAt, read); ok {
		t.explainFault(fault, "not valid JSON: ", &m)
	}
}

// limitReading bounds what a reader reads in all.
func limitReading(read func(text string) int) repair.Reader {
	left := maxRereading
	return func(text string) (int, bool) {
		if left <= 0 {
			return 0, false
		}
		left -= len(text)
		return read(text), true
	}
}

// explainFault writes a mistake into a fault. A line with something like a key in it is
// not repeated.
func (t *sourceText) explainFault(fault *Fault, begin string, m *repair.Mistake) {
	fault.Pos = t.positionOf(span{m.At, max(m.Until, m.At+1)})
	fault.Message = begin + m.Says
	if old := t.src[m.Start:m.End]; m.Right != old {
		fault.Message += writeAs(m.Line(t.src))
		fault.Fix = &Fix{Kind: FixText, Value: m.Right, Start: m.Start, End: m.End, Old: old}
	}
}

// mostRepeated is how many characters of a line a message repeats.
const mostRepeated = 160

// writeAs gives the end of a message that says how a line should be.
func writeAs(line string) string {
	return "; write it as: " + plaintext.ClipAfter(strings.ReplaceAll(line, "\t", " "), mostRepeated, plaintext.Dots)
}

// offerQuotes gives the last fault the fix that makes a text of a value that YAML takes
// for an object or a list, since the text has no quotes.
func (d *decoder) offerQuotes(n *node) {
	if !d.strict || n.kind != object && n.kind != list || len(n.items) == 0 || n.at.end <= n.at.start || len(d.faults) == 0 || len(d.faults) > maxFaults {
		return
	}
	written := d.t.src[n.at.start:n.at.end]
	if strings.ContainsAny(written, "\r\n") || strings.HasPrefix(written, "*") || isFlow(d.t.src, n) && slices.ContainsFunc(n.items, isCollection) && !strings.HasPrefix(written, "{{") {
		return
	}
	right := repair.Quote(written)
	fault := &d.faults[len(d.faults)-1]
	fault.Message += "; a text with " + signOf(d.t.src, n) + " needs quotes" + writeAs(right)
	fault.Fix = &Fix{Kind: FixText, Path: fault.Path, Value: right, Start: n.at.start, End: n.at.end, Old: written}
}

func isCollection(n *node) bool { return n.kind == object || n.kind == list }

// signOf names what makes a collection of a text.
func signOf(src string, n *node) string {
	switch {
	case isFlow(src, n):
		return src[n.at.start:n.at.start+1] + " at its beginning"
	case n.kind == list:
		return `"- " at its beginning`
	}
	return `a ":" in it`
}

// offerDash gives the last fault the fix that puts a space behind the dashes of a list,
// where YAML took its lines for one text. It tells whether the text is such a list.
func (d *decoder) offerDash(n *node) bool {
	written := d.t.src[n.at.start:n.at.end]
	if len(written) < 2 || written[0] != '-' || written[1] == ' ' || len(d.faults) == 0 || len(d.faults) > maxFaults {
		return false
	}
	lines := strings.SplitAfter(written, "\n")
	for i, line := range lines {
		lead := len(line) - len(strings.TrimLeft(line, " "))
		if len(line) > lead+1 && line[lead] == '-' && line[lead+1] != ' ' {
			lines[i] = line[:lead] + "- " + line[lead+1:]
		}
	}
	right := strings.Join(lines, "")
	first, _, _ := strings.Cut(right, "\n")
	fault := &d.faults[len(d.faults)-1]
	fault.Message += `; a space is missing behind the "-"` + writeAs(strings.TrimSpace(first))
	fault.Fix = &Fix{Kind: FixText, Path: fault.Path, Value: right, Start: n.at.start, End: n.at.end, Old: written}
	return true
}

// mostMoved is how many bytes of a text are indented anew at most.
const mostMoved = 1 << 20

// offerItem gives the last fault the fix that makes a list of the one object that stands
// in its place.
func (d *decoder) offerItem(n *node) {
	if !d.strict || len(n.items) == 0 || n.at.end-n.at.start > mostMoved || len(d.faults) == 0 || len(d.faults) > maxFaults {
		return
	}
	written := d.t.src[n.at.start:n.at.end]
	right := "[" + written + "]"
	begins := strings.TrimSpace(d.t.src[strings.LastIndexByte(d.t.src[:n.at.start], '\n')+1:n.at.start]) == ""
	if begins && !strings.HasPrefix(strings.TrimLeft(d.t.src, " \t\r\n"), "{") || !isFlow(d.t.src, n) {
		right = "- " + strings.ReplaceAll(written, "\n", "\n  ")
	}
	fault := &d.faults[len(d.faults)-1]
	first, _, _ := strings.Cut(right, "\n")
	fault.Message += writeAs(strings.TrimSpace(first))
	fault.Fix = &Fix{Kind: FixText, Path: fault.Path, Value: right, Start: n.at.start, End: n.at.end, Old: written}
}
