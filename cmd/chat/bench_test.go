//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

type written struct {
	mu    sync.Mutex
	more  *sync.Cond
	bytes []byte
	ended bool
}

func readAll(from io.Reader) *written {
	w := &written{}
	w.more = sync.NewCond(&w.mu)
	go func() {
		chunk := make([]byte, 64<<10)
		for {
			n, err := from.Read(chunk)
			w.mu.Lock()
			w.bytes = append(w.bytes, chunk[:n]...)
			w.ended = err != nil
			w.mu.Unlock()
			w.more.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	return w
}

// awaitLimit is how long await waits.
const awaitLimit = 2 * time.Minute

// await waits until a text has been written after an offset, and returns the offset after it.
func (w *written) await(b testing.TB, after int, text string) int {
	b.Helper()
	start := time.Now()
	defer time.AfterFunc(awaitLimit, w.more.Broadcast).Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if time.Since(start) >= awaitLimit {
			b.Fatalf("the chat does not show %q: %q", text, w.bytes[after:])
		}
		if i := bytes.Index(w.bytes[after:], []byte(text)); i >= 0 {
			return after + i + len(text)
		}
		assert.Must(b, !w.ended, "the chat ended before it showed %q", text)
		w.more.Wait()
	}
}

func (w *written) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.bytes)
}

// placeholder is the text of an empty input; its first letter is the cursor.
const placeholder = "ay something"

// seated starts the chat as built on a pseudo-terminal of 120 by 40.
func seated(b testing.TB, program, home string, s *serverFixture) (*exec.Cmd, *os.File, *written) {
	b.Helper()
	p := exec.Command(program, "chat", "--server", s.Address, "--player-name", "Mara", "--player-gender", "female", s.persona)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_DATA_DIR="+home,
		"PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
	terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 40, Cols: 120}))(b)
	return p, terminal, readAll(terminal)
}

func leave(b testing.TB, p *exec.Cmd, terminal *os.File) {
	b.Helper()
	_, _ = io.WriteString(terminal, "\x04")
	_ = p.Wait()
	_ = terminal.Close()
}

// BenchmarkFirstFrame measures from the start to the first frame of a chat that goes on, with a running server.
func BenchmarkFirstFrame(b *testing.B) {
	s := newServerFixture(b, nil, "--rate-limit", "off")
	program, home := cmdtest.BuildProgram(b, "../../cmd/parley"), b.TempDir()
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		p, terminal, w := seated(b, program, home, s)
		w.await(b, 0, placeholder)
		times = append(times, time.Since(begun))
		leave(b, p, terminal)
	}
	report(b, times, "ms", time.Millisecond)
}

// BenchmarkKeyEcho measures from a typed key to its sign, at rest and under 200 words a second.
func BenchmarkKeyEcho(b *testing.B) {
	for name, say := range map[string]string{"quiet": "", "stream": "rush\r"} {
		b.Run(name, func(b *testing.B) {
			s := newServerFixtureOf(b, cmdtest.EndlessPersona, rushing, "--rate-limit", "off")
			p, terminal, w := seated(b, cmdtest.BuildProgram(b, "../../cmd/parley"), b.TempDir(), s)
			defer leave(b, p, terminal)
			w.await(b, 0, placeholder)
			assert.Value(io.WriteString(terminal, say))(b)
			if say != "" {
				w.await(b, 0, "words words words")
			}
			var times []time.Duration
			var sent int
			for b.Loop() {
				from, begun := w.size(), time.Now()
				_, _ = io.WriteString(terminal, "§")
				w.await(b, from, "§")
				times = append(times, time.Since(begun))
				time.Sleep(20 * time.Millisecond) // The frame is written to its end.
				to := w.size()
				sent += to - from
				_, _ = io.WriteString(terminal, "\x7f")
				w.await(b, to, " ")
				time.Sleep(20 * time.Millisecond)
			}
			report(b, times, "ms", time.Millisecond)
			b.ReportMetric(float64(sent)/float64(len(times)), "B/key")
		})
	}
}

// rushing is a model that sends 200 words a second until the client hangs up.
func rushing(r llmtest.Request) llmtest.Script {
	if len(r.Schema) > 0 || r.LastMessage() != "rush" {
		return narrator(nil)(r)
	}
	beat := make(chan struct{})
	go func() {
		for range 12_000 {
			time.Sleep(5 * time.Millisecond)
			select {
			case beat <- struct{}{}:
			case <-time.After(time.Second):
				return
			}
		}
	}()
	script := llmtest.Script{WaitAfter: map[int]<-chan struct{}{}}
	for i := range 12_000 {
		script.Pieces = append(script.Pieces, "words ")
		script.WaitAfter[i] = beat
	}
	return script
}

func report(b *testing.B, times []time.Duration, unit string, of time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/float64(of), unit+"-median")
	b.ReportMetric(float64(times[len(times)*95/100])/float64(of), unit+"-p95")
}
