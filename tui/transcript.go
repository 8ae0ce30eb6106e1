package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// entryKind sorts what stands in a transcript.
type entryKind int

const (
	characterTurn entryKind = iota
	playerTurn
	noteEntry    // what changed, or a word of the program itself
	chapterEntry // a machine begins
)

// entry is one piece of a transcript. Its lines are made when they are first
// shown, and kept for one width.
type entry struct {
	kind  entryKind
	name  string
	text  string
	look  lipgloss.Style
	lines []string
	width int
}

// transcript is the conversation with a window on it. It measures and wraps
// only what the window shows, so its cost does not grow with its length.
type transcript struct {
	st      *styles
	entries []entry
	width   int
	height  int
	// follow keeps the window at the end; else it begins at line from.line of
	// entry from.entry.
	follow bool
	from   spot
}

type spot struct{ entry, line int }

func newTranscript(st *styles) *transcript { return &transcript{st: st, follow: true} }

func (t *transcript) add(e entry) { t.entries = append(t.entries, e) }

func (t *transcript) note(text string, look lipgloss.Style) {
	t.add(entry{kind: noteEntry, text: text, look: look})
}

// drop takes the last entry back if it is a turn of the player.
func (t *transcript) drop() {
	if n := len(t.entries); n > 0 && t.entries[n-1].kind == playerTurn {
		t.entries = t.entries[:n-1]
		t.settle()
	}
}

func (t *transcript) clear() {
	t.entries, t.follow, t.from = nil, true, spot{}
}

func (t *transcript) resize(width, height int) {
	if width != t.width {
		t.from.line = 0 // Lines differ at another width; the entry stays.
	}
	t.width, t.height = width, height
	t.settle()
}

// at gives an entry's lines at the present width.
func (t *transcript) at(i int) []string {
	e := &t.entries[i]
	if e.lines == nil || e.width != t.width {
		e.lines, e.width = t.render(i), t.width
	}
	return e.lines
}

func (t *transcript) render(i int) []string {
	e := &t.entries[i]
	var lines []string
	switch e.kind {
	case characterTurn:
		lines = t.turn(t.st.character, e.name, t.st.character.Render("▎"), t.st.markdown(e.text, t.width-4))
	case playerTurn:
		lines = t.turn(t.st.player, e.name, " ", wrap(e.text, t.width-4))
	case chapterEntry:
		label := "── " + cut(e.text, t.width-8) + " "
		lines = []string{" " + t.st.rule.Render(label+strings.Repeat("─", max(t.width-2-lipgloss.Width(label), 0)))}
	default:
		for j, line := range wrap(e.text, t.width-5) {
			mark := "   "
			if j == 0 {
				mark = " · "
			}
			lines = append(lines, e.look.Render(mark+line))
		}
	}
	if i > 0 && (e.kind != noteEntry || t.entries[i-1].kind != noteEntry) {
		lines = slices.Insert(lines, 0, "")
	}
	return lines
}

// turn puts the speaker's name above what was said; the character's turns have
// a bar beside them, so that they are told apart without colours too.
func (t *transcript) turn(look lipgloss.Style, name, bar string, said []string) []string {
	lines := []string{" " + look.Render(cut(name, t.width-2))}
	return append(lines, indent(said, " "+bar+" ")...)
}

// view is the window's lines, exactly its height.
func (t *transcript) view() []string {
	start := t.start()
	lines := make([]string, 0, t.height)
	for i := start.entry; i < len(t.entries) && len(lines) < t.height; i++ {
		shown := t.at(i)
		if i == start.entry {
			shown = shown[min(start.line, len(shown)):]
		}
		lines = append(lines, shown...)
	}
	return fit(lines, t.width, t.height)
}

// start is where the window begins.
func (t *transcript) start() spot {
	if !t.follow {
		return t.from
	}
	return t.back(spot{len(t.entries), 0}, t.height)
}

// back walks up n lines from a spot, at most to the beginning.
func (t *transcript) back(s spot, n int) spot {
	for n > s.line {
		if s.entry == 0 {
			return spot{}
		}
		n -= s.line
		s.entry--
		s.line = len(t.at(s.entry))
	}
	s.line -= n
	return s
}

// forth walks down n lines, at most to the end.
func (t *transcript) forth(s spot, n int) spot {
	for s.entry < len(t.entries) {
		left := len(t.at(s.entry)) - s.line
		if n < left {
			s.line += n
			return s
		}
		n -= left
		s = spot{s.entry + 1, 0}
	}
	return s
}

// scroll moves the window by n lines; up is negative. At the end it follows
// again.
func (t *transcript) scroll(n int) {
	from := t.start()
	if n < 0 {
		from = t.back(from, -n)
	} else {
		from = t.forth(from, n)
	}
	t.from, t.follow = from, false
	t.settle()
}

// settle follows when nothing is below the window.
func (t *transcript) settle() {
	if t.follow {
		return
	}
	t.from.entry = min(t.from.entry, max(len(t.entries)-1, 0))
	t.follow = t.forth(t.from, t.height).entry >= len(t.entries)
}

func (t *transcript) page(direction int) { t.scroll(direction * max(t.height-2, 1)) }

func (t *transcript) toTop() {
	t.from, t.follow = spot{}, false
	t.settle()
}

func (t *transcript) toEnd() { t.follow = true }
