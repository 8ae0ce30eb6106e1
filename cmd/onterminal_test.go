//go:build !windows

package cmd_test

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs a command on a terminal of its own until it ends, and gives what is
// shown there. Replies are pairs: how what is shown ends when something is typed, ""
// for anything, and what is typed.
func onTerminal(t *testing.T, p *exec.Cmd, rows, columns uint16, replies ...string) string {
	t.Helper()
	terminal, err := pty.StartWithSize(p, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var shown strings.Builder
	reader := bufio.NewReader(terminal)
	for {
		b, err := reader.ReadByte()
		if err != nil { // A pty ends with EIO, not EOF.
			break
		}
		shown.WriteByte(b)
		if len(replies) > 1 && strings.HasSuffix(shown.String(), replies[0]) {
			if _, err := io.WriteString(terminal, replies[1]); err != nil {
				t.Fatal(err)
			}
			replies = replies[2:]
		}
	}
	_ = p.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}
