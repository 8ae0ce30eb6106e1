package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fenced gives what stands between ```kind and ``` in the README, in order.
func fenced(t *testing.T, kind string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(readme(t), -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("the README has no %s block", kind)
	}
	return blocks
}

// TestReadmePersona: the persona in the README is the starter, to the letter.
func TestReadmePersona(t *testing.T) {
	starter, err := os.ReadFile("../personas/examples/starter.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(fenced(t, "yaml"), string(starter)) {
		t.Error("the README shows another starter than personas/examples/starter.yaml")
	}
}

// TestReadmeTranscript plays the README's first transcript again. Which of the
// character's lines comes depends on the session, so a reply is compared by who
// speaks; the lines about state and ending are compared whole.
func TestReadmeTranscript(t *testing.T) {
	command, shown, _ := strings.Cut(fenced(t, "console")[0], "\n")
	m := regexp.MustCompile(`^\$ printf '(.*)' \| go run ./cmd/parley (.*)$`).FindStringSubmatch(command)
	if m == nil {
		t.Fatalf("the README's first transcript begins with another command: %s", command)
	}
	p := exec.Command(os.Args[0], strings.Fields(m[2])...)
	p.Env = append(os.Environ(), asParley+"=1")
	p.Stdin = strings.NewReader(strings.ReplaceAll(m[1], `\n`, "\n"))
	got, err := p.Output()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := outline(string(got)), outline(shown); a != b {
		t.Errorf("the play is now\n%s\nthe README shows\n%s", got, shown)
	}
}

func outline(play string) string {
	return regexp.MustCompile(`(?m)^(\w+): .*$`).ReplaceAllString(strings.TrimSpace(play), "$1:")
}

// TestReadmeLint makes the mistake that the README shows and compares the report.
func TestReadmeLint(t *testing.T) {
	command, shown, _ := strings.Cut(fenced(t, "console")[1], "\n")
	if command != "$ parley persona lint my-cat.yaml" {
		t.Fatalf("the README's second transcript begins with another command: %s", command)
	}
	file := filepath.Join(t.TempDir(), "my-cat.yaml")
	starter, err := os.ReadFile("../personas/examples/starter.yaml")
	if err != nil {
		t.Fatal(err)
	}
	wrong := regexp.MustCompile(`(?s)pass: \[(Beautiful cat).*?\]`).ReplaceAllString(string(starter), "pass: $1")
	if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	p := exec.Command(os.Args[0], "persona", "lint", "my-cat.yaml")
	p.Dir = filepath.Dir(file)
	p.Env = append(os.Environ(), asParley+"=1")
	got, err := p.Output()
	if err == nil || strings.TrimSpace(string(got)) != strings.TrimSpace(shown) {
		t.Errorf("lint says (%v)\n%s\nthe README shows\n%s", err, got, shown)
	}
}

// TestReadmeDiff makes the change that the README shows and compares what is told
// of it, but for the head, which names a server.
func TestReadmeDiff(t *testing.T) {
	blocks := fenced(t, "console")
	at := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "$ parley persona diff my-cat.yaml\n") })
	if at < 0 {
		t.Fatal("the README shows no diff")
	}
	_, shown, _ := strings.Cut(blocks[at], "+++ my-cat.yaml\n")
	starter, err := os.ReadFile("../personas/examples/starter.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("max_redirects: 4", "max_redirects: 2", "      - {from_state_key: on-the-book, decision_type: kick_out}\n", "").Replace(string(starter))
	folder := t.TempDir()
	for name, text := range map[string]string{"old.yaml": string(starter), "my-cat.yaml": changed} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := exec.Command(os.Args[0], "persona", "diff", "old.yaml", "my-cat.yaml")
	p.Dir = folder
	p.Env = append(os.Environ(), asParley+"=1")
	out, err := p.Output()
	if _, got, _ := strings.Cut(string(out), "+++ my-cat.yaml\n"); err == nil || got != shown {
		t.Errorf("diff says (%v)\n%s\nthe README shows\n%s", err, got, shown)
	}
}

// TestReadmeCommands: every command that the README names exists.
func TestReadmeCommands(t *testing.T) {
	named := regexp.MustCompile(`(?m)^(?:\$ )?parley ((?:persona|progress|key|session) \w+|\w+)`).FindAllStringSubmatch(readme(t), -1)
	if len(named) < 6 {
		t.Fatalf("only %d commands were found in the README", len(named))
	}
	for _, m := range named {
		p := exec.Command(os.Args[0], append(strings.Fields(m[1]), "--help")...)
		p.Env = append(os.Environ(), asParley+"=1")
		if out, err := p.CombinedOutput(); err != nil {
			t.Errorf("parley %s --help: %v\n%s", m[1], err, out)
		}
	}
}

// TestReadmeNew begins the persona that the README begins and compares what is
// said.
func TestReadmeNew(t *testing.T) {
	for _, block := range fenced(t, "console") {
		command, shown, _ := strings.Cut(block, "\n")
		rest, ok := strings.CutPrefix(command, "$ parley persona new --name ")
		if !ok {
			continue
		}
		p := exec.Command(os.Args[0], "persona", "new", "--name", rest)
		p.Dir = t.TempDir()
		p.Env = append(os.Environ(), asParley+"=1", "HOME="+p.Dir)
		if got, err := p.CombinedOutput(); err != nil || string(got) != shown {
			t.Errorf("%s (%v) says\n%s\nthe README shows\n%s", command, err, got, shown)
		}
		return
	}
	t.Error("the README does not begin a persona")
}
