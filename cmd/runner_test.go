//go:build !windows

package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// hostile is a text that a runner obeys where a line begins with it, and in parts anywhere.
const hostile = "::error::x ##[error]y ##vso[task.setvariable]z"

// hostilePersona has it in every text that people are shown.
const hostilePersona = `name: "NAME"
description: "HOSTILE"
persona_identity_prompt: |
  You are a cat. TEXT
  ::error::x
  ##[error]y
  TEXT

  ::set-output name=a::b
variables: [{key: mood, value: "HOSTILE", description: "HOSTILE"}]
offline: {answers: [{ask: ["HOSTILE"], say: ["HOSTILE"]}]}
machines:
  - machine_key: m
    name: "HOSTILE"
    player_goal: "HOSTILE"
    scoring_mode: pass_fail
    states:
      - state_key: a
        label: "HOSTILE"
        is_initial_state: true
        prompt_instruction: "{{mood}} HOSTILE"
        offline:
          opening: ["HOSTILE"]
          examples: {pass: ["yes please"], redirect: ["no HOSTILE"]}
          lines: {pass: ["HOSTILE"], redirect: ["HOSTILE"], enter: ["HOSTILE"], unknown: ["HOSTILE"]}
      - {state_key: b, label: "HOSTILE", is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass, condition: "HOSTILE"}
      - {from_state_key: a, decision_type: redirect, condition: "HOSTILE"}
`

