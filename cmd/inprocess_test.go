package cmd

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
)

// ended is how a command line that ran in this process ended.
type ended struct {
	code      int
	out, talk string
}

// runHere runs a command line in this process, isolated except for the working directory.
func runHere(ctx context.Context, t *testing.T, env map[string]string, args ...string) ended {
	t.Helper()
	a, out, talk := cmdtest.NewAccess(t, env)
	code := Run(ctx, a, args)
	return ended{code, out.String(), talk.String()}
}

func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	root := newRootCmd(&service.Access{Environment: &service.Environment{Streams: &cli.Streams{Lookup: os.LookupEnv,
		Out: &cli.CheckedWriter{Writer: &cmdtest.Buffer{}}, Err: &cmdtest.Buffer{}}}})
	found := map[string]*cobra.Command{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		// A group's Run only shows its help; topics lack it.
		if c.Runnable() && c.HasParent() && (!c.HasSubCommands() || c.LocalNonPersistentFlags().HasAvailableFlags()) {
			found[strings.TrimPrefix(c.CommandPath(), "parley ")] = c
		}
	}
	walk(root)
	delete(found, "help")
	assert.Must(t, len(found) >= 20, "only %d commands are found: the walk is broken", len(found))
	return found
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"profile", "use", "local"}, {"-q", "profile", "use", "local"}} {
		got := runHere(t.Context(), t, nil, args...)
		assert.Equal(t, got.code, cli.ExitDone, "%v %q", args, got.talk)
		assert.Equal(t, got.talk == "", len(args) == 4, "%v %q", args, got.talk)
	}
	got := runHere(t.Context(), t, nil, "--quiet", "profile", "use", "nosuch")
	assert.Equal(t, got.code, cli.ExitUsage, "%d, %q", got.code, got.talk)
	assert.True(t, got.talk != "", "%d, %q", got.code, got.talk)
}

// TestQuotedWords: a real shell reads the same word back, and runs nothing.
func TestQuotedWords(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	for _, word := range []string{"plain", "", "a b", "$(touch x)", "`id`", "it's", "'; touch x; '", "a;b", "&", "*",
		"~", "!x", "#c", "\\", "\"", "é ü", "=cat", "{a,b}"} {
		for _, shell := range []string{"sh", "bash"} {
			if _, err := exec.LookPath(shell); err != nil {
				continue
			}
			p := exec.Command(shell, "-c", "printf %s "+plaintext.ShellWord(word))
			p.Dir = t.TempDir()
			if got, err := p.Output(); err != nil || string(got) != word {
				t.Errorf("%s: %q became %q, %v", shell, word, got, err)
			}
		}
	}
	assert.Equal(t, plaintext.ShellFile("-rf"), "./-rf", "a file that looks like a flag")
	assert.NotContains(t, plaintext.ShellWord("a\n::error::b"), "\n", "two lines")
}
