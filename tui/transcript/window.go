package transcript

import (
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// Resize gives the window another size. A window that does not follow stays at
// the entry at its top, and as far into it as it was.
func (t *View) Resize(width, height int) {
	if width != t.width {
		t.rewrapLines(width)
	}
	t.height = height
	t.followAtEnd()
}

func (t *View) rewrapLines(width int) {
	before := 0
	if !t.Follow && t.from.line > 0 {
		before = len(t.entryLines(t.from.entry))
	}
	t.width = width
	t.ForgetLines()
	if before > 0 {
		t.from.line = t.from.line * len(t.entryLines(t.from.entry)) / before
	}
}

// DrawLines is the window's lines, exactly its height.
func (t *View) DrawLines() []string {
	start := t.windowStart()
	lines := make([]string, 0, t.height)
	for i := start.entry; i < len(t.Entries) && len(lines) < t.height; i++ {
		shown := t.entryLines(i)
		if i == start.entry {
			shown = shown[min(start.line, len(shown)):]
		}
		lines = append(lines, shown[:min(len(shown), t.height-len(lines))]...)
	}
	return terminal.FitLines(lines, t.width, t.height)
}

// windowStart is where the window begins.
func (t *View) windowStart() spot {
	if !t.Follow {
		return t.from
	}
	return t.walkBack(spot{len(t.Entries), 0}, t.height)
}

// walkBack walks up n lines from a spot, at most to the beginning.
func (t *View) walkBack(s spot, n int) spot {
	for n > s.line {
		if s.entry == 0 {
			return spot{}
		}
		n -= s.line
		s.entry--
		s.line = len(t.entryLines(s.entry))
	}
	s.line -= n
	return s
}

// walkForth walks down n lines, at most to the end.
func (t *View) walkForth(s spot, n int) spot {
	for s.entry < len(t.Entries) {
		left := len(t.entryLines(s.entry)) - s.line
		if n < left {
			s.line += n
			return s
		}
		n -= left
		s = spot{s.entry + 1, 0}
	}
	return s
}

// maxCounted is up to how many lines below the window are counted; of more, the
// turns are, which costs nothing.
const maxCounted = 200

// BelowWords says how much stands below the window, "" when nothing does.
func (t *View) BelowWords() string {
	if t.Follow {
		return ""
	}
	end := t.walkForth(t.from, t.height)
	lines := -end.line
	for i := end.entry; i < len(t.Entries) && lines <= maxCounted; i++ {
		lines += len(t.entryLines(i))
	}
	switch {
	case lines == 1:
		return "1 line more below"
	case lines <= maxCounted:
		return fmt.Sprintf("%d lines more below", lines)
	}
	turns := t.Entries[len(t.Entries)-1].turns - t.Entries[end.entry].turns
	return terminal.GroupThousands(int(turns)) + " messages more below"
}

// ScrollBy moves the window by n lines; up is negative. At the end it follows
// again.
func (t *View) ScrollBy(n int) {
	from := t.windowStart()
	if n < 0 {
		from = t.walkBack(from, -n)
	} else {
		from = t.walkForth(from, n)
	}
	t.from, t.Follow = from, false
	t.followAtEnd()
}

// followAtEnd follows when nothing is below the window.
func (t *View) followAtEnd() {
	if t.Follow {
		return
	}
	t.from.entry = min(t.from.entry, max(len(t.Entries)-1, 0))
	t.Follow = t.walkForth(t.from, t.height).entry >= len(t.Entries)
}

// ScrollPage moves the window by a page, up for -1.
func (t *View) ScrollPage(direction int) { t.ScrollBy(direction * max(t.height-2, 1)) }

// ScrollToTop shows the beginning.
func (t *View) ScrollToTop() {
	t.from, t.Follow = spot{}, false
	t.followAtEnd()
}

// ScrollToEnd shows the end, and follows it.
func (t *View) ScrollToEnd() { t.Follow = true }

// ListTurns are the numbers of what was said in the transcript, the newest first, for
// lists to search and to copy from.
func (t *View) ListTurns() []int {
	var list []int
	for i := len(t.Entries) - 1; i >= 0 && len(list) < maxListed; i-- {
		if kind := t.Entries[i].Kind; (kind == CharacterTurn || kind == PlayerTurn) && t.Streaming != i+1 {
			list = append(list, i)
		}
	}
	return list
}

// maxListed is how many turns a list of them reaches back.
const maxListed = 5000

// ShowEntry puts an entry at the top of the window, as far as what follows it reaches.
func (t *View) ShowEntry(entry int) {
	t.from, t.Follow = spot{entry: entry}, false
	t.followAtEnd()
}