// runnerRows are command lines of every command, played in the order of the list with one server.
// Words are separated by spaces. The placeholders are a persona (ID, NAME), a second one (GONE),
// files (FILE, OTHER, UGLY, BAD, PLAY, CARD), an empty directory (DIR), the hostile text (HOSTILE)
// and an API key (KEY). "< " marks lines for stdin.
var runnerRows = []struct {
	command string
	lines   []string
}{
	{"persona lint", []string{"FILE BAD", "--format oneline .", "--format markdown .", "--format json .", "--format sarif .", "--format junit .", "--format gitlab .", "--fix --dry-run BAD", "--explain"}},
	{"persona fmt", []string{"--check .", "--diff UGLY", "--check --format github .", "--check --json ."}},
	{"persona prove", []string{"FILE", ".", "--witness FILE", "--json FILE", "--format markdown FILE", "--format github ."}},
	{"persona replay", []string{"FILE --sessions HOSTILE", "FILE --sessions . --fail-if HOSTILE", "FILE --sessions . --baseline HOSTILE"}},
	{"persona test", []string{"PLAY", ".", "--format markdown PLAY", "--mutate PLAY", "--json PLAY"}},
	{"persona simulate", []string{"-n 20 FILE", "-n 20 --json FILE"}},
	{"persona graph", []string{"FILE", "--format terminal FILE", "--format dot FILE", "--format svg FILE", "--output DIR/a.svg FILE"}},
	{"persona new", []string{"--name HOSTILE DIR/new.yaml", "--name HOSTILE"}},
	{"persona polish", []string{"FILE", "FILE --field nothing"}},
	{"persona import", []string{"CARD --output DIR/imported.yaml"}},
	{"persona export", []string{"FILE --format card-v3", "FILE --format card-v3 --output DIR/card.json"}},
	{"persona schema", []string{""}},
	{"persona save", []string{"--dry-run FILE", "--dry-run .", "FILE", "--json FILE", "--force .", "--dry-run OTHER", "--prune --dry-run ."}},
	{"persona publish", []string{"--dry-run FILE", "FILE", "NAME", "--json ID", "ID nobody"}},
	{"persona list", []string{"", "--mine", "--json", "--jq .[].name", "--jq .[]", "--template {{range.}}{{.name}}{{end}}", "--template {{range.}}{{tablerow.name}}{{end}}"}},
	{"persona show", []string{"ID", "NAME", "--json ID", "--jq .persona.name ID", "HOSTILE"}},
	{"persona diff", []string{"FILE", "OTHER FILE", "--format markdown OTHER FILE", "--json OTHER FILE", ".", "--against HOSTILE ."}},
	{"persona pull", []string{"ID DIR/pulled.yaml", "ID"}},
	{"key create", []string{"HOSTILE", "--json second-HOSTILE"}},
	{"key list", []string{"", "--json"}},
	{"key revoke", []string{"--yes HOSTILE"}},
	{"say", []string{"ID hello --session s --player-name HOSTILE", "ID HOSTILE --session s", "ID HOSTILE --session s --json", "ID HOSTILE --session s --stream", "ID yes_please --session s", "--machine HOSTILE ID hello", "ID hello"}},
	{"chat", []string{"ID --plain --new --machine m < ::error::x\n/state\n/search ::error\n/why\n/sessions\n/personas\n/help\n/quit\n", "FILE --plain --debug < no\n::error::y\nyes please\n/quit\n"}},
	{"session rename", []string{"ID HOSTILE", "nobody HOSTILE"}},
	{"session list", []string{"", "--json", "--all-players --persona ID", "--all-players --persona HOSTILE --since HOSTILE", "--all-players --persona ID --state HOSTILE --json"}},
	{"session history", []string{"ID --session s", "ID --session s --format markdown", "ID --session s --json"}},
	{"session export", []string{"ID --session s --format markdown --output -", "ID --session s --format html --output -", "ID --session s --format json --output -", "ID --session s --output DIR/HOSTILE.md", "ID --session s --anonymise --format json --output -"}},
	{"session replay", []string{"ID --session s --against FILE", "ID --session s --against FILE --json", "HOSTILE --against HOSTILE"}},
	{"session fork", []string{"ID --session s --at 0 --name HOSTILE", "ID --session s --at 0 --json"}},
	{"session undo", []string{"ID --session s --json", "HOSTILE"}},
	{"session branches", []string{"ID --session s", "ID --session s --json"}},
	{"session compare", []string{"ID --session s", "ID --session s HOSTILE", "ID --session s --json"}},
	{"session reset", []string{"ID --session s --yes --machine HOSTILE", "ID --session s --yes"}},
	{"session delete", []string{"ID --session t --yes"}},
	{"progress show", []string{"ID --session s", "ID --session s --json"}},
	{"progress reset", []string{"ID --session s --yes"}},
	{"progress migrate", []string{"--session s"}},
	{"api", []string{"personas", "--include personas", "personas/ID/full", "personas/HOSTILE", "--json personas", "--jq .[].name personas", "--list"}},
	{"auth login", []string{"--device --issuer HOSTILE"}},
	{"auth status", []string{"", "--json"}},
	{"auth token", []string{""}},
	{"auth logout", []string{""}},
	{"doctor", []string{"", "--json"}},
	{"config list", []string{"", "--json"}},
	{"config set", []string{"player_name HOSTILE", "nothing HOSTILE", "server HOSTILE"}},
	{"config get", []string{"player_name", "HOSTILE"}},
	{"config unset", []string{"player_name"}},
	{"profile add", []string{"work --server http://a --player-name HOSTILE", "HOSTILE --server http://a"}},
	{"profile list", []string{"", "--json"}},
	{"profile use", []string{"work", "HOSTILE", "local"}},
	{"profile remove", []string{"work", "HOSTILE"}},
	{"persona delete", []string{"--dry-run GONE", "--yes GONE", "--yes --json HOSTILE"}},
	{"localserver", []string{"--listen HOSTILE", "--data FILE"}},
	{"localserver exec", []string{"--seed FILE -- true", "--seed BAD -- true", "-- HOSTILE"}},
	{"localserver snapshot", []string{"DIR/HOSTILE --data DIR"}},
	{"localserver restore", []string{"FILE --data DIR/new"}},
	{"localserver models", []string{"", "--json"}},
	{"localserver token", []string{"--user HOSTILE --data DIR"}},
	{"version", []string{"", "--json"}},
	{"completion", []string{"fish", "HOSTILE"}},
}

// runnerWorld is a server and files that hold only hostile texts.
type runnerWorld struct {
	t      *testing.T
	folder string
	env    []string
	places *strings.Replacer
}

func newRunnerWorld(t *testing.T) *runnerWorld {
	t.Helper()
	w := &runnerWorld{t: t, folder: t.TempDir()}
	state := t.TempDir()
	s := cmdtest.StartLocalServer(t, state)
	w.env = []string{"HOME=" + state, "PARLEY_DATA_DIR=" + state, "PARLEY_CONFIG_DIR=" + state, "PARLEY_STATE_DIR=" + state, "PARLEY_SERVER=" + s.Address, "DBUS_SESSION_BUS_ADDRESS=none", "TZ=UTC"}
	write := func(name, text string) string {
		text = strings.NewReplacer("NAME", name, "HOSTILE", hostile).Replace(text)
		assert.NoError(t, os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600))
		return name
	}
	changed := strings.ReplaceAll(hostilePersona, "TEXT", "changed")
	file, other := write("::error::cat.yaml", strings.ReplaceAll(hostilePersona, "TEXT", "as it is")), write("##[error]other.yaml", changed)
	ugly := write("::warning::ugly.yaml", "\n\n\n"+changed)
	bad := write("##vso[bad.yaml", "name: \"HOSTILE\"\npersona_identity_prompt: \"HOSTILE\nmachines: HOSTILE\n")
	play := write("::error::cat.play.yaml", "persona: \"::error::cat.yaml\"\nplays:\n  - name: \"HOSTILE\"\n    steps:\n      - say: \"HOSTILE\"\n        expect: {decision: pass}\n")
	card := write("::error::card.json", `{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "HOSTILE", "description": "HOSTILE", "personality": "HOSTILE", "scenario": "HOSTILE", "first_mes": "HOSTILE {{char}}", "mes_example": "HOSTILE", "creator_notes": "HOSTILE", "tags": ["HOSTILE"]}}`)
	gone := write("::error::gone.yaml", changed)
	w.env = append(w.env, "PARLEY_TOKEN="+w.run("localserver", "token", "--user", "a@example.com", "--data", state))
	id := w.run("persona", "save", "--publish", file)
	goneID := w.run("persona", "save", "--new", gone)
	w.run("say", id, "no", "--session", "t")
	w.places = strings.NewReplacer("ID", id, "NAME", file, "GONE", goneID, "FILE", file, "OTHER", other, "UGLY", ugly, "BAD", bad, "PLAY", play, "CARD", card, "DIR", t.TempDir(), "HOSTILE", hostile)
	return w
}

