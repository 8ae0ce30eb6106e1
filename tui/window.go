package tui

import "fmt"

// resize gives the window another size. A window that does not follow stays at
// the entry at its top, and as far into it as it was.
func (t *transcript) resize(width, height int) {
	if width != t.width {
		t.rewrapLines(width)
	}
	t.height = height
	t.followAtEnd()
}

func (t *transcript) rewrapLines(width int) {
	before := 0
	if !t.follow && t.from.line > 0 {
		before = len(t.entryLines(t.from.entry))
	}
	t.width = width
	t.forgetLines()
	if before > 0 {
		t.from.line = t.from.line * len(t.entryLines(t.from.entry)) / before
	}
}

// drawLines is the window's lines, exactly its height.
func (t *transcript) drawLines() []string {
	start := t.windowStart()
	lines := make([]string, 0, t.height)
	for i := start.entry; i < len(t.entries) && len(lines) < t.height; i++ {
		shown := t.entryLines(i)
		if i == start.entry {
			shown = shown[min(start.line, len(shown)):]
		}
		lines = append(lines, shown[:min(len(shown), t.height-len(lines))]...)
	}
	return fitLines(lines, t.width, t.height)
}

// windowStart is where the window begins.
func (t *transcript) windowStart() spot {
	if !t.follow {
		return t.from
	}
	return t.walkBack(spot{len(t.entries), 0}, t.height)
}

// walkBack walks up n lines from a spot, at most to the beginning.
func (t *transcript) walkBack(s spot, n int) spot {
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
func (t *transcript) walkForth(s spot, n int) spot {
	for s.entry < len(t.entries) {
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

// belowWords says how much stands below the window, "" when nothing does.
func (t *transcript) belowWords() string {
	if t.follow {
		return ""
	}
	end := t.walkForth(t.from, t.height)
	lines := -end.line
	for i := end.entry; i < len(t.entries) && lines <= maxCounted; i++ {
		lines += len(t.entryLines(i))
	}
	switch {
	case lines == 1:
		return "1 line more below"
	case lines <= maxCounted:
		return fmt.Sprintf("%d lines more below", lines)
	}
	turns := t.entries[len(t.entries)-1].turns - t.entries[end.entry].turns
	return groupThousands(int(turns)) + " messages more below"
}

// scrollBy moves the window by n lines; up is negative. At the end it follows
// again.
func (t *transcript) scrollBy(n int) {
	from := t.windowStart()
	if n < 0 {
		from = t.walkBack(from, -n)
	} else {
		from = t.walkForth(from, n)
	}
	t.from, t.follow = from, false
	t.followAtEnd()
}

// followAtEnd follows when nothing is below the window.
func (t *transcript) followAtEnd() {
	if t.follow {
		return
	}
	t.from.entry = min(t.from.entry, max(len(t.entries)-1, 0))
	t.follow = t.walkForth(t.from, t.height).entry >= len(t.entries)
}

func (t *transcript) scrollPage(direction int) { t.scrollBy(direction * max(t.height-2, 1)) }

func (t *transcript) scrollToTop() {
	t.from, t.follow = spot{}, false
	t.followAtEnd()
}

func (t *transcript) scrollToEnd() { t.follow = true }

// listTurns are the numbers of what was said in the transcript, the newest first, for
// lists to search and to copy from.
func (t *transcript) listTurns() []int {
	var list []int
	for i := len(t.entries) - 1; i >= 0 && len(list) < maxListed; i-- {
		if kind := t.entries[i].kind; (kind == characterTurn || kind == playerTurn) && t.streaming != i+1 {
			list = append(list, i)
		}
	}
	return list
}

// maxListed is how many turns a list of them reaches back.
const maxListed = 5000

// showEntry puts an entry at the top of the window, as far as what follows it reaches.
func (t *transcript) showEntry(entry int) {
	t.from, t.follow = spot{entry: entry}, false
	t.followAtEnd()
}
