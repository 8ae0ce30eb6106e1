package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/parley-npc/parley/tui/terminal"
)

const (
	barDelay  = 500 * time.Millisecond // what is done sooner needs no bar
	barPulse  = 100 * time.Millisecond
	barCells  = 20
	clearLine = "\r\x1b[K"
)

// ProgressBar shows on stderr how far many things are. Where stderr is no terminal
// it shows nothing. It is safe for concurrent use.
type ProgressBar struct {
	Streams *Streams
	under   io.Writer // the app's stderr without the bar
	what    string
	total   int
	begun   time.Time

	mu    sync.Mutex
	count int
	name  string
	until time.Time // of a pause
	shown bool

	quit, ended chan struct{}
}

// ShowProgress begins to show how far a command is with so many things; what says what is
// done with them, such as "saving". Until done is called, talk on stderr goes above
// the bar.
func (a *Streams) ShowProgress(total int, what string) *ProgressBar {
	b := &ProgressBar{Streams: a, under: a.Err, what: what, total: total, begun: a.Now()}
	if !a.TTY.Err || a.Env("TERM") == "dumb" {
		return b
	}
	b.quit, b.ended = make(chan struct{}), make(chan struct{})
	a.Err = b
	go b.drawPeriodically()
	return b
}

// AddDone says that one more is done, and which.
func (b *ProgressBar) AddDone(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	b.name = name
}

// SetCount says that so many are done.
func (b *ProgressBar) SetCount(count int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count = count
}

// ShowPause says that nothing goes on for a while, with a countdown; without a terminal
// it says so once.
func (b *ProgressBar) ShowPause(wait time.Duration) {
	if b.quit == nil {
		b.Streams.Say("%s", pauseText(wait))
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = b.Streams.Now().Add(wait)
}

func pauseText(left time.Duration) string {
	return fmt.Sprintf("the rate limit is reached, going on in %d s", int((left+time.Second-1)/time.Second))
}

// Finish takes the bar away.
func (b *ProgressBar) Finish() {
	if b.quit == nil {
		return
	}
	close(b.quit)
	<-b.ended
	b.Streams.Err = b.under
}

// Write writes talk where the bar stands; the bar comes again below it.
func (b *ProgressBar) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.eraseLine()
	return b.under.Write(p)
}

func (b *ProgressBar) eraseLine() {
	if b.shown {
		fmt.Fprint(b.under, clearLine)
		b.shown = false
	}
}

func (b *ProgressBar) drawPeriodically() {
	defer close(b.ended)
	ticker := time.NewTicker(barPulse)
	defer ticker.Stop()
	for {
		select {
		case <-b.quit:
			b.mu.Lock()
			b.eraseLine()
			b.mu.Unlock()
			return
		case <-ticker.C:
			b.draw(b.Streams.Now())
		}
	}
}

func (b *ProgressBar) draw(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.begun) < barDelay {
		return
	}
	fmt.Fprint(b.under, clearLine+ansi.Truncate(b.formatLine(now), b.Width()-1, "…"))
	b.shown = true
}

// formatLine is the bar as text.
func (b *ProgressBar) formatLine(now time.Time) string {
	full := barCells * b.count / max(b.total, 1)
	note := terminal.Clean(b.name)
	if left := b.until.Sub(now); left > 0 {
		note = pauseText(left)
	}
	return fmt.Sprintf("%s [%s%s] %d/%d  %s", b.what, strings.Repeat("#", full), strings.Repeat(".", barCells-full), b.count, b.total, note)
}

// Width is that of the terminal behind stderr, 80 cells where it does not tell.
func (b *ProgressBar) Width() int {
	if f, ok := b.under.(*os.File); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			return width
		}
	}
	return 80
}
