//go:build !windows

package cmd_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// asBrowser names the program that is in for a browser; without env it would
// take itself for parley.
const asBrowser = "BROWSER=env -u " + cmdtest.AsParley + " visitor"

type person struct {
	*testing.T
	home   string
	server *cmdtest.Server
	env    []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{T: t, home: t.TempDir()}
	p.env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+p.home, "TERM=xterm-256color", "BROWSER=", "DISPLAY=", "WAYLAND_DISPLAY=", "PARLEY_TOKEN=",
		"PARLEY_DATA_DIR=", "PARLEY_STATE_DIR="+p.home, "PARLEY_CONFIG_DIR=")
	run := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", filepath.Join(p.home, "data"))
	run.Env = p.env
	s := assert.Value(cmdtest.StartServer(run))(t)
	t.Cleanup(s.Kill)
	p.server = s
	p.env = append(p.env, "PARLEY_SERVER="+s.Address)
	return p
}

func (p *person) command(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = p.env
	return c
}

// TestDeviceOnATerminal: without a browser an address and a code are shown, until the code was entered.
func TestDeviceOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	_, screen := p.onTerminal(p.command("auth", "login", "--insecure-storage"))
	code := screen.until(`open +(http://\S+)\s+2\. enter +(?:\x1b\[1m)?([A-Z]{4}-[A-Z]{4})`)
	assert.NoError(t, cmdtest.SignInOnPage(code[1]+"?user_code="+code[2], "ann@example.com"))
	screen.until(`signed in to \S+ as ann@example.com`)
	assert.Contains(t, string(assert.Value(p.command("auth", "status", "--json=email").Output())(t)), "ann@example.com")
}

func TestBrowserOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.env = append(p.env, asBrowser, "VISITOR=ann@example.com")
	_, screen := p.onTerminal(p.command("auth", "login", "--insecure-storage"))
	screen.until(`your browser shows the sign-in(?s:.*)signed in to \S+ as ann@example.com`)
}

// TestCtrlCWhileSigningIn leaves at once, with 130, and nothing is kept.
func TestCtrlCWhileSigningIn(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	c := p.command("auth", "login", "--insecure-storage")
	terminal, screen := p.onTerminal(c)
	screen.until(`Ctrl-C cancels`)
	_, err := io.WriteString(terminal, "\x03")
	assert.NoError(t, err)
	screen.until(`interrupted`)
	_ = c.Wait()
	assert.Equal(t, c.ProcessState.ExitCode(), 130, "exit code")
	_, err = os.Stat(filepath.Join(p.home, "tokens.json"))
	assert.True(t, err != nil, "something was kept")
}

type shown struct {
	*testing.T
	chunks chan []byte
	text   []byte
}

func (p *person) onTerminal(c *exec.Cmd) (*os.File, *shown) {
	p.Helper()
	terminal := assert.Value(pty.Start(c))(p)
	s := &shown{T: p.T, chunks: make(chan []byte, 1000)}
	go func() {
		defer close(s.chunks)
		for {
			chunk := make([]byte, 1024)
			n, err := terminal.Read(chunk)
			s.chunks <- chunk[:n]
			if err != nil {
				return
			}
		}
	}()
	p.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait(); _ = terminal.Close() })
	return terminal, s
}

// until waits for something to be shown.
func (s *shown) until(want string) []string {
	s.Helper()
	pattern := regexp.MustCompile(want)
	for limit := time.After(cmdtest.Timeout); ; {
		if words := pattern.FindStringSubmatch(string(s.text)); words != nil {
			return words
		}
		select {
		case chunk, more := <-s.chunks:
			s.text = append(s.text, chunk...)
			if !more {
				s.Fatalf("the terminal never shows %s:\n%s", want, s.text)
			}
		case <-limit:
			s.Fatalf("the terminal does not show %s in time:\n%s", want, s.text)
		}
	}
}
