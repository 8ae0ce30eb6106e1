//go:build !windows

package localservercmd_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/assert"
)

// makeData makes a data directory as a server leaves it, below a directory that every user of the machine can reach.
func makeData(t *testing.T) (base, data string) {
	t.Helper()
	base = assert.Value(os.MkdirTemp("", "parley-data-*"))(t)
	data = filepath.Join(base, "data")
	t.Cleanup(func() { _ = os.Chmod(data, 0o700); _ = os.RemoveAll(base) })
	s, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: data})
	if err == nil {
		err = s.Close()
	}
	assert.NoError(t, err)
	return base, data
}

// TestStrangersDataFolder: a database that does more than store rows is refused, with a way out.
func TestStrangersDataFolder(t *testing.T) {
	t.Parallel()
	base, data := makeData(t)
	run := func(args ...string) (int, string) {
		out, err := cmdtest.BareCommand(base, []string{"HOME=" + base, "PARLEY_DATA_DIR=" + data}, args...).CombinedOutput()
		return cmdtest.ExitCode(t, err), string(out)
	}
	snapshot := filepath.Join(base, "before.parley")
	code, out := run("localserver", "snapshot", snapshot)
	assert.Must(t, code == 0, out)
	pool, err := sql.Open("sqlite3", filepath.Join(data, "parley.db"))
	assert.NoError(t, err)
	_, err = pool.Exec("CREATE TRIGGER spy AFTER INSERT ON personas BEGIN UPDATE personas SET public = 1; END")
	assert.NoError(t, pool.Close())
	assert.NoError(t, err)
	for _, args := range [][]string{{"localserver", "--listen", "127.0.0.1:0"}, {"localserver", "snapshot", filepath.Join(base, "copy")}} {
		code, out := run(args...)
		assert.Equal(t, code, 3, "parley %v: %d: %s", args, code, out)
		assert.Contains(t, out, "trigger spy", "parley %v: %d: %s", args, code, out)
	}
	_, out = run("localserver", "--listen", "127.0.0.1:0")
	assert.Contains(t, out, "parley localserver restore --force", "it names no way out")
	code, out = run("localserver", "restore", "--force", snapshot)
	assert.Equal(t, code, 0, "restore: %d: %s", code, out)
	s := cmdtest.StartLocalServer(t, data)
	s.Kill()
}

// TestLongDataPath: every command that would open the database names the limit.
func TestLongDataPath(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	data := filepath.Join(base, strings.Repeat("long-folder/", 50), "data")
	assert.NoError(t, os.WriteFile(filepath.Join(base, "snapshot"), nil, 0o600))
	for _, args := range [][]string{{"localserver", "--listen", "127.0.0.1:0"}, {"localserver", "restore", "snapshot"}, {"doctor"}} {
		out, _ := cmdtest.BareCommand(base, []string{"HOME=" + base, "PARLEY_DATA_DIR=" + data}, args...).CombinedOutput()
		assert.Contains(t, string(out), "SQLite supports at most 504: use a shorter path", "parley %v", args)
	}
	_, err := os.Stat(filepath.Join(base, "long-folder"))
	assert.True(t, err != nil, "a part of the folder was made")
}

// TestLostDataFolder: a damaged or emptied database is never used, and a snapshot repairs it.
func TestLostDataFolder(t *testing.T) {
	t.Parallel()
	base, data := makeData(t)
	run := func(args ...string) (int, string) {
		out, err := cmdtest.BareCommand(base, []string{"HOME=" + base, "PARLEY_DATA_DIR=" + data}, args...).CombinedOutput()
		return cmdtest.ExitCode(t, err), string(out)
	}
	snapshot, database := filepath.Join(base, "before.parley"), filepath.Join(data, "parley.db")
	code, out := run("localserver", "snapshot", snapshot)
	assert.Must(t, code == 0, out)
	damage := func() error {
		pool, err := sql.Open("sqlite3", database)
		if err != nil {
			return err
		}
		_, err = pool.Exec("INSERT INTO variables VALUES ('nobody', 'a', 'b')")
		return errors.Join(err, pool.Close())
	}
	empty := func() error { return os.Truncate(database, 0) }
	for _, c := range []struct {
		name string
		do   func() error
		code int // of a snapshot
		want string
	}{{"damaged", damage, 1, "the database is damaged"}, {"empty", empty, 3, "the database has lost its content"}} {
		assert.NoError(t, c.do())
		copied := filepath.Join(base, c.name)
		code, out := run("localserver", "snapshot", copied)
		assert.Equal(t, code, c.code, "%s: snapshot: %d: %s", c.name, code, out)
		assert.Contains(t, out, c.want, "%s: snapshot: %d: %s", c.name, code, out)
		left, _ := filepath.Glob(filepath.Join(base, "*"+c.name+"*"))
		assert.Empty(t, left, "%s: it leaves", c.name)
		if _, out := run("doctor"); !strings.Contains(out, c.want) || !strings.Contains(out, "parley localserver restore FILE --force") {
			t.Errorf("%s: doctor: %s", c.name, out)
		}
		if c.name == "empty" {
			code, out := run("localserver", "--listen", "127.0.0.1:0")
			assert.Equal(t, code, 3, "serve: %d: %s", code, out)
			assert.Contains(t, out, c.want, "serve: %d: %s", code, out)
		}
		code, out = run("localserver", "restore", "--force", snapshot)
		assert.Equal(t, code, 0, "%s: restore: %d: %s", c.name, code, out)
	}
	cmdtest.StartLocalServer(t, data).Kill()
}

