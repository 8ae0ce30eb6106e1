package localservercmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
)

// newCluster starts a PostgreSQL for a test and returns the address of an empty database.
func newCluster(t *testing.T) (address string) {
	t.Helper()
	_, address = storetest.Start(t)
	return address
}

func runIn(home string, env []string, args ...string) (said string, code int) {
	p := cmdtest.BareCommand(home, append([]string{"HOME=" + home}, env...), args...)
	var text strings.Builder
	p.Stderr = &text
	err := p.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return text.String(), ended.ExitCode()
	}
	if err != nil {
		return err.Error(), -1
	}
	return text.String(), 0
}

// TestGrowAndShrink: data moves into PostgreSQL and back without loss, and obstacles name the next step.
func TestGrowAndShrink(t *testing.T) {
	t.Parallel()
	address, home := newCluster(t), t.TempDir()
	data, snapshot := filepath.Join(home, "data"), filepath.Join(home, "all.parley")
	s := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: data}))(t)
	steps := []struct {
		env  []string
		args []string
		code int
		want string
	}{
		{nil, []string{"snapshot", "--database", address, snapshot}, 3, "no server has used it yet"},
		{nil, []string{"snapshot", "--data", data, snapshot}, 0, "checked: "},
		{nil, []string{"restore", snapshot, "--database", address}, 0, "checked the row count and the hash of each table: "},
		{nil, []string{"snapshot", "--database", address, snapshot}, 1, "it already exists"},
		{nil, []string{"snapshot", "--force", "--database", address, snapshot}, 0, "checked: "},
		{[]string{"PARLEY_DATABASE=" + address}, []string{"snapshot", "--force", snapshot}, 0, "checked: "},
		{nil, []string{"restore", snapshot, "--data", filepath.Join(home, "back")}, 0, "restored into "},
		// A directory on the command line takes precedence over the environment.
		{[]string{"PARLEY_DATABASE=" + address}, []string{"restore", snapshot, "--data", filepath.Join(home, "named")},
			0, "restored into " + filepath.Join(home, "named")},
		{nil, []string{"restore", snapshot, "--database", "sqlite:" + filepath.Join(home, "file", "x.db")}, 0, "restored into sqlite:"},
		{nil, []string{"restore", snapshot, "--data", data, "--database", address}, 2, "mutually exclusive"},
		{nil, []string{"restore", snapshot, "--database", "postgres://kim:Zq7xSecret@h/n"}, 2, "--database contains a password"},
		{[]string{"PARLEY_DATABASE=postgres://kim:Zq7xSecret@127.0.0.1:1/n"}, []string{"restore", snapshot}, 3, "the database does not answer"},
	}
	for _, step := range steps {
		said, code := runIn(home, step.env, append([]string{"localserver"}, step.args...)...)
		assert.Equal(t, code, step.code, step.args)
		assert.Contains(t, said, step.want, step.args)
		assert.NotContains(t, said, "Zq7x", step.args)
	}
	assert.NoError(t, s.Close())
	checkServed(t, address, home, snapshot)
}

// checkServed: under a server the rows of a database are copied and not replaced.
func checkServed(t *testing.T, address, home, snapshot string) {
	t.Helper()
	s, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0",
		Data: filepath.Join(home, "node"), Database: localserver.Database{Address: address}})
	assert.NoError(t, err)
	said, code := runIn(home, nil, "localserver", "restore", "--force", snapshot, "--database", address)
	assert.Equal(t, code, 3)
	assert.Contains(t, said, "servers are using it")
	if said, code := runIn(home, nil, "localserver", "snapshot", "--force", snapshot, "--database", address); code != 0 {
		t.Errorf("code %d, %s", code, said)
	}
	info, err := os.Stat(snapshot)
	assert.NoError(t, err)
	assert.True(t, info.Size() != 0, "the file is empty")
	assert.NoError(t, s.Close())
}
