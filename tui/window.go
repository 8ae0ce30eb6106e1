package tui

import "fmt"

// resize gives the window another size. A window that does not follow stays at
// the entry at its top, and as far into it as it was.
func (t *transcript) resize(width, height int) {
	if width != t.width {
		t.rewrap(width)
	}
	t.height = height
	t.settle()
}

func (t *transcript) rewrap(width int) {
	before := 0
	if !t.follow && t.from.line > 0 {
		before = len(t.at(t.from.entry))
	}
	t.width = width
	t.forgetLines()
	if before > 0 {
		t.from.line = t.from.line * len(t.at(t.from.entry)) / before
	}
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
		lines = append(lines, shown[:min(len(shown), t.height-len(lines))]...)
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

// maxCounted is up to how many lines below the window are counted; of more, the
// turns are, which costs nothing.
const maxCounted = 200

// below says how much stands below the window, "" when nothing does.
func (t *transcript) below() string {
	if t.follow {
		return ""
	}
	end := t.forth(t.from, t.height)
	lines := -end.line
	for i := end.entry; i < len(t.entries) && lines <= maxCounted; i++ {
		lines += len(t.at(i))
	}
	switch {
	case lines == 1:
		return "1 line more below"
	case lines <= maxCounted:
		return fmt.Sprintf("%d lines more below", lines)
	}
	turns := t.entries[len(t.entries)-1].turns - t.entries[end.entry].turns
	return grouped(int(turns)) + " messages more below"
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
