//go:build !windows

package cmd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestShellsComplete types half a line and a tab into each real shell. No shell runs a persona's name.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	const bashCompletion = "/usr/share/bash-completion/bash_completion"
	shells := []struct {
		name   string // of the program, and after a space what is special
		flags  []string
		source string
		ready  string // typed first, and awaited
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, "eval \"$(parley completion bash)\"; bind 'set bell-style none'", "PS1='ready> '"},
		{"bash " + bashCompletion, []string{"--norc", "--noprofile", "-i"}, ". " + bashCompletion + "; eval \"$(parley completion bash)\"; bind 'set bell-style none'", "PS1='ready> '"},
		{"zsh", []string{"-f", "-i"}, "autoload -Uz compinit; compinit -u -D; source <(parley completion zsh)", "PS1='ready> '"},
		{"fish", []string{"--no-config", "-i"}, "parley completion fish | source", "function fish_prompt; printf 'ready> '; end"},
	}
	for _, shell := range shells {
		t.Run(shell.name, func(t *testing.T) {
			name, library, _ := strings.Cut(shell.name, " ")
			program, err := exec.LookPath(name)
			if err == nil && library != "" {
				_, err = os.Stat(library)
			}
			if err != nil {
				t.Skipf("not installed: %v", err)
			}
			terminal, screen, home := startShell(t, program, shell.flags, "Biscuit", "Mr. Verrall", "Wren $(touch ran)")
			for _, line := range []string{shell.ready, shell.source} {
				typed(t, terminal, line+"\r")
				cmdtest.WaitForText(t, screen, "ready> ")
			}
			typed(t, terminal, "clear\r")
			for _, c := range []struct{ typed, shows string }{
				{"parley persona lin\t", "ready> parley persona lint "},
				{"parley persona lint --expl\t", "ready> parley persona lint --explain "},
				{"parley persona lint --format=sa\t", "ready> parley persona lint --format=sarif"},
				{"parley persona lint hot\t", "ready> parley persona lint hotel.yaml"},
				{"parley persona lint fol\tone\t", "ready> parley persona lint folder/one\\ two.yml"},
				{"parley persona show Mr\t", "ready> parley persona show Mr.\\ Verrall"},
				{"parley persona show Wre\t\t", `ready> parley persona show Wren\ \$\(touch\ ran\)`},
				{"parley say Bis\t", "ready> parley say Biscuit"},
			} {
				typed(t, terminal, c.typed)
				pressTabUntil(t, terminal, screen, c.shows)
				typed(t, terminal, "\x05\x15") // to the end, and away with the line
				typed(t, terminal, "clear\r")
			}
			typed(t, terminal, "parley say Biscuit Hello\r")
			cmdtest.WaitForText(t, screen, "page 212")
			_, err = os.Stat(filepath.Join(home, "ran"))
			assert.True(t, err != nil, "the name of a persona was run as a command")
		})
	}
}

// pressTabUntil presses Tab again while a completion is missing, because it gives up on a slow service.
func pressTabUntil(t *testing.T, terminal io.Writer, screen vt10x.Terminal, shows string) {
	t.Helper()
	again := time.NewTicker(3 * time.Second)
	defer again.Stop()
	for limit := time.Now().Add(cmdtest.Patience); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(screen.String(), shows) {
			return
		}
		select {
		case <-again.C:
			typed(t, terminal, "\t")
		default:
		}
	}
	cmdtest.WaitForText(t, screen, shows)
}

func typed(t *testing.T, terminal io.Writer, keys string) {
	t.Helper()
	assert.Value(io.WriteString(terminal, keys))(t)
}

// startWithPersonas starts a server on which personas with these names are published.
func startWithPersonas(t *testing.T, home string, names []string) (address string) {
	t.Helper()
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	folder := t.TempDir()
	env := append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_DATA_DIR="+filepath.Join(home, ".data"), "PARLEY_STATE_DIR="+filepath.Join(home, ".state"))
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0")
	p.Env = env
	s := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(s.Kill)
	var files []string
	for i, name := range names {
		quoted := assert.Value(json.Marshal(name))(t)
		files = append(files, fmt.Sprintf("%d.yaml", i))
		writeFile(t, filepath.Join(folder, files[i]), strings.Replace(string(starter), "name: Biscuit", "name: "+string(quoted), 1), 0o600)
	}
	save := exec.Command(os.Args[0], append([]string{"--server", s.Address, "persona", "save", "--publish"}, files...)...)
	save.Dir, save.Env = folder, env
	out, err := save.CombinedOutput()
	assert.NoError(t, err, "%v\n%s", err, out)
	return s.Address
}

// startShell starts a shell with this parley, in a folder with files, where personas with these names are public.
func startShell(t *testing.T, program string, flags []string, names ...string) (terminal *os.File, screen vt10x.Terminal, home string) {
	t.Helper()
	home = t.TempDir()
	bin := t.TempDir()
	for name, text := range map[string]string{
		"hotel.yaml": "", "hotel.txt": "", "folder/one two.yml": "",
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		assert.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		assert.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	assert.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "parley")))
	p := exec.Command(program, flags...)
	p.Dir = home
	address := startWithPersonas(t, home, names)
	p.Env = []string{
		"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8", cmdtest.AsParley + "=1", "PARLEY_SERVER=" + address, "PARLEY_PLAYER_NAME=Mara",
		"GORACE=" + os.Getenv("GORACE"),
	}
	terminal = assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 30, Cols: 120}))(t)
	screen = vt10x.New(vt10x.WithSize(120, 30), vt10x.WithWriter(terminal))
	ended := make(chan []byte, 1)
	go cmdtest.FollowScreen(terminal, screen, ended)
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
		_ = terminal.Close()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
		}
	})
	return terminal, screen, home
}
