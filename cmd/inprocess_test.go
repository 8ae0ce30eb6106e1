package cmd

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// ended is how a command line that ran in this process ended.
type ended struct {
	code      int
	out, talk string
}

// locked is a buffer that several goroutines write.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// play runs a command line in this process, without a terminal, in surroundings
// of its own: nothing of the machine's is seen but the working folder.
func play(ctx context.Context, t *testing.T, env map[string]string, args ...string) ended {
	t.Helper()
	a, out, talk := appIn(t, env)
	code := Run(ctx, a, args)
	return ended{code, out.String(), talk.String()}
}

// appIn is an app in surroundings of its own, with what it prints and says.
func appIn(t *testing.T, env map[string]string) (a *service.Access, out, talk *locked) {
	t.Helper()
	home := t.TempDir()
	surroundings := map[string]string{"HOME": home, "PARLEY_CONFIG_DIR": filepath.Join(home, "c"), "PARLEY_DATA_DIR": filepath.Join(home, "d"), "PARLEY_STATE_DIR": filepath.Join(home, "s")}
	maps.Copy(surroundings, env)
	out, talk = &locked{}, &locked{}
	a = &service.Access{Environment: &service.Environment{Streams: &cli.Streams{In: strings.NewReader(""), Out: &cli.CheckedWriter{Writer: out}, Err: talk, Now: time.Now, Lookup: func(name string) (string, bool) { v, ok := surroundings[name]; return v, ok }}}, NewID: service.NewID}
	a.Style = a.NewStyle()
	return a, out, talk
}

// commands are all commands of the tree that do something, by their path.
func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	root := newRootCmd(&service.Access{Environment: &service.Environment{Streams: &cli.Streams{Lookup: os.LookupEnv, Out: &cli.CheckedWriter{Writer: &locked{}}, Err: &locked{}}}})
	found := map[string]*cobra.Command{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		// A group's own run only shows its help; topics have none.
		if c.Runnable() && c.HasParent() && (!c.HasSubCommands() || c.LocalNonPersistentFlags().HasAvailableFlags()) {
			found[strings.TrimPrefix(c.CommandPath(), "parley ")] = c
		}
	}
	walk(root)
	delete(found, "help")
	if len(found) < 20 {
		t.Fatalf("only %d commands are found: the walk is broken", len(found))
	}
	return found
}
