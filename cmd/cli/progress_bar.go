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
	barDelay  = 500 * time.Millisecond // shorter tasks show no bar
	barPulse  = 100 * time.Millisecond
	barCells  = 20
	clearLine = "\r\x1b[K"
)

// A ProgressBar shows the number of done tasks on stderr. It is safe for concurrent use.
type ProgressBar struct {
	Streams *Streams
	under   io.Writer // stderr without the bar
	label   string
	total   int
	started time.Time

	mu       sync.Mutex
	count    int
	name     string
	pauseEnd time.Time // zero unless the tasks wait
	onScreen bool

	quit, ended chan struct{}
}

// ShowProgress starts a bar for total tasks. label is a word such as "saving".
func (s *Streams) ShowProgress(total int, label string) *ProgressBar {
	b := &ProgressBar{Streams: s, under: s.Err, label: label, total: total, started: s.Now()}
	if !s.TTY.Err || s.Env("TERM") == "dumb" {
		return b
	}
	b.quit, b.ended = make(chan struct{}), make(chan struct{})
	s.Err = b
	go b.drawPeriodically()
	return b
}

func (b *ProgressBar) AddDone(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	b.name = name
}

func (b *ProgressBar) ShowCount(count int, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count, b.name = count, name
}

// ShowPause shows a countdown for the rate limit. Without a bar it prints a line.
func (b *ProgressBar) ShowPause(wait time.Duration) {
	if b.quit == nil {
		b.Streams.Say("%s", formatPause(wait))
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauseEnd = b.Streams.Now().Add(wait)
}

func formatPause(left time.Duration) string {
	return fmt.Sprintf("rate limit reached, continuing in %d s", int((left+time.Second-1)/time.Second))
}

// Finish removes the bar and restores stderr.
func (b *ProgressBar) Finish() {
	if b.quit == nil {
		return
	}
	close(b.quit)
	<-b.ended
	b.Streams.Err = b.under
}

// Write replaces the bar by a message. The next tick draws the bar below.
func (b *ProgressBar) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.eraseLine()
	return b.under.Write(p)
}

func (b *ProgressBar) eraseLine() {
	if b.onScreen {
		fmt.Fprint(b.under, clearLine)
		b.onScreen = false
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
			b.drawLine(b.Streams.Now())
		}
	}
}

func (b *ProgressBar) drawLine(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.started) < barDelay {
		return
	}
	full := barCells * b.count / max(b.total, 1)
	note := terminal.Clean(b.name)
	if left := b.pauseEnd.Sub(now); left > 0 {
		note = formatPause(left)
	}
	line := fmt.Sprintf("%s [%s%s] %d/%d  %s", b.label, strings.Repeat("#", full), strings.Repeat(".", barCells-full),
		b.count, b.total, note)
	line = ansi.Truncate(line, b.measureWidth()-1, "…")
	fmt.Fprint(b.under, clearLine+b.Streams.Repertoire().LimitText(line))
	b.onScreen = true
}

func (b *ProgressBar) measureWidth() int {
	if f, ok := b.under.(*os.File); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// RunParallel runs jobs in n goroutines and returns when all jobs are done. n must be positive.
func RunParallel(n int, jobs []func()) {
	next := make(chan func())
	var group sync.WaitGroup
	for range min(n, len(jobs)) {
		group.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		next <- job
	}
	close(next)
	group.Wait()
}
