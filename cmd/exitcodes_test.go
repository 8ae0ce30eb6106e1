package cmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// exitRow is a command in the table of exit codes. Args is a command line that
// would do something; ID is a persona's id, FILE a persona file, DIR an empty
// folder. A command that talks to a server is tried with servers that are not
// there, refuse, limit and hang. The other fields are command lines of commands
// that end with that code without a server.
type exitRow struct {
	command, args string
	talks         bool
	done          string // 0
	no            string // 1
	trouble       string // 3
}

// exitRows has a row for every command: a new one needs one here.
var exitRows = []exitRow{
	{command: "chat", args: "chat ID --plain", talks: true, trouble: "chat none.yaml --plain"},
	{command: "say", args: "say ID hello", talks: true},
	{command: "progress show", args: "progress show ID --session mine", talks: true},
	{command: "progress reset", args: "progress reset ID --yes --session mine", talks: true},
	{command: "progress migrate", args: "progress migrate --session 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11", talks: true},
	{command: "persona list", args: "persona list", talks: true},
	{command: "persona show", args: "persona show ID", talks: true},
	{command: "persona save", args: "persona save FILE", talks: true, trouble: "persona save none.yaml"},
	{command: "persona publish", args: "persona publish ID", talks: true},
	{command: "persona delete", args: "persona delete ID --yes", talks: true},
	{command: "persona pull", args: "persona pull ID DIR/pulled.yaml", talks: true},
	{command: "persona diff", args: "persona diff --id ID FILE", talks: true, done: "persona diff FILE FILE"},
	{command: "persona new", args: "persona new DIR/new.yaml", done: "persona new DIR/new.yaml"},
	{command: "persona polish", args: "persona polish FILE --field name", trouble: "persona polish none.yaml --field name --llm ollama/x"},
	{command: "persona fmt", args: "persona fmt --check FILE", done: "persona fmt --check FILE", no: "persona fmt --check UGLY", trouble: "persona fmt none.yaml"},
	{command: "persona lint", args: "persona lint FILE", done: "persona lint FILE", no: "persona lint BAD", trouble: "persona lint none.yaml"},
	{command: "persona prove", args: "persona prove FILE", done: "persona prove FILE", no: "persona prove BAD", trouble: "persona prove none.yaml"},
	{command: "persona replay", args: "persona replay FILE --sessions none", trouble: "persona replay none.yaml --sessions none"},
	{command: "persona simulate", args: "persona simulate FILE", done: "persona simulate -n 10 FILE",
		no: "persona simulate BAD", trouble: "persona simulate none.yaml"},
	{command: "persona test", args: "persona test FILE", trouble: "persona test none.play.yaml"},
	{command: "persona import", args: "persona import FILE", no: "persona import FILE", trouble: "persona import none.png"},
	{command: "persona export", args: "persona export FILE", done: "persona export FILE", no: "persona export BAD", trouble: "persona export none.yaml"},
	{command: "persona graph", args: "persona graph FILE", done: "persona graph FILE", no: "persona graph BAD", trouble: "persona graph none.yaml"},
	{command: "persona schema", args: "persona schema", done: "persona schema"},
	{command: "key create", args: "key create game", talks: true},
	{command: "key list", args: "key list", talks: true},
	{command: "key revoke", args: "key revoke game --yes", talks: true},
	{command: "session list", args: "session list", done: "session list"},
	{command: "session history", args: "session history ID --session mine", talks: true},
	{command: "session export", args: "session export ID --session mine --output DIR/out.md", talks: true},
	{command: "session replay", args: "session replay ID --session mine --against FILE", talks: true},
	{command: "session fork", args: "session fork ID --session mine --at 0", talks: true},
	{command: "session undo", args: "session undo ID --session mine", talks: true},
	{command: "session branches", args: "session branches ID --session mine", talks: true},
	{command: "session compare", args: "session compare ID --session mine", talks: true},
	{command: "session reset", args: "session reset ID --session mine --yes", talks: true},
	{command: "session rename", args: "session rename ID yours", no: "session rename ID yours"},
	{command: "session delete", args: "session delete ID --session mine --yes", talks: true},
	{command: "auth login", args: "auth login --device --insecure-storage", talks: true},
	{command: "auth status", args: "auth status"},
	{command: "auth token", args: "auth token"},
	{command: "auth logout", args: "auth logout", done: "auth logout"},
	{command: "api", args: "api personas", talks: true, done: "api --list"},
	{command: "doctor", args: "doctor", no: "doctor"},
	{command: "localserver exec", args: "localserver exec --keep", trouble: "localserver exec --seed none.yaml -- true"},
	{command: "localserver snapshot", args: "localserver snapshot DIR/a --data DIR", trouble: "localserver snapshot DIR/a --data DIR/none"},
	{command: "localserver restore", args: "localserver restore FILE --data DIR/new", trouble: "localserver restore FILE --data DIR/new"},
	{command: "localserver", args: "localserver --listen 127.0.0.1:0 --data :memory:", trouble: "localserver --listen 127.0.0.1:0 --data FILE"},
	{command: "localserver models", args: "localserver models", done: "localserver models"},
	{command: "localserver token", args: "localserver token --user a@example.com", done: "localserver token --user a@example.com --data DIR"},
	{command: "config list", args: "config list", done: "config list"},
	{command: "config get", args: "config get server", done: "config get server", no: "config get player_name"},
	{command: "config set", args: "config set timeout 3s", done: "config set timeout 3s"},
	{command: "config unset", args: "config unset timeout", done: "config unset timeout"},
	{command: "profile add", args: "profile add work --server http://a", done: "profile add work --server http://a"},
	{command: "profile use", args: "profile use local", done: "profile use local"},
	{command: "profile list", args: "profile list", done: "profile list"},
	{command: "profile remove", args: "profile remove work"},
	{command: "version", args: "version", done: "version"},
}

