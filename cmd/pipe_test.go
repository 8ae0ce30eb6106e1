//go:build !windows

package cmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// pipeTimeout is how long a command with a pipe may take; meanwhile it asks a server that does not
// answer.
const pipeTimeout = 20 * time.Second

func runWithPipe(t *testing.T, folder string, args ...string) string {
	t.Helper()
	p := cmdtest.BareCommand(folder, []string{
		"HOME=" + folder, "PARLEY_CONFIG_DIR=" + folder, "PARLEY_STATE_DIR=" + folder, "PARLEY_DATA_DIR=" + folder,
		"PARLEY_SERVER=http://127.0.0.1:1", "PARLEY_TIMEOUT=1s", "PARLEY_TOKEN=", "DBUS_SESSION_BUS_ADDRESS=none", "EDITOR=true",
	}, args...)
	ctx, cancel := context.WithTimeout(t.Context(), pipeTimeout)
	defer cancel()
	bounded := exec.CommandContext(ctx, p.Path, p.Args[1:]...)
	bounded.Dir, bounded.Env = p.Dir, p.Env
	said, err := bounded.CombinedOutput()
	assert.NoError(t, ctx.Err(), "parley %s waits for ever: %v\n%s", strings.Join(args, " "), err, said)
	return string(said)
}

func makePipe(t *testing.T, path string) string {
	t.Helper()
	assert.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)))
	return path
}

func takesFile(f *pflag.Flag) bool {
	word, _ := pflag.UnquoteUsage(f)
	return slices.Contains([]string{"FILE", "FOLDER", "PATH"}, word)
}

// runsOn are the commands that run until they are stopped, for any file. They read the file as the
// others do.
var runsOn = []string{"parley localserver --watch", "parley localserver --data"}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	if c.Runnable() {
		visit(c)
	}
	for _, child := range c.Commands() {
		eachCommand(child, visit)
	}
}

// TestPipesAsFiles: no command waits for the writer of a pipe in the place of any argument or flag's file.
func TestPipesAsFiles(t *testing.T) {
	t.Parallel()
	pipe := func(t *testing.T) (folder, file string) {
		folder = t.TempDir()
		return folder, makePipe(t, filepath.Join(folder, "persona.yaml"))
	}
	eachCommand(tree(), func(c *cobra.Command) {
		words := strings.Fields(c.CommandPath())[1:]
		if c.CommandPath() != "parley localserver" && len(words) > 0 {
			t.Run(c.CommandPath(), func(t *testing.T) {
				t.Parallel()
				folder, file := pipe(t)
				for n := range 2 {
					runWithPipe(t, folder, slices.Concat(words, slices.Repeat([]string{file}, n+1))...)
				}
			})
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name := c.CommandPath() + " --" + f.Name
			if !takesFile(f) || slices.Contains(runsOn, name) {
				return
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				folder, file := pipe(t)
				flag := "--" + f.Name + "=" + file
				runWithPipe(t, folder, append(words, flag)...)
				runWithPipe(t, folder, append(words, flag, file)...)
				runWithPipe(t, folder, append(words, flag, "persona")...)
			})
		})
	})
}

// TestPipesAsState: pipes in the place of files that commands look for themselves.
func TestPipesAsState(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		".parley.yaml", "parley.lock", "config.yaml", "tokens.json", "signins.json", "sessions.json", "signin.json", "dev-key.json",
		"dev-signins.json", "parley.db", "parley.db-wal", "server.lock", "signins.json.lock", "tokens.json.lock", "sessions.json.lock", "tape.jsonl.lock",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			makePipe(t, filepath.Join(folder, name))
			assert.NoError(t, os.WriteFile(filepath.Join(folder, "p.yaml"), []byte("name: P\n"), 0o600))
			for _, line := range []string{
				"persona lint p.yaml", "persona save p.yaml", "persona list --mine", "config list", "config set server http://127.0.0.1:2", "auth status", "auth token",
				"auth logout", "doctor", "session list", "say p hello", "profile list", "localserver token --user a@b.c", "localserver snapshot s.db",
				"localserver exec --llm-record tape.jsonl --llm ollama/none -- true",
			} {
				runWithPipe(t, folder, strings.Fields(line)...)
			}
		})
	}
}

// TestGivenPipe: a pipe that a shell passes, as with <(command), is read normally.
func TestGivenPipe(t *testing.T) {
	t.Parallel()
	p := cmdtest.BareCommand(t.TempDir(), []string{"HOME=" + t.TempDir()}, "persona", "lint", "/dev/stdin")
	p.Stdin = strings.NewReader("name: 1: 2\n")
	said, err := p.CombinedOutput()
	code := cmdtest.ExitCode(t, err)
	assert.Equal(t, code, 1, "%d: %s", code, said)
	assert.Contains(t, string(said), "/dev/stdin:1:")
}
