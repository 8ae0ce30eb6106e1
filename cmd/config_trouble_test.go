//go:build !windows

package cmd_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

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

// linkedSettings makes the settings file of a home, or the link where it will be, and returns the place of its text.
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
	for _, args := range [][]string{{"config", "set", "timeout", "3s"}, {"config", "unset", "player_name"}, {"profile", "add", "work", "--server", "https://a.example.com"}} {
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
	assert.True(t, code == 3 && strings.Contains(string(out), path) && strings.Contains(string(out), "no space left"), "exit code %d\n%s", code, out)
	text, err := os.ReadFile(path)
	left, _ := os.ReadDir(disk)
	assert.NoError(t, err, "beside %v", left)
	assert.Equal(t, string(text), "# mine\nplayer_name: Mara\n", "beside %v", left)
	assert.Equal(t, len(left), 2, "beside %v", left)
}