// TestFullDataDisk: a server goes on with a full disk, and a snapshot that does not fit leaves nothing.
func TestFullDataDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk; localserver/store has a test of its own for a full one")
	}
	disk := cmdtest.MountSmallDisk(t, "2m")
	data := filepath.Join(disk, "data")
	s := cmdtest.StartLocalServer(t, data)
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	folder := t.TempDir()
	run := func(args ...string) (int, string) {
		p := cmdtest.BareCommand(folder, []string{"HOME=" + folder, "PARLEY_TOKEN=" + token, "PARLEY_SERVER=" + s.Address, "PARLEY_TIMEOUT=20s"}, args...)
		out, err := p.CombinedOutput()
		return cmdtest.ExitCode(t, err), string(out)
	}
	small := strings.Replace(cmdtest.EndlessPersona, "You answer for ever.", "You answer.", 1)
	assert.NoError(t, os.WriteFile(filepath.Join(folder, "small.yaml"), []byte(small), 0o600))
	code, out := run("persona", "save", "small.yaml")
	assert.Must(t, code == 0, "%d: %s", code, out)
	filler := assert.Value(os.Create(filepath.Join(disk, "filler")))(t)
	_, _ = io.Copy(filler, bytes.NewReader(make([]byte, 4<<20))) // It ends where the disk does.
	_ = filler.Close()
	large := strings.Replace(cmdtest.EndlessPersona, "You answer for ever.", strings.Repeat("You answer. ", 5000), 1)
	assert.NoError(t, os.WriteFile(filepath.Join(folder, "large.yaml"), []byte(large), 0o600))
	code, out = run("persona", "save", "large.yaml")
	assert.Equal(t, code, 3, "saved on a full disk: %d: %s", code, out)
	assert.Equal(t, cmdtest.CountLocked(t, folder), 1, "saved on a full disk: %d: %s", code, out)
	to := filepath.Join(disk, "copy.parley")
	code, out = run("localserver", "snapshot", "--data", data, to)
	assert.Equal(t, code, 3, "a snapshot on a full disk: %d: %s", code, out)
	assert.Contains(t, out, "full", "a snapshot on a full disk: %d: %s", code, out)
	left, err := filepath.Glob(filepath.Join(disk, "*copy.parley*"))
	hidden, _ := filepath.Glob(filepath.Join(disk, ".copy*"))
	assert.NoError(t, err, "%v: it leaves %v %v", err, left, hidden)
	assert.True(t, len(left)+len(hidden) <= 0, "%v: it leaves %v %v", err, left, hidden)
	code, out = run("persona", "list", "--mine")
	assert.Equal(t, code, 0, "reading on a full disk: %d: %s", code, out)
	assert.Contains(t, out, "Echo", "reading on a full disk: %d: %s", code, out)
	assert.NoError(t, os.Remove(filepath.Join(disk, "filler")))
	code, out = run("persona", "save", "large.yaml")
	assert.Equal(t, code, 0, "with room again: %d: %s", code, out)
	s.Kill()
}

// TestDrainDelay: a server that is told to stop is not ready from then on, and goes on answering for --drain-delay.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", ":memory:", "--drain-delay", "2s")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir())
	s := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(s.Kill)
	ask := func(path string) int {
		answer := assert.Value(http.Get(s.Address + path))(t)
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	got := ask("/readyz")
	assert.Must(t, got == http.StatusOK, "ready: %d", got)
	begun, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- s.Interrupt() }()
	for ask("/readyz") != http.StatusServiceUnavailable {
		assert.Must(t, time.Since(begun) <= time.Second, "it is ready still")
		time.Sleep(10 * time.Millisecond)
	}
	assert.Equal(t, ask("/api/v1/personas"), http.StatusOK, "a call is answered")
	if err := <-stopped; err != nil || time.Since(begun) < 2*time.Second {
		t.Errorf("it has ended after %s: %v", time.Since(begun), err)
	}
}
