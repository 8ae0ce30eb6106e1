package graph

import "github.com/parley-npc/parley/personas"

// Compact draws one machine in at most height lines of at most width cells: a
// line a state, with the current one marked and what leads out of it below. Of
// a machine with more states than lines it shows those around the current one.
func Compact(doc *personas.Machine, current string, width, height int) []string {
	if width < 4 || height < 1 {
		return nil
	}
	m := newMachine(doc, nil)
	var lines []string
	at := 0
	for _, i := range m.spine() {
		st := m.states[i]
		sign := st.dot()
		if st.key == plain(current) {
			at, sign = len(lines), "▶"
		}
		lines = append(lines, clipCells(sign+" "+st.title, width))
		if sign == "▶" {
			lines = append(lines, m.ways(i, width)...)
		}
	}
	return window(lines, at, height)
}

func (s *state) dot() string {
	switch {
	case s.terminal:
		return "◎"
	case s.initial:
		return "●"
	}
	return "○"
}

// ways are the arrows out of the current state.
func (m *machine) ways(at, width int) []string {
	var lines []string
	for _, v := range m.outOf(at) {
		text := m.states[v.to].title
		if label := v.text(); label != "" {
			text = label + " → " + text
		}
		lines = append(lines, clipCells("  ↳ "+text, width))
	}
	return lines
}

// window cuts lines down to a height around a line, with signs where some are
// missing.
func window(lines []string, at, height int) []string {
	if len(lines) <= height {
		return lines
	}
	lead := min((height-1)/3+1, height-1)
	from := min(max(at-lead, 0), len(lines)-height)
	shown := append([]string(nil), lines[from:from+height]...)
	if from > 0 && from != at {
		shown[0] = "⋮"
	}
	if last := from + height - 1; last < len(lines)-1 && last != at {
		shown[height-1] = "⋮"
	}
	return shown
}