// silent are cobra's own commands, with cobra's own answers.
var silent = []string{"completion"}

// TestExitCodes checks every command of the tree against the table of `parley help exit-codes`.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	all := commands(t)
	for _, row := range exitRows {
		assert.True(t, all[row.command] != nil, "the table has %q, which is no command", row.command)
		delete(all, row.command)
		t.Run(row.command, func(t *testing.T) {
			t.Parallel()
			row.Check(t)
		})
	}
	for path := range all {
		assert.True(t, slices.Contains(silent, strings.Fields(path)[0]), "%q has no row in exitRows", path)
	}
}

func (row exitRow) Check(t *testing.T) {
	ctx := t.Context()
	row.expect(ctx, t, cli.ExitUsage, nil, row.args+" --no-such-flag")
	for code, args := range map[int]string{cli.ExitDone: row.done, cli.ExitNo: row.no, cli.ExitTrouble: row.trouble} {
		if args != "" {
			row.expect(ctx, t, code, nil, args)
		}
	}
	if !row.talks {
		return
	}
	row.expect(ctx, t, cli.ExitTrouble, at(cmdtest.Nowhere), row.args)
	row.expect(ctx, t, cli.ExitUsage, at("ftp://nowhere"), row.args)
	for status, code := range map[int]int{403: cli.ExitNo, 401: cli.ExitSignIn, 429: cli.ExitRateLimited} {
		s := httptest.NewServer(cmdtest.RefuseWith(status))
		row.expect(ctx, t, code, at(s.URL), row.args)
		s.Close()
	}
	row.checkNoServices(t)
	row.checkInterrupt(t)
}

// checkInterrupt interrupts the command while it waits for a server.
func (row exitRow) checkInterrupt(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		interrupt()
		<-over
	}))
	defer s.Close()
	defer close(over)
	row.expect(ctx, t, cli.ExitInterrupted, at(s.URL), row.args)
}

func at(address string) map[string]string { return map[string]string{"PARLEY_SERVER": address} }

func (row exitRow) expect(ctx context.Context, t *testing.T, code int, env map[string]string, args string) {
	t.Helper()
	if env == nil { // Never the default address, where a server of the user's may run.
		env = at(cmdtest.Nowhere)
	}
	got := runHere(ctx, t, env, places(t, args)...)
	assert.Equal(t, got.code, code, "parley %s (%v): exit code %s %s", args, env, got.out, got.talk)
	if got.code != cli.ExitDone && got.code != cli.ExitNo && got.talk == "" {
		t.Errorf("parley %s (%v): exit code %d, and not a word why", args, env, got.code)
	}
}

func places(t *testing.T, args string) []string {
	t.Helper()
	dir := t.TempDir()
	source := assert.Value(examples.Read("starter"))(t)
	files := map[string][]byte{
		"FILE": source, "BAD": []byte("name: 1\npersona_identity_prompt: x\nmachines: []\n"), "UGLY": append([]byte("\n\n\n"), source...),
	}
	words := strings.Fields(args)
	for i, word := range words {
		if content, ok := files[word]; ok {
			words[i] = filepath.Join(dir, strings.ToLower(word)+".yaml")
			assert.NoError(t, os.WriteFile(words[i], content, 0o600))
		}
		words[i] = strings.Replace(words[i], "DIR", filepath.ToSlash(dir), 1)
		if word == "ID" {
			words[i] = "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"
		}
	}
	return words
}

func TestExitCodesHelp(t *testing.T) {
	t.Parallel()
	var listed []string
	for line := range strings.Lines(exitCodesText) {
		if code, _, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			listed = append(listed, code)
		}
	}
	want := []string{}
	for _, code := range []int{cli.ExitDone, cli.ExitNo, cli.ExitUsage, cli.ExitTrouble, cli.ExitSignIn, cli.ExitRateLimited, cli.ExitInterrupted} {
		want = append(want, fmt.Sprint(code))
	}
	assert.EqualSlices(t, listed, want, "the help lists")
}
