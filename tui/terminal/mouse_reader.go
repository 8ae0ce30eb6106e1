package terminal

import (
	"bytes"
	"io"
	"runtime"
	"strings"
)

// MouseReader is a terminal's input whose reads never end inside of a report of the mouse.
// Bubbletea takes the rest of one that is cut for letters, and a wheel that is turned fast
// fills its buffer.
type MouseReader struct {
	terminal
	*CrashGuard
	pending []byte // the beginning of a report
}

// How a report of the mouse begins (SGR), and how long one is at most.
const (
	mouseReport   = "\x1b[<"
	longestReport = 24
)

// NewMouseReader stands before an input that is a terminal, nil before any other. Windows
// gives its console's input to nobody between.
func NewMouseReader(in io.Reader, crash *CrashGuard) *MouseReader {
	t, ok := in.(terminal)
	if !ok || runtime.GOOS == "windows" {
		return nil
	}
	return &MouseReader{terminal: t, CrashGuard: crash}
}

// Name is what the input is called, where it has a name; readers that can be stopped ask
// for it.
func (m *MouseReader) Name() string { return fileName(m.terminal) }

// Read gives what is typed. It may give nothing, when nothing but the beginning of a report
// came.
func (m *MouseReader) Read(p []byte) (n int, err error) {
	defer m.CatchPanic()
	if len(m.pending) >= len(p) {
		n = copy(p, m.pending)
		m.pending = m.pending[n:]
		return n, nil
	}
	held := copy(p, m.pending)
	m.pending = m.pending[:0]
	n, err = m.terminal.Read(p[held:])
	n += max(held, 0)
	if err != nil {
		return n, err
	}
	cut := cutReport(p[:n], n == len(p))
	m.pending = append(m.pending, p[cut:n]...)
	return cut, nil
}

// cutReport is where a report begins that is not whole, len(p) without one. An escape alone
// is a key, unless the buffer ends there or it comes right behind a report.
func cutReport(p []byte, full bool) int {
	at := bytes.LastIndexByte(p, '\x1b')
	if at < 0 || len(p)-at > longestReport {
		return len(p)
	}
	rest := p[at:]
	switch {
	case len(rest) == 1 && !full && !endsInReport(p[:at]):
		return len(p)
	case len(rest) < len(mouseReport) && bytes.HasPrefix([]byte(mouseReport), rest):
		return at
	}
	body, isReport := bytes.CutPrefix(rest, []byte(mouseReport))
	if !isReport {
		return len(p)
	}
	for _, b := range body {
		if (b < '0' || b > '9') && b != ';' {
			return len(p) // It is whole, or none.
		}
	}
	return at
}

// endsInReport tells whether the last of what was read is a whole report.
func endsInReport(p []byte) bool {
	at := bytes.LastIndex(p, []byte(mouseReport))
	return at >= 0 && (p[len(p)-1] == 'M' || p[len(p)-1] == 'm') && strings.Trim(string(p[at+len(mouseReport):len(p)-1]), "0123456789;") == ""
}
