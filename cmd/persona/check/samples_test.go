//go:build !windows

package check_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

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
	timeout := time.After(cmdtest.Timeout)
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

func TestMain(m *testing.M) { cmdtest.Main(m, cmd.Main) }

func TestScripts(t *testing.T) { cmdtest.RunScripts(t) }

// TestMutantsHaveABudget: long plays use up the budget, and the mutants left out are reported.
func TestMutantsHaveABudget(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var rows strings.Builder
	for range 20 {
		rows.WriteString("      - {from_state_key: a, to_state_key: a, decision_type: pass}\n")
	}
	persona := "name: p\ndescription: d\npersona_identity_prompt: i\nmachines:\n  - machine_key: m\n    scoring_mode: pass_fail\n" +
		"    states: [{state_key: a, is_initial_state: true}, {state_key: z, is_terminal_state: true}]\n    transitions:\n" +
		rows.String() + "      - {from_state_key: a, to_state_key: z, decision_type: pass, priority: 1}\n"
	play := "persona: p.yaml\nsteps:\n" + strings.Repeat("  - say: \"x [[pass]]\"\n", 900)
	put(t, folder, "p.yaml", persona)
	put(t, folder, "p.play.yaml", play)
	out, err := newParley(folder, "test", "--mutate", "p.play.yaml").CombinedOutput()
	for _, want := range []string{"\n8 mistakes made, 0 noticed\n", "13 mistakes left out: they are too much work for one run; give fewer or shorter play files"} {
		assert.NoError(t, err, "run does not say %s", out)
		assert.Contains(t, "\n"+string(out), want, "run does not say %s", out)
	}
}

// TestLongSimulation: many plays are counted on a terminal, and Ctrl-C ends them.
func TestLongSimulation(t *testing.T) {
	t.Parallel()
	file := assert.Value(filepath.Abs(filepath.Join("..", "..", "..", "personas", "examples", "hotel.yaml")))(t)
	p := cmdtest.BareCommand(t.TempDir(), []string{"HOME=" + t.TempDir(), "TERM=xterm-256color"}, "persona", "simulate", "-n", "10000000", file)
	shown := cmdtest.RunOnTerminal(t, p, 30, 100, "/10000000  ", "\x03")
	code := p.ProcessState.ExitCode()
	assert.Equal(t, code, 130, "exit code %d\n%s", code, shown)
	assert.Contains(t, shown, "playing [")
}

// TestGraphOnATerminal: there the picture is text in the terminal's width, and a PNG is refused.
func TestGraphOnATerminal(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		format, want string
		fails        bool
	}{{"", "┌────────────────┐", false}, {"png", "cannot be shown on a terminal", true}, {"svg", "<svg ", false}} {
		args := []string{"graph", "../../../personas/examples/starter.yaml"}
		if table.format != "" {
			args = append(args, "--format", table.format)
		}
		p := newParley("", args...)
		p.Env = append(p.Env, "TERM=xterm-256color", "HOME="+t.TempDir())
		out := cmdtest.RunOnTerminal(t, p, 24, 32)
		code := p.ProcessState.ExitCode()
		assert.Equal(t, code != 0, table.fails, "--format %q (%d):\n%s", table.format, code, out)
		assert.Contains(t, out, table.want, "--format %q (%d):\n%s", table.format, code, out)
		for line := range strings.Lines(out) {
			width := len([]rune(strings.TrimRight(line, "\n")))
			assert.True(t, table.format != "" || width <= 32, "a line has %d cells: %q", width, line)
		}
	}
}

// TestFmtKeepsRightsAndLinks: a formatted file has the rights that it had, and a link to it stays a link.
func TestFmtKeepsRightsAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "link.yaml")
	assert.NoError(t, os.WriteFile(file, []byte("description: d\nname: A\n"), 0o640))
	assert.NoError(t, os.Symlink("a.yaml", link))
	cmdtest.MustRun(t, newParley(dir, "fmt", link))
	assert.Equal(t, string(assert.Value(os.ReadFile(file))(t)), "name: A\ndescription: d\n")
	assert.Equal(t, assert.Value(os.Stat(file))(t).Mode().Perm(), 0o640)
	assert.Equal(t, assert.Value(os.Readlink(link))(t), "a.yaml", "the link")
}

// TestLintWatch: the watch checks at once, and again when a file or the project's settings change.
func TestLintWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.yaml", faultyPersona)
	p := newParley(dir, "lint", "--watch", "--format", "oneline")
	talk := assert.Value(p.StderrPipe())(t)
	assert.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	lines := readLines(talk)
	waitForLine(t, lines, "1 file: 4 errors, 2 warnings, 1 info")
	put(t, dir, ".parley.yaml", "lint: {ignore: [{check: unknown-member}]}\n")
	waitForLine(t, lines, "2 ignored")
	put(t, dir, "b.yaml", "name: 1\npersona_identity_prompt: x\n")
	waitForLine(t, lines, "2 files: ")
	put(t, dir, ".parley.yaml", "lint: [\n")
	waitForLine(t, lines, "settings file")
	assert.NoError(t, p.Process.Signal(os.Interrupt))
	for range lines {
	}
	err := p.Wait()
	assert.Equal(t, p.ProcessState.ExitCode(), 130, "interrupted: %v", err)
}

func TestLintColours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.yaml", faultyPersona)
	coloured := func(env ...string) string {
		p := newParley(dir, "lint", "a.yaml")
		p.Env = append(append(p.Env, "TERM=xterm-256color", "NO_COLOR="), env...)
		return cmdtest.RunOnTerminal(t, p, 24, 80)
	}
	plain := string(lintIn(t, dir, "a.yaml"))
	shown := coloured()
	assert.Contains(t, shown, "\x1b[1;31merror\x1b[0m: ")
	assert.Contains(t, shown, "\x1b[33mwarning\x1b[0m: ")
	words := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(shown, "")
	assert.True(t, strings.HasPrefix(words, plain), "the words differ:\n%s\n%s", words, plain)
	assert.NotContains(t, coloured("NO_COLOR=1"), "\x1b", "NO_COLOR is not heeded")
}
