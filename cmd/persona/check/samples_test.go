package check_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
)

// TestSamplesAreRehearsed: every sample has plays in director mode and in plain words.
func TestSamplesAreRehearsed(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("../../../personas/examples/*.yaml")
	if err != nil || len(samples) < 6 {
		t.Fatal(samples, err)
	}
	for _, sample := range samples {
		name := strings.TrimSuffix(filepath.Base(sample), ".yaml")
		for kind, marks := range map[string]bool{".play.yaml": false, ".marks.play.yaml": true} {
			src, err := os.ReadFile("../../../personas/examples/plays/" + name + kind)
			if err != nil {
				t.Error(err)
				continue
			}
			f, _, faults := playtest.Parse(name, src)
			said, marked := 0, 0
			for _, p := range f.Plays {
				for _, s := range p.Steps {
					said += len(s.Say)
					if strings.HasSuffix(s.Say, "]]") {
						marked++
					} else if s.Say != "" && marks {
						t.Errorf("%s%s says %q without a mark", name, kind, s.Say)
					}
				}
			}
			if len(faults) > 0 || said == 0 || marks != (marked > 0) && name != "merchant" {
				t.Errorf("%s%s: %v, %d marks", name, kind, faults, marked)
			}
		}
	}
}

// TestWatch: the watch plays at once, and again when a file changes.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	starter, err := os.ReadFile("../../../personas/examples/starter.yaml")
	assert.NoError(t, err)
	write := func(name, text string) {
		assert.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("starter.yaml", string(starter))
	write("a.play.yaml", "persona: starter.yaml\nsteps: [{say: 'a [[pass]]', expect: {outcome: ACCEPT}}]\n")
	p := exec.Command(os.Args[0], "persona", "test", "--watch", dir)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	out := assert.Value(p.StdoutPipe())(t)
	assert.NoError(t, p.Start())
	defer func() { _ = p.Process.Kill() }()
	lines := readLines(out)
	waitForLine(t, lines, "1 passed, 0 failed")
	write("a.play.yaml", "persona: starter.yaml\nsteps: [{say: 'a [[pass]]', expect: {outcome: REJECT}}]\n")
	waitForLine(t, lines, "0 passed, 1 failed")
	write("starter.yaml", strings.Replace(string(starter), "is_terminal_state: true", "is_terminal_state: true, terminal_outcome: REJECT", 1))
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
