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
func (s *PasteLimiter) Name() string { return fileName(s.terminal) }

func fileName(t terminal) string {
	if named, ok := t.(interface{ Name() string }); ok {
		return named.Name()
	}
	return ""
}

// TakeDropped is how many characters of the last paste were not let through, once.
func (s *PasteLimiter) TakeDropped() int {
	if s == nil {
		return 0
	}
	return int(s.lost.Swap(0))
}

// Read gives what is typed. It may give nothing, when all that came is dropped.
func (s *PasteLimiter) Read(p []byte) (int, error) {
	room := 0
	if s.inside && len(p) > len(pasteEnds) {
		room = len(pasteEnds) // For a marker that was dropped in parts.
	}
	n, err := s.terminal.Read(p[room:])
	out := p[:0]
	for _, b := range p[room : room+n] {
		out = s.passByte(out, b)
	}
	return len(out), err
}

// passByte puts a byte behind out, unless it is too much.
func (s *PasteLimiter) passByte(out []byte, b byte) []byte {
	marker := pasteBegins
	if s.inside {
		marker = pasteEnds
	}
	switch b {
	case marker[s.matched]:
		s.matched++
	case marker[0]:
		s.matched = 1
	default:
		s.matched = 0
	}
	full := s.inside && s.kept >= s.most
	whole := s.matched == len(marker)
	switch {
	case whole && full:
		out = append(out, pasteEnds...)
	case full:
		if s.matched == 0 && b&0xc0 != 0x80 { // One for each character.
			s.lost.Add(1)
		}
	default:
		out = append(out, b)
	}
	if s.kept++; whole {
		s.inside, s.matched, s.kept = !s.inside, 0, 0
	}
	return out
}
