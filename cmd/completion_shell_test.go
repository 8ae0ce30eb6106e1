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
		{"bash " + bashCompletion, []string{"--norc", "--noprofile", "-i"}, ". " + bashCompletion +
			"; eval \"$(parley completion bash)\"; bind 'set bell-style none'", "PS1='ready> '"},
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
	for limit := time.Now().Add(cmdtest.Timeout); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
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

func startWithPersonas(t *testing.T, home string, names []string) (address string) {
	t.Helper()
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	folder := t.TempDir()
	env := append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_DATA_DIR="+filepath.Join(home, ".data"),
		"PARLEY_STATE_DIR="+filepath.Join(home, ".state"))
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
	cmdtest.MustRun(t, save)
	return s.Address
}

// startShell starts a shell with this parley, in a folder with files, where personas with these names are public.
func startShell(t *testing.T, program string, flags []string, names ...string) (terminal *os.File, screen vt10x.Terminal, home string) {
	t.Helper()
	home = t.TempDir()
	bin := t.TempDir()
	for name, text := range map[string]string{
		"hotel.yaml": "", "notes.txt": "", "folder/one two.yml": "",
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
		"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8",
		cmdtest.AsParley + "=1", "PARLEY_SERVER=" + address, "PARLEY_PLAYER_NAME=Mara",
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

// strangersNames are names of public personas, several with the same beginning. Each is a command
// if a shell gets it unquoted.
var strangersNames = []string{
	"za;touch ran1;a", "za;touch ran1;b",
	"$(touch ran2)a", "$(touch ran2)b",
	"`touch ran3`a", "`touch ran3`b",
	"|touch ran4;a", "|touch ran4;b",
	"hk;touch ran5;a", "hK;touch ran5;b", // alike where bash heeds no case
	"i a&touch ran6;", "i b&touch ran6;",
	"j;touch ran7", "j|touch ran7", "j touch",
	"l!touch ran8;a", "l!touch ran8;b",
	"-m;touch ran9;a", "-m;touch ran9;b",
	"n\ttouch ran10;a", "n\ttouch ran10;b", "n\n;touch ran10;c", "n\n;touch ran10;d",
	"o'a;touch ran11;'", "o'b;touch ran11;'", "p\\;touch ran12;a", "p\\;touch ran12;b",
	"q>ran13 a", "q>ran13 b", "_activeHelp_ $(touch ran14)", "~;touch ran15;a", "~;touch ran15;b",
	"ra:b;touch ran16;c", "ra:b;touch ran16;d", "sa=b;touch ran17;c", "sa=b;touch ran17;d",
	"ü;touch ran18;a", "ü;touch ran18;b",
}

// begunWords are the lines typed before the key, and a name in the directory of the shell.
var begunWords = []string{
	"parley say ", "parley say z", "parley say '$'", "parley say \\$", "parley say \\`", "parley say \\|", "parley say h", "parley say i", "parley say i\\ ",
	"parley say j", "parley say l", "parley say n", "parley say o", "parley say p", "parley say q", "parley say _", "parley say \\~",
	"parley say ra:", "parley say r", "parley say sa=", "parley say s", "parley say ü",
	"parley persona lint f", "parley persona lint ", "parley persona lint deep/g", "parley localserver token --data deep/",
	"parley persona graph --output f",
	"parley session rename w", "parley say --session w",
}

// TestCompletedWordsAreNeverRun completes strangers' words in a real bash: nothing of them is run.
func TestCompletedWordsAreNeverRun(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("not installed: %v", err)
	}
	terminal, screen, home := startShell(t, program, []string{"--norc", "--noprofile", "-i"}, strangersNames...)
	for name, text := range map[string]string{
		"f;touch ran30;a.yaml": "", "f;touch ran30;b.yaml": "", "f$(touch ran31)": "", "-rf.yaml": "", "-rg.yaml": "",
		"deep/g;touch ran32;a.yaml": "", "deep/g;touch ran32;b.yaml": "", "deep/h`touch ran33`/a.yaml": "", "deep/h`touch ran33`b/a.yaml": "",
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		assert.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		writeFile(t, file, text, 0o600)
	}
	sh := &drivenShell{t: t, terminal: terminal, screen: screen}
	sh.enter("PS1='ready> '; HISTCONTROL=ignorespace; export PARLEY_PAGER=cat")
	sh.enter("touch nothing") // what !touch would run again
	sh.enter(`eval "$(parley completion bash)"; bind 'set bell-style none' 'set page-completions off' 'set completion-query-items -1'`)
	for _, name := range []string{"wa;touch ran50;a", "wa;touch ran50;b"} {
		sh.enter("parley say --new za\\;touch\\ ran1\\;a Hello")
		sh.enter(fmt.Sprintf("parley session rename za\\;touch\\ ran1\\;a '%s'", name))
	}
	for _, way := range []struct{ set, keys string }{
		{`'"\t": complete'`, "\t"},
		{`'"\t": complete'`, "\t\t\t"},
		{`'set show-all-if-ambiguous on' 'set completion-ignore-case on'`, "\t\t"},
		{`'"\t": menu-complete' 'set menu-complete-display-prefix on'`, "\t"},
		{`'"\t": insert-completions'`, "\t"},
	} {
		sh.enter("bind " + way.set)
		for _, begun := range begunWords {
			sh.enter(begun + way.keys)
		}
	}
	for _, left := range listRan(t, home) {
		t.Errorf("a name was run as a command, which made %s", left)
	}
}

// TestCommonWordsAreQuoted: the common beginning of names is inserted, quoted, and the key continues there.
func TestCommonWordsAreQuoted(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("not installed: %v", err)
	}
	terminal, screen, _ := startShell(t, program, []string{"--norc", "--noprofile", "-i"}, "za;touch ran1;a", "za;touch ran1;b", "i a", "i;b", "Biscuit")
	for _, line := range []string{"PS1='ready> '", `eval "$(parley completion bash)"; bind 'set bell-style none'`} {
		typed(t, terminal, line+"\r")
		cmdtest.WaitForText(t, screen, "ready> ")
	}
	typed(t, terminal, "clear\r")
	for _, c := range []struct{ typed, shows string }{
		{"parley say z\t", `ready> parley say za\;touch\ ran1\;`},
		{"parley say z\t\t\t", "za;touch ran1;a  za;touch ran1;b"},
		{"parley say z\tb\t", `ready> parley say za\;touch\ ran1\;b `},
		{"parley say i\t\tX", `ready> parley say iX`},
		{"parley say i\\;\t", `ready> parley say i\;b `},
	} {
		typed(t, terminal, c.typed)
		pressTabUntil(t, terminal, screen, c.shows)
		typed(t, terminal, "\x05\x15")
		typed(t, terminal, "clear\r")
	}
}

