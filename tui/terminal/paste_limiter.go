package terminal

import (
	"io"
	"runtime"
	"sync/atomic"
)

// What terminals put around a paste, where they mark one.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// PasteLimiter is a terminal's input that lets only the beginning of a very long marked
// paste through, and counts the rest. Whoever reads it gathers a paste to its end
// and looks through all of it each time more comes, which for some megabytes takes
// minutes in which no key is heard.
type PasteLimiter struct {
	terminal
	most    int  // bytes of a paste that are let through
	matched int  // bytes of the marker that is looked for
	inside  bool // of a paste
	kept    int  // bytes of it
	lost    atomic.Int64
}

// NewPasteLimiter stands before a terminal's input, nil before any other. Windows gives
// its console's input to nobody between.
func NewPasteLimiter(in io.Reader, most int) *PasteLimiter {
	if t, ok := in.(terminal); ok && runtime.GOOS != "windows" {
		return &PasteLimiter{terminal: t, most: most}
	}
	return nil
}

// Name is what the input is called, where it has a name.
func (l *PasteLimiter) Name() string { return fileName(l.terminal) }

func fileName(t terminal) string {
	if named, ok := t.(interface{ Name() string }); ok {
		return named.Name()
	}
	return ""
}

// TakeDropped is how many characters of the last paste were not let through, once.
func (l *PasteLimiter) TakeDropped() int {
	if l == nil {
		return 0
	}
	return int(l.lost.Swap(0))
}

// Read gives what is typed. It may give nothing, when all that came is dropped.
func (l *PasteLimiter) Read(p []byte) (int, error) {
	room := 0
	if l.inside && len(p) > len(pasteEnds) {
		room = len(pasteEnds) // For a marker that was dropped in parts.
	}
	n, err := l.terminal.Read(p[room:])
	out := p[:0]
	for _, b := range p[room : room+n] {
		out = l.passByte(out, b)
	}
	return len(out), err
}

// passByte puts a byte behind out, unless it is too much.
func (l *PasteLimiter) passByte(out []byte, b byte) []byte {
	marker := pasteBegins
	if l.inside {
		marker = pasteEnds
	}
	switch b {
	case marker[l.matched]:
		l.matched++
	case marker[0]:
		l.matched = 1
	default:
		l.matched = 0
	}
	full := l.inside && l.kept >= l.most
	whole := l.matched == len(marker)
	switch {
	case whole && full:
		out = append(out, pasteEnds...)
	case full:
		if l.matched == 0 && b&0xc0 != 0x80 { // One for each character.
			l.lost.Add(1)
		}
	default:
		out = append(out, b)
	}
	if l.kept++; whole {
		l.inside, l.matched, l.kept = !l.inside, 0, 0
	}
	return out
}
