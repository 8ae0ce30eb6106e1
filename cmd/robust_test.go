//go:build !windows

package cmd_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	_ "time/tzdata" // for TZ on machines without zones

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestCommandsWithoutHome: without HOME only commands that need one fail, and say which variables to set.
func TestCommandsWithoutHome(t *testing.T) {
	t.Parallel()
	s := cmdtest.StartLocalServer(t, t.TempDir())
	folder, _ := cmdtest.WritePersonaFile(t)
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
		{[]string{"persona", "list", "--server", s.Address}, 0, ""},
		{[]string{"persona", "save", ".", "--server", s.Address}, 4, "PARLEY_TOKEN"},
		{[]string{"localserver", "exec", "--seed", ".", "--", "true"}, 0, ""},
		{[]string{"localserver", "token", "--user", "a@example.com"}, 2, "set HOME, or PARLEY_CONFIG_DIR, PARLEY_DATA_DIR"},
		{[]string{"localserver", "--listen", "127.0.0.1:0"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "restore", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley", "--data", "data"}, 3, "no local server has used it yet"},
	} {
		out, err := cmdtest.BareCommand(folder, nil, c.args...).CombinedOutput()
		if code := cmdtest.ExitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
}

// TestReadOnlyHome: with a read-only home everything works or reports what it cannot store.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	base := assert.Value(os.MkdirTemp("", "parley-readonly-*"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	home, project, data := filepath.Join(base, "home"), filepath.Join(base, "project"), t.TempDir()
	for folder, mode := range map[string]os.FileMode{base: 0o755, home: 0o555, project: 0o777} {
		assert.NoError(t, os.MkdirAll(folder, 0o755))
		assert.NoError(t, os.Chmod(folder, mode))
	}
	assert.NoError(t, os.WriteFile(filepath.Join(project, "echo.yaml"), []byte(cmdtest.EndlessPersona), 0o644))
	s := cmdtest.StartLocalServer(t, data)
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
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
		p := cmdtest.BareCommand(project, []string{"HOME=" + home, "PARLEY_TOKEN=" + token, "PARLEY_SERVER=" + s.Address}, c.args...)
		cmdtest.RunAsNobody(t, p)
		out, err := p.CombinedOutput()
		if code := cmdtest.ExitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
	assert.Equal(t, cmdtest.CountLocked(t, project), 1, "nothing is in parley.lock")
}

// TestBrokenPipe: a closed pipe is no error; the exit code is that of the signal, or 0 if all was written.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	s := cmdtest.StartLocalServer(t, t.TempDir())
	folder, _ := cmdtest.WritePersonaFile(t)
	for _, args := range [][]string{
		{"persona", "schema"}, {"help", "environment"}, {"persona", "list", "--json", "--server", s.Address}, {"persona", "lint", "--format", "json", "."},
		{"persona", "graph", "echo.yaml"}, {"persona", "prove", "echo.yaml"}, {"version"},
	} {
		p := exec.Command(os.Args[0], args...)
		p.Dir = folder
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+folder)
		read, write, err := os.Pipe()
		assert.NoError(t, err)
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

var minutePattern = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// TestTimesAreLocal: every command shows local times on a terminal, and UTC elsewhere, which lines for people state.
func TestTimesAreLocal(t *testing.T) {
	t.Parallel()
	zone := assert.Value(time.LoadLocation("Asia/Kolkata"))(t)
	home, server := cmdtest.StartPlayedHotel(t)
	settings := []string{server, "TZ=Asia/Kolkata", "PAGER=cat"}
	for _, test := range []struct {
		args string
		says string // the zone's name in lines for people that go to a pipe
	}{
		{"persona list", ""}, {"session list", ""}, {"persona show Ottoline", "UTC"}, {"session history Ottoline", "UTC"},
	} {
		shown, _ := cmdtest.RunAtHome(t, home, 200, "", settings, strings.Fields(test.args)...)
		checkMinutes(t, test.args+" on a terminal", shown, zone)
		piped := outputAtHome(t, home, settings, strings.Fields(test.args)...)
		checkMinutes(t, test.args+" in a pipe", piped, time.UTC)
		assert.Contains(t, piped, test.says, "%s in a pipe does not say", test.args)
	}
	checkMinutes(t, "a completion", outputAtHome(t, home, settings, "__complete", "session", "history", ""), zone)
}

// checkMinutes checks that a text shows times, all of them of the last hour in a zone.
func checkMinutes(t *testing.T, what, text string, zone *time.Location) {
	t.Helper()
	found := minutePattern.FindAllString(text, -1)
	assert.True(t, len(found) != 0, "%s shows no time:\n%s", what, text)
	for _, minute := range found {
		at, err := time.ParseInLocation("2006-01-02 15:04", minute, zone)
		ago := time.Since(at)
		assert.True(t, err == nil && ago >= -time.Minute && ago <= time.Hour, "%s shows %s, %s ago in %s:\n%s", what, minute, ago, zone, text)
	}
}

// outputAtHome runs parley as cmdtest.RunAtHome does, without a terminal.
func outputAtHome(t *testing.T, home string, settings []string, args ...string) string {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0], args...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_DATA_DIR="+filepath.Join(home, "data"),
		"PARLEY_STATE_DIR="+filepath.Join(home, "state"),
		"PARLEY_CONFIG_DIR="+filepath.Join(home, "config"), "PARLEY_TOKEN=", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=")
	p.Env = append(p.Env, settings...)
	out, err := p.Output()
	assert.NoError(t, err, "parley %v %s", args, out)
	return string(out)
}

