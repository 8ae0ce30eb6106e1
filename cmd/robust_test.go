//go:build !windows

package cmd_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bare is a command with nothing in its environment but what is given.
func bare(folder string, environment []string, args ...string) *exec.Cmd {
	p := exec.Command(os.Args[0], args...)
	p.Dir = folder
	p.Env = append([]string{asParley + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, environment...)
	return p
}

// TestWithoutHome: without HOME every command that needs no home works, and the
// others say which variables to set.
func TestWithoutHome(t *testing.T) {
	s := startReal(t, t.TempDir())
	folder, _ := projected(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--version"}, 0, "parley"},
		{[]string{"help", "exit-codes"}, 0, "rate-limited"},
		{[]string{"persona", "schema"}, 0, "$schema"},
		{[]string{"persona", "lint", "echo.yaml"}, 0, "1 info"},
		{[]string{"persona", "prove", "echo.yaml"}, 0, ""},
		{[]string{"persona", "list", "--server", s.address}, 0, ""},
		{[]string{"persona", "save", ".", "--server", s.address}, 4, "PARLEY_TOKEN"},
		{[]string{"localserver", "exec", "--seed", ".", "--", "true"}, 0, ""},
		{[]string{"localserver", "token", "--user", "a@example.com"}, 2, "set HOME, or PARLEY_CONFIG_DIR, PARLEY_DATA_DIR"},
		{[]string{"localserver", "--listen", "127.0.0.1:0"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "restore", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley", "--data", "data"}, 3, "no local server has kept anything there"},
	} {
		out, err := bare(folder, nil, c.args...).CombinedOutput()
		if code := exitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
}

// asNobody makes a command one of a user who may not write where root has made
// things, with a copy of the program that this user can reach.
func asNobody(t *testing.T, p *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	dir, err := os.MkdirTemp("", "parley-nobody-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p.Path = filepath.Join(dir, "parley")
	if err := os.WriteFile(p.Path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// TestReadOnlyHome: with a home in which nothing can be written, personas are saved
// all the same, talking works and says what it cannot keep, and a server says where
// it cannot keep its data.
func TestReadOnlyHome(t *testing.T) {
	base, err := os.MkdirTemp("", "parley-readonly-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	home, project, data := filepath.Join(base, "home"), filepath.Join(base, "project"), t.TempDir()
	for folder, mode := range map[string]os.FileMode{base: 0o755, home: 0o555, project: 0o777} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(project, "echo.yaml"), []byte(talkative), 0o644); err != nil {
		t.Fatal(err)
	}
	s := startReal(t, data)
	token := mustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"persona", "save", "--publish", "."}, 0, "saved 1"},
		{[]string{"persona", "save", "."}, 0, "unchanged 1"},
		{[]string{"say", "Echo", "hello"}, 0, ""},
		{[]string{"localserver", "--listen", "127.0.0.1:0"}, 3, "permission denied"},
	} {
		p := bare(project, []string{"HOME=" + home, "PARLEY_TOKEN=" + token, "PARLEY_SERVER=" + s.address}, c.args...)
		asNobody(t, p)
		out, err := p.CombinedOutput()
		if code := exitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
	if recorded(t, project) != 1 {
		t.Error("nothing is in parley.lock")
	}
}

// TestBrokenPipe: who reads has had enough. Nothing is said; the exit code is that
// of every program which is ended so (141 in a shell), or 0 when all was written.
func TestBrokenPipe(t *testing.T) {
	s := startReal(t, t.TempDir())
	folder, _ := projected(t)
	for _, args := range [][]string{
		{"persona", "schema"}, {"help", "environment"}, {"persona", "list", "--json", "--server", s.address}, {"persona", "lint", "--format", "json", "."},
		{"persona", "graph", "echo.yaml"}, {"persona", "prove", "echo.yaml"}, {"version"},
	} {
		p := exec.Command(os.Args[0], args...)
		p.Dir = folder
		p.Env = append(os.Environ(), asParley+"=1", "HOME="+folder)
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		var talk bytes.Buffer
		p.Stdout, p.Stderr = write, &talk
		err = p.Run()
		_ = write.Close()
		piped := err != nil && p.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGPIPE
		if err != nil && !piped || talk.Len() > 0 && !strings.Contains(talk.String(), "nothing found") {
			t.Errorf("parley %s: %v\n%s", strings.Join(args, " "), err, &talk)
		}
	}
}

// TestFullDataDisk: on a disk that is full the server refuses what it cannot keep
// and goes on; a snapshot that finds no room leaves nothing behind.
func TestFullDataDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk; localserver/store has a test of its own for a full one")
	}
	disk := smallDisk(t, "2m")
	data := filepath.Join(disk, "data")
	s := startReal(t, data)
	token := mustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	folder := t.TempDir()
	run := func(args ...string) (int, string) {
		p := bare(folder, []string{"HOME=" + folder, "PARLEY_TOKEN=" + token, "PARLEY_SERVER=" + s.address, "PARLEY_TIMEOUT=20s"}, args...)
		out, err := p.CombinedOutput()
		return exitCode(t, err), string(out)
	}
	small := strings.Replace(talkative, "You answer for ever.", "You answer.", 1)
	if err := os.WriteFile(filepath.Join(folder, "small.yaml"), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run("persona", "save", "small.yaml"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(filler, bytes.NewReader(make([]byte, 4<<20))) // It ends where the disk does.
	_ = filler.Close()
	large := strings.Replace(talkative, "You answer for ever.", strings.Repeat("You answer. ", 5000), 1)
	if err := os.WriteFile(filepath.Join(folder, "large.yaml"), []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run("persona", "save", "large.yaml"); code != 3 || recorded(t, folder) != 1 {
		t.Errorf("saved on a full disk: %d: %s", code, out)
	}
	to := filepath.Join(disk, "copy.parley")
	if code, out := run("localserver", "snapshot", "--data", data, to); code != 3 || !strings.Contains(out, "full") {
		t.Errorf("a snapshot on a full disk: %d: %s", code, out)
	}
	left, err := filepath.Glob(filepath.Join(disk, "*copy.parley*"))
	hidden, _ := filepath.Glob(filepath.Join(disk, ".copy*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("%v: it leaves %v %v", err, left, hidden)
	}
	if code, out := run("persona", "list", "--mine"); code != 0 || !strings.Contains(out, "Echo") {
		t.Errorf("reading on a full disk: %d: %s", code, out)
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	if code, out := run("persona", "save", "large.yaml"); code != 0 {
		t.Errorf("with room again: %d: %s", code, out)
	}
	s.kill()
}

// TestDeleteManyAsks: on a terminal many personas are deleted after one question
// that lists them, and another answer changes nothing.
func TestDeleteManyAsks(t *testing.T) {
	folder, data := crowd(t, 3), t.TempDir()
	s := startReal(t, data)
	if out, err := asAuthor(folder, data, s.address, "persona", "save", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wrong := asAuthor(folder, data, s.address, "persona", "delete", ".")
	shown := onTerminal(t, wrong, 30, 100, `Type "delete 3" to go on: `, "yes\n")
	if wrong.ProcessState.ExitCode() != 1 || !strings.Contains(shown, "nothing was changed") || strings.Count(shown, "Echo 00") != 3 {
		t.Errorf("exit code %d:\n%s", wrong.ProcessState.ExitCode(), shown)
	}
	right := asAuthor(folder, data, s.address, "persona", "delete", ".")
	shown = onTerminal(t, right, 30, 100, `Type "delete 3" to go on: `, "delete 3\n")
	if right.ProcessState.ExitCode() != 0 || !strings.Contains(shown, "deleted 3") {
		t.Errorf("exit code %d:\n%s", right.ProcessState.ExitCode(), shown)
	}
	if out, err := asAuthor(folder, data, s.address, "persona", "list", "--mine").Output(); err != nil || len(out) > 0 {
		t.Errorf("%v: left are %s", err, out)
	}
}

// TestBarOnTerminal: a long run shows how far it is, only on a terminal, and takes
// the bar away at the end.
func TestBarOnTerminal(t *testing.T) {
	folder, data := crowd(t, 200), t.TempDir()
	address, _, _ := hurried(t, filepath.Join(data, "server"))
	p := asAuthor(folder, data, address, "persona", "save", ".")
	p.Env = append(p.Env, "TERM=xterm-256color")
	shown := onTerminal(t, p, 30, 100)
	if !strings.Contains(shown, "saving [") || !strings.Contains(shown, "the rate limit is reached, going on in") || !strings.Contains(shown, "/200  ") {
		t.Errorf("no bar:\n%q", shown)
	}
	last := shown[strings.LastIndex(shown, "saving ["):]
	if _, after, ok := strings.Cut(last, "\r\x1b[K"); !ok || !strings.Contains(after, "saved 200") {
		t.Errorf("the bar stays: %q", last)
	}
}

// TestExecPassesSignals: a signal reaches the command, whose exit code is ours, and
// the data is removed.
func TestExecPassesSignals(t *testing.T) {
	tmp := t.TempDir()
	p := bare(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c", `trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.05; done`)
	p.Env = append(p.Env, "TMPDIR="+tmp)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, _ := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("it says %q", line)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = p.Process.Kill() })
	defer timer.Stop()
	rest, _ := io.ReadAll(lines)
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 9 || string(rest) != "got it\n" {
		t.Errorf("exit code %d, %q", code, rest)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v: left behind: %v", err, left)
	}
}

// TestExecCtrlC: Ctrl-C on a terminal ends the command once, not twice, and nothing
// stays behind.
func TestExecCtrlC(t *testing.T) {
	tmp := t.TempDir()
	p := bare(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c", `n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n = 0 ]; do sleep 0.05; done; sleep 0.3; echo "told $n times"; exit 5`)
	p.Env = append(p.Env, "TMPDIR="+tmp)
	shown := onTerminal(t, p, 30, 100, "ready\r\n", "\x03")
	if code := p.ProcessState.ExitCode(); code != 5 || !strings.Contains(shown, "told 1 times") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v: left behind: %v", err, left)
	}
}

// TestExecHungUp: a terminal that goes away, however often it says so, ends the
// command and leaves nothing behind.
func TestExecHungUp(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("hanging up is ignored here, as under nohup, and so it is by what runs here")
	}
	tmp := t.TempDir()
	p := bare(tmp, []string{"HOME=" + tmp}, "localserver", "exec", "--", "sh", "-c", "echo ready; exec sleep 60")
	p.Env = append(p.Env, "TMPDIR="+tmp)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("it says %q", line)
	}
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
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v: left behind: %v", err, left)
	}
}
