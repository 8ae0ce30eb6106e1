package views

import (
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// Resize changes the size of the window. The first visible entry stays visible.
func (v *Transcript) Resize(width, height int) {
	if width != v.width {
		before := 0
		if !v.Follow && v.from.line > 0 {
			before = len(v.entryLines(v.from.entry))
		}
		v.width = width
		v.ForgetLines()
		if before > 0 {
			v.from.line = v.from.line * len(v.entryLines(v.from.entry)) / before
		}
	}
	v.height = height
	v.followAtEnd()
}

// DrawLines returns exactly height lines.
func (v *Transcript) DrawLines() []string {
	start := v.windowStart()
	lines := make([]string, 0, v.height)
	for i := start.entry; i < len(v.Entries) && len(lines) < v.height; i++ {
		shown := v.entryLines(i)
		if i == start.entry {
			shown = shown[min(start.line, len(shown)):]
		}
		lines = append(lines, shown[:min(len(shown), v.height-len(lines))]...)
	}
	if index := answeredTurn(v, start); index >= 0 {
		e := &v.Entries[index]
		lines[0] = " " + v.st.Faint.Render(terminal.CutToWidth(e.Name+": "+terminal.FirstLine(e.Text), v.width-2))
	}
	if missing := v.height - len(lines); missing > 0 && v.Follow && !v.FromTop {
		lines = append(make([]string, missing), lines...)
	}
	return terminal.FitLines(lines, v.width, v.height)
}

const aboveAim = 3

// ShowsBeginning reports whether the window shows the beginning of the newest part.
func ShowsBeginning(v *Transcript) bool {
	start := v.windowStart()
	for i := len(v.Entries) - 1; i >= start.entry; i-- {
		if e := &v.Entries[i]; e.Kind == openingEntry || e.Kind == ChapterEntry && e.Name != "" {
			return i > start.entry || start.line <= aboveAim
		}
	}
	return false
}

const minReminded = 6

// answeredTurn returns the player's last turn if a long reply hides the turn, or -1.
func answeredTurn(v *Transcript, start spot) int {
	if !v.Follow || v.height < minReminded {
		return -1
	}
	for i := len(v.Entries) - 1; i >= 0; i-- {
		switch v.Entries[i].Kind {
		case ChapterEntry, openingEntry:
			return -1
		case PlayerTurn:
			if i < start.entry {
				return i
			}
			return -1
		}
	}
	return -1
}

func (v *Transcript) windowStart() spot {
	if !v.Follow {
		return v.from
	}
	return v.walkBack(spot{len(v.Entries), 0}, v.height)
}

func (v *Transcript) walkBack(s spot, n int) spot {
	for n > s.line {
		if s.entry == 0 {
			return spot{}
		}
		n -= s.line
		s.entry--
		s.line = len(v.entryLines(s.entry))
	}
	s.line -= n
	return s
}

func (v *Transcript) walkForth(s spot, n int) spot {
	for s.entry < len(v.Entries) {
		remaining := len(v.entryLines(s.entry)) - s.line
		if n < remaining {
			s.line += n
			return s
		}
		n -= remaining
		s = spot{s.entry + 1, 0}
	}
	return s
}

// maxCountedLines bounds the lines that BelowWords renders.
const maxCountedLines = 200

// BelowWords returns the number of lines below the window as text, or "" at the end.
func (v *Transcript) BelowWords() string {
	if v.Follow {
		return ""
	}
	end := v.walkForth(v.from, v.height)
	lines := -end.line
	for i := end.entry; i < len(v.Entries) && lines <= maxCountedLines; i++ {
		lines += len(v.entryLines(i))
	}
	switch {
	case lines == 1:
		return "1 more line below"
	case lines <= maxCountedLines:
		return fmt.Sprintf("%d more lines below", lines)
	}
	return "more below"
}

// ScrollBy scrolls down by n lines, or up if n is negative. At the end, the window follows new
// text.
func (v *Transcript) ScrollBy(n int) {
	from := v.windowStart()
	if n < 0 {
		from = v.walkBack(from, -n)
	} else {
		from = v.walkForth(from, n)
	}
	v.from, v.Follow = from, false
	v.followAtEnd()
}

func (v *Transcript) followAtEnd() {
	if v.Follow {
		return
	}
	v.from.entry = min(v.from.entry, max(len(v.Entries)-1, 0))
	v.Follow = v.walkForth(v.from, v.height).entry >= len(v.Entries)
}

// ScrollPage scrolls by a page: down for 1, up for -1.
func (v *Transcript) ScrollPage(direction int) { v.ScrollBy(direction * max(v.height-2, 1)) }

// ScrollToTop scrolls to the beginning.
func (v *Transcript) ScrollToTop() {
	v.from, v.Follow = spot{}, false
	v.followAtEnd()
}

// ScrollToEnd scrolls to the end and follows new text.
func (v *Transcript) ScrollToEnd() { v.Follow = true }

// ListTurns returns the indexes of complete messages, newest first.
func (v *Transcript) ListTurns() []int {
	var list []int
	for i := len(v.Entries) - 1; i >= 0 && len(list) < maxListed; i-- {
		if v.Entries[i].isTurn() && v.Streaming != i+1 {
			list = append(list, i)
		}
	}
	return list
}

const maxListed = 25_000

// ShowEntry scrolls an entry to the top of the window, or to the end.
func (v *Transcript) ShowEntry(entry int) {
	v.from, v.Follow = spot{entry: entry}, false
	v.followAtEnd()
}

// EntryAt returns the index of the entry in a line of the window, or -1.
func (v *Transcript) EntryAt(line int) int {
	start := v.windowStart()
	if v.Follow { // A short conversation is at the bottom of the window.
		shown := 0
		for i := start.entry; i < len(v.Entries) && shown < v.height; i++ {
			shown += len(v.entryLines(i))
		}
		line -= max(v.height-shown+start.line, 0)
	}
	for i := start.entry; i < len(v.Entries) && line >= 0; i++ {
		n := len(v.entryLines(i))
		if i == start.entry {
			n -= start.line
		}
		if line < n {
			return i
		}
		line -= n
	}
	return -1
}

// ChooseEntry marks a complete message as chosen. Any other index, for example -1, removes the
// mark. The result reports whether an entry is chosen.
func (v *Transcript) ChooseEntry(entry int) bool {
	before := v.Chosen
	v.Chosen = 0
	if entry >= 0 && entry < len(v.Entries) && v.Entries[entry].isTurn() && v.Streaming != entry+1 {
		v.Chosen = entry + 1
	}
	delete(v.lines, before-1)
	delete(v.lines, v.Chosen-1)
	return v.Chosen > 0
}
