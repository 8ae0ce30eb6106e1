package chat_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// maxWakeUps is how often a second an idle chat may be woken: now and then something of
// Go's own runs, but nothing that comes again and again.
const maxWakeUps = 10

// TestIdleChatSleeps: an idle chat with its own server has one whole second without waking up.
func TestIdleChatSleeps(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 40, Cols: 120}))(t)
	defer func() { _ = terminal.Close() }()
	readAll(terminal).await(t, 0, placeholder)
	var seen []int
	for range 20 {
		before := countWakeUps(t, p.Process.Pid)
		time.Sleep(time.Second)
		seen = append(seen, countWakeUps(t, p.Process.Pid)-before)
		if seen[len(seen)-1] <= maxWakeUps {
			_, _ = io.WriteString(terminal, "\x04")
			_ = p.Wait()
			return
		}
	}
	t.Errorf("an idle chat is woken so often a second: %v", seen)
	_ = p.Process.Kill()
	_ = p.Wait()
}

var wakeUps = regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)`)

func countWakeUps(t *testing.T, pid int) int {
	t.Helper()
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	assert.Must(t, err == nil && len(threads) != 0, "process %d has no threads (%v)", pid, err)
	sum := 0
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // The thread has ended.
		}
		for _, m := range wakeUps.FindAllSubmatch(status, -1) {
			n, _ := strconv.Atoi(string(m[1]))
			sum += n
		}
	}
	return sum
}
