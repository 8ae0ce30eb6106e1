//go:build !windows

package cmd_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestNoQuestionToTheTerminal: on a terminal that answers nothing, a command
// that needs no screen asks it nothing. Without cmd/early bubbletea's init would
// ask for the background colour and wait five seconds for the answer.
func TestNoQuestionToTheTerminal(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"--help"}, {"persona", "schema"}} {
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), asParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
		terminal, err := pty.Start(p)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(terminal) // A pty ends with EIO, not EOF.
		if err := p.Wait(); err != nil {
			t.Errorf("parley %v: %v", args, err)
		}
		_ = terminal.Close()
		if i := bytes.IndexByte(out, 0x1b); i >= 0 {
			t.Errorf("parley %v asks the terminal: %q", args, out[i:min(i+20, len(out))])
		}
		if len(strings.TrimSpace(string(out))) == 0 {
			t.Errorf("parley %v prints nothing", args)
		}
	}
}
