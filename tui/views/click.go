package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// PartAt is the index of the part that a line of the panel shows, -1 for none.
func (p *Panel) PartAt(line int) int {
	first := -1
	for i, text := range p.Lines {
		title := strings.TrimSpace(strings.TrimPrefix(ansi.Strip(text), edgeMark))
		if strings.HasPrefix(title, partsTitle) || strings.HasPrefix(title, machinesTitle) {
			first = i + 1
		}
	}
	if first < 0 || line < first || line >= len(p.Lines) {
		return -1
	}
	return p.countParts(first, line)
}

// countParts is how many rows of parts are between two lines; a row begins with a mark,
// what is indented belongs to it.
func (p *Panel) countParts(first, line int) int {
	at := -1
	for _, text := range p.Lines[first : line+1] {
		text = strings.TrimPrefix(ansi.Strip(text), edgeMark)
		switch {
		case strings.TrimSpace(text) == "", strings.HasPrefix(text, "…"):
			return -1
		case !strings.HasPrefix(text, " "):
			at++
		}
	}
	if at >= len(p.Machines) {
		return -1
	}
	return at
}

// The titles of the panel's lists of parts, and the edge before each line.
const (
	partsTitle    = "Parts"
	machinesTitle = "Machines"
	edgeMark      = "│ "
)
