// Package cmdtest supports the tests of commands. It isolates them from the machine's environment
// and captures what a command prints. Only tests import it, and it imports no command package.
package cmdtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// A Buffer collects the output of a command. It is safe for concurrent use.
type Buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Await waits until text has been written the given number of times.
func (b *Buffer) Await(t *testing.T, text string, times int) {
	t.Helper()
	for limit := time.Now().Add(Patience); strings.Count(b.String(), text) < times; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%q was not said %d times:\n%s", text, times, b)
		}
	}
}

// Patience is the timeout for a process. It is far longer than a process takes even on a busy
// machine.
const Patience = time.Minute

// NewAccess returns an Access without a terminal, with temporary directories and an isolated
// environment, and the buffers of its stdout and stderr.
func NewAccess(t *testing.T, env map[string]string) (a *service.Access, out, talk *Buffer) {
	t.Helper()
	home := t.TempDir()
	surroundings := map[string]string{"HOME": home, "PARLEY_CONFIG_DIR": filepath.Join(home, "c"), "PARLEY_DATA_DIR": filepath.Join(home, "d"), "PARLEY_STATE_DIR": filepath.Join(home, "s")}
	maps.Copy(surroundings, env)
	out, talk = &Buffer{}, &Buffer{}
	s := &cli.Streams{
		In: strings.NewReader(""), Out: &cli.CheckedWriter{Writer: out}, Err: talk, Now: time.Now,
		Lookup: func(name string) (string, bool) { v, ok := surroundings[name]; return v, ok },
	}
	s.Style = s.NewStyle()
	return &service.Access{Environment: &service.Environment{Streams: s}, NewID: service.NewID}, out, talk
}

// Run builds a command tree with the given commands, runs one command line, and returns the exit
// code.
func Run(ctx context.Context, a *service.Access, args []string, commands ...*cobra.Command) int {
	root := &cobra.Command{Use: "parley", SilenceUsage: true, SilenceErrors: true}
	service.AddGlobalFlags(root, a)
	root.AddCommand(commands...)
	return service.Execute(ctx, a, root, args)
}

// RefuseWith returns a handler that responds to every request with a status and a Retry-After of
// one hour.
func RefuseWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error": {"code": "refused", "message": "this server refuses"}}`)
	}
}
