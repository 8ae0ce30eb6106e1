package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/auth"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/assert"
)

// widen makes Parley's own files in the folders of a home, readable by all.
func widen(t *testing.T, home string) (files []string) {
	t.Helper()
	for _, file := range []string{
		".config/parley/config.yaml", ".local/state/parley/tokens.json", ".local/state/parley/signins.json", ".local/state/parley/sessions.json",
		".local/share/parley/signin.json", ".local/share/parley/dev-key.json", ".local/share/parley/dev-signins.json", ".local/share/parley/parley.db",
	} {
		path := filepath.Join(home, filepath.FromSlash(file))
		assert.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NoError(t, os.WriteFile(path, nil, 0o644))
		for at, mode := range map[string]os.FileMode{path: 0o644, filepath.Dir(path): 0o755} {
			assert.NoError(t, os.Chmod(at, mode))
		}
		files = append(files, path)
	}
	return files
}

// TestRightsAreToldAndMended: files that others can read are reported once, by name, and fixed.
func TestRightsAreToldAndMended(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of a home are named here as Linux has them")
	}
	for _, command := range [][]string{{"auth", "status"}, {"doctor"}} {
		t.Run(command[0], func(t *testing.T) {
			home := t.TempDir()
			files := widen(t, home)
			env := map[string]string{"HOME": home, "PARLEY_CONFIG_DIR": "", "PARLEY_DATA_DIR": "", "PARLEY_STATE_DIR": ""}
			look := func() string {
				a, out, talk := cmdtest.NewAccess(t, env)
				cmdtest.Run(t.Context(), a, command, auth.NewAuthCmd(a), newDoctorCmd(a))
				return out.String() + talk.String()
			}
			said := look()
			for _, file := range files {
				for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
					assert.True(t, assert.Value(os.Stat(path))(t).Mode().Perm() == mode, path)
					assert.Contains(t, said, "had access to "+path+" (", "nothing is said of %s", path)
				}
			}
			assert.NotContains(t, look(), "had access to")
		})
	}
}

// TestSharedFolderKeepsItsRights: directories of variables and targets of links keep their rights.
func TestSharedFolderKeepsItsRights(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "settings.yaml")
	assert.NoError(t, os.Chmod(folder, 0o777))
	assert.NoError(t, os.WriteFile(elsewhere, nil, 0o644))
	assert.NoError(t, os.Symlink(elsewhere, filepath.Join(folder, "config.yaml")))
	a, _, talk := cmdtest.NewAccess(t, map[string]string{"PARLEY_CONFIG_DIR": folder})
	cmdtest.Run(t.Context(), a, []string{"auth", "status"}, auth.NewAuthCmd(a))
	assert.True(t, assert.Value(os.Stat(folder))(t).Mode().Perm() == 0o777, "the folder")
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o644 || strings.Contains(talk.String(), "had access to") {
		t.Errorf("the file behind the link is %v, %v: %s", info.Mode(), err, talk)
	}
}

// TestServerNarrowsItsFiles: the start of a server takes others' rights away, and says so.
func TestServerNarrowsItsFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	dir := t.TempDir()
	if _, err := localserver.DevToken(dir, "a@b.c", 1e9); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "dev-key.json")
	assert.NoError(t, os.Chmod(key, 0o644))
	a, _, talk := cmdtest.NewAccess(t, nil)
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: dir, Log: a.NewLogger()})
	assert.NoError(t, err)
	defer func() { _ = server.Close() }()
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(talk.String(), "dev-key.json") {
		t.Errorf("%v, %v: %s", info.Mode(), err, talk)
	}
}
