package terminal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What a terminal is asked for its background's colour, how its answer begins,
// and how long it has for it. Nothing waits meanwhile: the screen stands in the
// colours for a dark one, and changes if the answer says so.
const (
	backgroundQuestion = "\x1b]11;?\x1b\\"
	backgroundAnswer   = "\x1b]11;"
	answerWithin       = 2 * time.Second
	longestAnswer      = 64
)

// BackgroundReader is a terminal's input that takes the answer about the background out
// of what is typed. One that never answers costs nothing.
type BackgroundReader struct {
	terminal
	*CrashGuard
	now    func() time.Time
	answer chan bool // light, at most once

	mu      sync.Mutex
	until   time.Time // an answer is looked for until then
	pending []byte    // may be the beginning of the answer
	began   bool      // the last byte given out was an escape
}

// NewBackgroundReader stands before an input whose terminal can be asked, nil before any
// other. Windows gives its console's input to nobody between.
func NewBackgroundReader(in io.Reader, now func() time.Time, crash *CrashGuard) *BackgroundReader {
	t, ok := in.(terminal)
	if !ok || runtime.GOOS == "windows" {
		return nil
	}
	return &BackgroundReader{terminal: t, CrashGuard: crash, now: now, answer: make(chan bool, 1)}
}

// Name is what the input is called, where it has a name; readers that can be
// stopped ask for it.
func (b *BackgroundReader) Name() string { return fileName(b.terminal) }

// AskTerminal asks the terminal on out and waits for its answer; known is false where
// none came in time.
func (b *BackgroundReader) AskTerminal(ctx context.Context, out io.Writer) (light, known bool) {
	b.mu.Lock()
	b.until = b.now().Add(answerWithin)
	b.mu.Unlock()
	if _, err := io.WriteString(out, backgroundQuestion); err != nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	select {
	case light = <-b.answer:
		return light, true
	case <-ctx.Done():
		return false, false
	}
}

// Read gives what is typed. It may give nothing, when nothing but the answer came.
func (b *BackgroundReader) Read(p []byte) (n int, err error) {
	defer b.CatchPanic()
	b.mu.Lock()
	held := len(b.pending)
	b.mu.Unlock()
	if held >= len(p) { // Too little room to look at what is held: give it out.
		return b.givePending(p), nil
	}
	n, err = b.terminal.Read(p[held:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending) != held {
		return 0, fmt.Errorf("two readers of one terminal: %w", io.ErrNoProgress)
	}
	copy(p, b.pending)
	b.pending = b.pending[:0]
	return b.takeAnswer(p[:held+n]), err
}

func (b *BackgroundReader) givePending(p []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n
}

// takeAnswer takes the answer out of p and says how much is left of it.
func (b *BackgroundReader) takeAnswer(p []byte) int {
	if b.until.IsZero() || b.now().After(b.until) {
		return len(p)
	}
	from, body := b.findAnswer(p)
	if from < 0 {
		b.began = len(p) > 0 && p[len(p)-1] == '\x1b'
		return len(p)
	}
	end, after := findTerminator(p[body:])
	switch {
	case end < 0 && len(p)-from > longestAnswer:
		return len(p) // Not an answer: somebody types it.
	case end < 0:
		b.pending = append(b.pending, p[from:]...)
		return from
	}
	b.until = time.Time{}
	if light, ok := isLight(string(p[body : body+end])); ok {
		b.answer <- light
	}
	return from + copy(p[from:], p[body+after:])
}

// findAnswer is where the answer, or a beginning of it at the end of p, begins, and
// where its body does. An escape alone is never held back, because it is a key.
func (b *BackgroundReader) findAnswer(p []byte) (from, body int) {
	begin := []byte(backgroundAnswer)
	if b.began && bytes.HasPrefix(p, begin[1:]) {
		return 0, len(begin) - 1
	}
	if i := bytes.Index(p, begin); i >= 0 {
		return i, i + len(begin)
	}
	for n := len(begin) - 1; n >= 2; n-- {
		if bytes.HasSuffix(p, begin[:n]) {
			return len(p) - n, len(p)
		}
	}
	return -1, -1
}

// findTerminator is where the answer's body ends and where what follows begins, -1
// as long as it has not ended.
func findTerminator(p []byte) (end, after int) {
	bell, st := bytes.IndexByte(p, '\a'), bytes.Index(p, []byte("\x1b\\"))
	switch {
	case bell >= 0 && (st < 0 || bell < st):
		return bell, bell + 1
	case st >= 0:
		return st, st + 2
	}
	return -1, -1
}

// isLight reads a colour as X11 writes it, "rgb:ffff/ffff/ffff", and tells whether
// dark words are easier to read on it than light ones.
func isLight(colour string) (light, ok bool) {
	space, values, _ := strings.Cut(colour, ":")
	parts := strings.Split(values, "/")
	if space != "rgb" && space != "rgba" || len(parts) < 3 {
		return false, false
	}
	weights, sum := [3]float64{0.2126, 0.7152, 0.0722}, 0.0
	for i, part := range parts[:3] {
		value, err := strconv.ParseUint(part, 16, 16)
		if err != nil || len(part) > 4 {
			return false, false
		}
		v := float64(value) / float64(uint64(1)<<(4*len(part))-1)
		sum += weights[i] * v * v // Close to the curve of screens, and enough to tell two sides.
	}
	return sum > 0.18, true // Where black and white words have the same contrast.
}
