package localservercmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestEmptyServerSaysHowToSeed: only a server without any persona explains once how to add one.
func TestEmptyServerSaysHowToSeed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	const advice = "parley persona save --publish FILE"
	run := func(during func(address string), args ...string) string {
		p := exec.CommandContext(t.Context(), os.Args[0], append([]string{"localserver", "--listen", "127.0.0.1:0"}, args...)...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+data, "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "PARLEY_STATE_DIR="+data)
		var talk cmdtest.Buffer
		p.Stderr = &talk
		s := assert.Value(cmdtest.StartServer(p))(t)
		defer s.Kill()
		during(s.Address)
		assert.NoError(t, s.Interrupt())
		return talk.String()
	}
	assert.NotContains(t, run(func(string) {}, "--quiet"), advice, "with --quiet")
	talk := run(func(address string) {
		save := cmdtest.AuthorCommand(data, data, address, "persona", "save", "--no-lock", filepath.Join(cmdtest.RepositoryRoot(t), "personas", "examples", "hotel.yaml"))
		out, err := save.CombinedOutput()
		assert.NoError(t, err, "%v\n%s", err, out)
	})
	assert.Equal(t, strings.Count(talk, advice), 1, "an empty server says\n%s", talk)
	if talk := run(func(string) {}); strings.Contains(talk, advice) || !strings.Contains(talk, "stop     Ctrl-C") {
		t.Errorf("a server with a persona says\n%s", talk)
	}
}
