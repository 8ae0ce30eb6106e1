package check_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestWatch: the watch plays at once, and again when a file changes.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	starter, err := os.ReadFile("../../../personas/examples/starter.yaml")
	assert.NoError(t, err)
	put(t, dir, "starter.yaml", string(starter))
	put(t, dir, "a.play.yaml", "persona: starter.yaml\nsteps: [{say: 'a [[pass]]', expect: {outcome: ACCEPT}}]\n")
	p := newParley("", "test", "--watch", dir)
	out := assert.Value(p.StdoutPipe())(t)
	assert.NoError(t, p.Start())
	defer func() { _ = p.Process.Kill() }()
	lines := readLines(out)
	waitForLine(t, lines, "1 passed, 0 failed")
	put(t, dir, "a.play.yaml", "persona: starter.yaml\nsteps: [{say: 'a [[pass]]', expect: {outcome: REJECT}}]\n")
	waitForLine(t, lines, "0 passed, 1 failed")
	put(t, dir, "starter.yaml", strings.Replace(string(starter), "is_terminal_state: true", "is_terminal_state: true, terminal_outcome: REJECT", 1))
	waitForLine(t, lines, "1 passed, 0 failed")
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Skip("there is no interrupt here:", err)
	}
	for range lines {
	}
	err = p.Wait()
	assert.Equal(t, p.ProcessState.ExitCode(), 130, "interrupted: %v", err)
}

func readLines(from io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		for s := bufio.NewScanner(from); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	return lines
}

func waitForLine(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	timeout := time.After(cmdtest.Patience)
	for {
		select {
		case line, open := <-lines:
			if strings.Contains(line, want) {
				return
			}
			assert.Must(t, open, "the watch ended before %q", want)
		case <-timeout:
			t.Fatalf("no %q", want)
		}
	}
}
