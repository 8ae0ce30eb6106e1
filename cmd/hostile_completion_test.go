//go:build !windows

package cmd_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

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
	"parley persona graph --output f", "parley persona graph keys.yaml --machine ", "parley persona graph keys.yaml --machine d",
	"parley session rename w", "parley say --session w",
}

const strangersKeys = `name: Keys
description: Keys.
persona_identity_prompt: You have keys.
machines:
  - {machine_key: "door;touch ran40;a", name: "$(touch ran41)", scoring_mode: pass_fail, states: []}
  - {machine_key: "door;touch ran40;b", name: "$(touch ran41)", scoring_mode: pass_fail, states: []}
`

// TestCompletedWordsAreNeverRun completes strangers' words in a real bash: nothing of them is run.
func TestCompletedWordsAreNeverRun(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("not installed: %v", err)
	}
	terminal, screen, home := startShell(t, program, []string{"--norc", "--noprofile", "-i"}, strangersNames...)
	for name, text := range map[string]string{
		"f;touch ran30;a.yaml": "", "f;touch ran30;b.yaml": "", "f$(touch ran31)": "", "-rf.yaml": "", "-rg.yaml": "", "keys.yaml": strangersKeys,
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
	for limit := time.Now().Add(cmdtest.Patience); time.Now().Before(limit); typed(s.t, s.terminal, "\x03") {
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

// listRan lists the files that only a command in a name can have made.
func listRan(t *testing.T, home string) []string {
	t.Helper()
	left := assert.Value(filepath.Glob(filepath.Join(home, "ran*")))(t)
	deep := assert.Value(filepath.Glob(filepath.Join(home, "*", "ran*")))(t)
	return append(left, deep...)
}