// run runs a command that has to succeed, and returns its stdout.
func (w *runnerWorld) run(args ...string) string {
	w.t.Helper()
	p := cmdtest.BareCommand(w.folder, w.env, args...)
	var talk bytes.Buffer
	p.Stderr = &talk
	out, err := p.Output()
	if err != nil {
		w.t.Fatalf("parley %q: %v: %s", args, err, &talk)
	}
	return strings.TrimSpace(string(out))
}

// check runs a command line and looks for runner commands on stdout and stderr.
func (w *runnerWorld) check(command, line string) {
	w.t.Helper()
	line, stdin, _ := strings.Cut(line, " < ")
	args := strings.Fields(command)
	for _, word := range strings.Fields(line) {
		args = append(args, w.places.Replace(strings.ReplaceAll(word, "yes_please", "yes please")))
	}
	p := cmdtest.BareCommand(w.folder, w.env, args...)
	var out, talk bytes.Buffer
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(stdin), &out, &talk
	_ = p.Run() // Many of these fail.
	if bytes.Contains(talk.Bytes(), []byte("panic: ")) {
		w.t.Errorf("parley %q: %s", args, &talk)
	}
	for name, said := range map[string]string{"stdout": out.String(), "stderr": talk.String()} {
		if strings.Contains(line, "--format github") {
			said = withoutAnnotations(said)
		}
		assert.Equal(w.t, obeyed.FindString(said), "", "parley %q %s %s", args, name, said)
	}
	if strings.Contains(line, "json") && out.Len() > 0 && out.String()[0] != '<' && !json.Valid(out.Bytes()) {
		w.t.Errorf("parley %q: no JSON:\n%s", args, &out)
	}
}

// withoutAnnotations takes out what --format github writes for the runner.
func withoutAnnotations(said string) string {
	var kept strings.Builder
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, "::error file=") && !strings.HasPrefix(line, "::group::") && !strings.HasPrefix(line, "::endgroup::") && !strings.HasPrefix(line, "::warning file=") && !strings.HasPrefix(line, "::notice ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestNoCommandSpeaksToRunners: no content makes a command write a command for a pipeline's runner.
func TestNoCommandSpeaksToRunners(t *testing.T) {
	t.Parallel()
	all := commands(t)
	w := newRunnerWorld(t)
	for _, row := range runnerRows {
		assert.True(t, all[row.command] != nil, "the table has %q, which is no command", row.command)
		delete(all, row.command)
		for _, line := range row.lines {
			w.check(row.command, line)
		}
	}
	for path := range all {
		t.Errorf("%q has no row in runnerRows", path)
	}
}

// TestJSONKeepsHostileTexts: JSON output decodes to the exact texts, however they are escaped.
func TestJSONKeepsHostileTexts(t *testing.T) {
	t.Parallel()
	w := newRunnerWorld(t)
	for line, member := range map[string]string{
		"persona list --json=description": `"description"`, "api personas": `"description"`, "session export ID --session t --format json --output -": `"persona_description"`, "persona show --json=persona ID": `"description"`,
	} {
		var args []string
		for word := range strings.FieldsSeq(line) {
			args = append(args, w.places.Replace(word))
		}
		out := w.run(args...)
		var value any
		assert.NoError(t, json.Unmarshal([]byte(out), &value), "%s %s", line, out)
		assert.Contains(t, string(assert.Value(json.Marshal(value))(t, line)), member+`:"`+hostile+`"`, line)
	}
}