// TestSettingsOfManyProcesses: processes do not lose each other's changes of one settings file.
func TestSettingsOfManyProcesses(t *testing.T) {
	t.Parallel()
	const processes = 12
	for _, kind := range []string{"new", "kept", "link", "link to nothing yet"} {
		home := t.TempDir()
		path := linkedSettings(t, home, kind)
		var group sync.WaitGroup
		for i := range processes {
			group.Go(func() {
				p := cmdtest.BareCommand(home, []string{"HOME=" + home}, "profile", "add", fmt.Sprint("p", i), "--server", fmt.Sprint("https://", i, ".example.com"))
				out, err := p.CombinedOutput()
				assert.True(t, err == nil, "%s: %v\n%s", kind, err, out)
			})
		}
		group.Wait()
		text, err := os.ReadFile(path)
		if n := strings.Count(string(text), "server: "); err != nil || n != processes || kind == "kept" && !strings.HasPrefix(string(text), "# mine\n") {
			t.Errorf("%s: %v, %d of %d profiles are in\n%s", kind, err, n, processes, text)
		}
	}
}

func linkedSettings(t *testing.T, home, kind string) string {
	t.Helper()
	folder := filepath.Join(home, ".config", "parley")
	path, own := filepath.Join(folder, "config.yaml"), filepath.Join(home, "own.yaml")
	assert.NoError(t, os.MkdirAll(folder, 0o700))
	switch kind {
	case "new":
		return path
	case "kept":
		own = path
	default:
		assert.NoError(t, os.Symlink(own, path))
	}
	if kind != "link to nothing yet" {
		assert.NoError(t, os.WriteFile(own, []byte("# mine\nplayer_name: Mara\n"), 0o600))
	}
	return own
}

// TestSettingsThatCannotBeWritten: the error names the unchanged file, and the exit code is 3.
func TestSettingsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	base := assert.Value(os.MkdirTemp("", "parley-settings-*"))(t)
	folder := filepath.Join(base, "config")
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755); _ = os.RemoveAll(base) })
	path := filepath.Join(folder, "config.yaml")
	assert.NoError(t, os.Mkdir(folder, 0o755))
	assert.NoError(t, os.WriteFile(path, []byte("player_name: Mara\n"), 0o644))
	for place, mode := range map[string]os.FileMode{base: 0o755, folder: 0o555} {
		assert.NoError(t, os.Chmod(place, mode))
	}
	for _, args := range [][]string{{"config", "set", "timeout", "3s"}, {"config", "unset", "player_name"},
		{"profile", "add", "work", "--server", "https://a.example.com"}} {
		p := cmdtest.BareCommand(base, []string{"PARLEY_CONFIG_DIR=" + folder}, args...)
		cmdtest.RunAsNobody(t, p)
		out, err := p.CombinedOutput()
		if code := cmdtest.ExitCode(t, err); code != 3 || !strings.Contains(string(out), path) || !strings.Contains(string(out), "permission denied") {
			t.Errorf("parley %v: exit code %d\n%s", args, code, out)
		}
	}
	p := cmdtest.BareCommand(base, []string{"PARLEY_CONFIG_DIR=" + folder}, "config", "get", "player_name")
	cmdtest.RunAsNobody(t, p)
	if out, err := p.CombinedOutput(); err != nil || string(out) != "Mara\n" {
		t.Errorf("%v: %q", err, out)
	}
}

// TestSettingsOnAFullDisk: a write that does not fit leaves the settings unchanged, and no temporary file.
func TestSettingsOnAFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	disk := cmdtest.MountSmallDisk(t, "64k")
	path := filepath.Join(disk, "config.yaml")
	assert.NoError(t, os.WriteFile(path, []byte("# mine\nplayer_name: Mara\n"), 0o600))
	filler := assert.Value(os.Create(filepath.Join(disk, "filler")))(t)
	_, _ = io.Copy(filler, bytes.NewReader(make([]byte, 1<<20))) // It ends where the disk does.
	_ = filler.Close()
	out, err := cmdtest.BareCommand(disk, []string{"PARLEY_CONFIG_DIR=" + disk}, "config", "set", "timeout", "3s").CombinedOutput()
	code := cmdtest.ExitCode(t, err)
	assert.Equal(t, code, 3, "exit code %d\n%s", code, out)
	assert.Contains(t, string(out), path)
	assert.Contains(t, string(out), "no space left")
	text, err := os.ReadFile(path)
	left, _ := os.ReadDir(disk)
	assert.NoError(t, err, "beside %v", left)
	assert.Equal(t, string(text), "# mine\nplayer_name: Mara\n", "beside %v", left)
	assert.Equal(t, len(left), 2, "beside %v", left)
}
