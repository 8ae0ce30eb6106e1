//go:build !windows

package localservercmd_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestExecPassesSignals: a signal reaches the command, its exit code becomes ours, and the data is removed.
func TestExecPassesSignals(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	p := cmdtest.BareCommand(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c",
		`trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.05; done`)
	p.Env = append(p.Env, "TMPDIR="+tmp)
	out := assert.Value(p.StdoutPipe())(t)
	assert.NoError(t, p.Start())
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	assert.Must(t, line == "ready\n", "it says %q", line)
	assert.NoError(t, p.Process.Signal(syscall.SIGTERM))
	timer := time.AfterFunc(cmdtest.Timeout, func() { _ = p.Process.Kill() })
	defer timer.Stop()
	rest, _ := io.ReadAll(lines)
	_ = p.Wait()
	code := p.ProcessState.ExitCode()
	assert.Equal(t, code, 9, "exit code %d, %q", code, rest)
	assert.Equal(t, string(rest), "got it\n", "exit code %d, %q", code, rest)
	assert.Empty(t, assert.Value(os.ReadDir(tmp))(t), "left behind")
}

// TestExecCtrlC: Ctrl-C on a terminal ends the command once, not twice, and leaves nothing behind.
func TestExecCtrlC(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	p := cmdtest.BareCommand(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c",
		`n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n = 0 ]; do sleep 0.05; done; sleep 0.3; echo "told $n times"; exit 5`)
	p.Env = append(p.Env, "TMPDIR="+tmp)
	shown := cmdtest.RunOnTerminal(t, p, 30, 100, "ready\r\n", "\x03")
	code := p.ProcessState.ExitCode()
	assert.Equal(t, code, 5, "exit code %d:\n%s", code, shown)
	assert.Contains(t, shown, "told 1 times")
	assert.Empty(t, assert.Value(os.ReadDir(tmp))(t), "left behind")
}

// TestExecHungUp: a terminal that hangs up, even repeatedly, ends the command and leaves nothing behind.
func TestExecHungUp(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	p := cmdtest.BareCommand(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c", "echo ready; exec sleep 60")
	p.Env = append(p.Env, "TMPDIR="+tmp)
	out := assert.Value(p.StdoutPipe())(t)
	assert.NoError(t, p.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	assert.Must(t, line == "ready\n", "it says %q", line)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				_ = p.Process.Signal(syscall.SIGHUP)
				time.Sleep(time.Millisecond)
			}
		}
	}()
	_ = p.Wait()
	close(stop)
	<-ended
	assert.Empty(t, assert.Value(os.ReadDir(tmp))(t), "left behind")
}

// TestExecInheritsNoKeys: exec's command gets only its own server's secrets, or those that are passed.
func TestExecInheritsNoKeys(t *testing.T) {
	t.Parallel()
	run := func(args ...string) string {
		t.Helper()
		home := t.TempDir()
		p := exec.Command(os.Args[0], append(append([]string{"localserver", "exec"}, args...), "--", "env")...)
		p.Env = append(append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home), cmdtest.Secrets()...)
		p.Stderr = os.Stderr
		out := assert.Value(p.Output())(t)
		return string(out)
	}
	if out := run(); strings.Contains(out, cmdtest.Swordfish) || !strings.Contains(out, "PARLEY_API_KEY=pk_live_") || !strings.Contains(out, "PARLEY_TOKEN=") {
		t.Errorf("the command has\n%s", out)
	}
	if out := run("--pass-env", "OPENAI_API_KEY"); strings.Count(out, cmdtest.Swordfish) != 1 || !strings.Contains(out, "OPENAI_API_KEY="+cmdtest.Swordfish) {
		t.Errorf("with one key passed the command has\n%s", out)
	}
	if out := run("--llm", "callers"); !strings.Contains(out, "GROQ_API_KEY="+cmdtest.Swordfish) || strings.Contains(out, "PARLEY_TOKEN="+cmdtest.Swordfish) {
		t.Errorf("a command that brings models has\n%s", out)
	}
}