// drivenShell is a shell to which lines are typed.
type drivenShell struct {
	t        *testing.T
	terminal io.Writer
	screen   vt10x.Terminal
	lines    int
}

// enter types a line and waits until the shell is ready, with Ctrl-C if it asks for more.
func (s *drivenShell) enter(line string) {
	s.t.Helper()
	s.lines++
	typed(s.t, s.terminal, line+"\r")
	for limit := time.Now().Add(cmdtest.Timeout); time.Now().Before(limit); typed(s.t, s.terminal, "\x03") {
		typed(s.t, s.terminal, fmt.Sprintf(" clear; echo done'%d.'\r", s.lines))
		for wait := time.Now().Add(2 * time.Second); time.Now().Before(wait); time.Sleep(2 * time.Millisecond) {
			if strings.Contains(s.screen.String(), fmt.Sprintf("done%d.", s.lines)) {
				return
			}
		}
		s.t.Logf("asks on after %q", line)
	}
	s.t.Fatalf("the shell is not ready again after %q:\n%s", line, s.screen.String())
}

func listRan(t *testing.T, home string) []string {
	t.Helper()
	left := assert.Value(filepath.Glob(filepath.Join(home, "ran*")))(t)
	deep := assert.Value(filepath.Glob(filepath.Join(home, "*", "ran*")))(t)
	return append(left, deep...)
}
