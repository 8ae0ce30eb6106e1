package cmd_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestDocsLinks: every link leads to a file and a heading, and every file in backquotes exists.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^()\s:#]*)(?:#([^()\s]*))?\)`)
	quoted := regexp.MustCompile("`((?:cmd|tui|client|localserver|personas|docs|\\.ci)/[A-Za-z0-9_./-]+)`")
	for _, page := range allPages(t) {
		text := readPage(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(page), m[1])
			if m[1] == "" {
				target = page
			}
			if !exists(target) {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if m[2] != "" && !headings(readPage(t, target))[m[2]] {
				t.Errorf("%s links to #%s of %s, which has no such heading", page, m[2], target)
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			if page != "CHANGELOG.md" && !exists(m[1]) {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
	return err == nil
}

func allPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, glob := range []string{"*.md", "docs/*.md", ".github/*.md"} {
		found := assert.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(glob))))(t)
		for _, file := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(file), "../"))
		}
	}
	return pages
}

func headings(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return names
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text := assert.Value(os.ReadFile(filepath.Join("..", filepath.FromSlash(name))))(t)
	return string(text)
}

// fencedBlocks returns the blocks between ```kind and ``` on a page, in order.
func fencedBlocks(t *testing.T, page, kind string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(readPage(t, page), -1) {
		blocks = append(blocks, m[1])
	}
	assert.Must(t, len(blocks) != 0, "%s has no %s block", page, kind)
	return blocks
}

// TestReadmePersona checks that the persona of the README is the beginning of the starter.
func TestReadmePersona(t *testing.T) {
	t.Parallel()
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	shown := fencedBlocks(t, "README.md", "yaml")[0]
	assert.True(t, strings.HasPrefix(string(starter), shown), "personas/examples/starter.yaml does not begin with\n%s", shown)
}

// TestReadmeTranscript plays the README's first transcript twice: the same words get the same answers as shown there.
func TestReadmeTranscript(t *testing.T) {
	t.Parallel()
	command, shown, _ := strings.Cut(fencedBlocks(t, "README.md", "console")[0], "\n")
	m := regexp.MustCompile(`^\$ printf '(.*)' \| go run ./cmd/parley (.*)$`).FindStringSubmatch(command)
	assert.Must(t, m != nil, "the README's first transcript begins with another command: %s", command)
	for range 2 {
		p := exec.Command(os.Args[0], strings.Fields(m[2])...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
		p.Stdin = strings.NewReader(strings.ReplaceAll(m[1], `\n`, "\n"))
		got := assert.Value(p.Output())(t)
		assert.Equal(t, strings.TrimSpace(string(got)), strings.TrimSpace(shown), "the play is now\n%s\nthe README shows\n%s", got, shown)
	}
}

// TestAuthoringLint makes the mistake that docs/authoring.md shows and compares the report.
func TestAuthoringLint(t *testing.T) {
	t.Parallel()
	const command = "$ parley persona lint my-cat.yaml\n"
	blocks := fencedBlocks(t, "docs/authoring.md", "console")
	i := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, command) })
	assert.Must(t, i >= 0, "no transcript of docs/authoring.md begins with %s", command)
	shown := strings.TrimPrefix(blocks[i], command)
	file := filepath.Join(t.TempDir(), "my-cat.yaml")
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	wrong := regexp.MustCompile(`(?s)pass: \["(What lovely fur you have)".*?\]`).ReplaceAllString(string(starter), "pass: $1")
	assert.NoError(t, os.WriteFile(file, []byte(wrong), 0o600))
	p := exec.Command(os.Args[0], "persona", "lint", "my-cat.yaml")
	p.Dir = filepath.Dir(file)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	got, err := p.Output()
	assert.True(t, err != nil && strings.TrimSpace(string(got)) == strings.TrimSpace(shown),
		"lint says (%v)\n%s\nthe page shows\n%s", err, got, shown)
}

// TestServerPageDiff makes the change that docs/server.md shows and compares the diff without its head.
func TestServerPageDiff(t *testing.T) {
	t.Parallel()
	blocks := fencedBlocks(t, "docs/server.md", "console")
	at := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "$ parley persona diff my-cat.yaml\n") })
	assert.Must(t, at >= 0, "docs/server.md shows no diff")
	_, shown, _ := strings.Cut(blocks[at], "+++ my-cat.yaml\n")
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	changed := strings.NewReplacer("max_redirects: 4", "max_redirects: 2", "      - {from_state_key: on-the-book, decision_type: kick_out}\n", "").Replace(string(starter))
	folder := t.TempDir()
	for name, text := range map[string]string{"old.yaml": string(starter), "my-cat.yaml": changed} {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	p := exec.Command(os.Args[0], "persona", "diff", "old.yaml", "my-cat.yaml")
	p.Dir = folder
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	out, err := p.Output()
	_, got, _ := strings.Cut(string(out), "+++ my-cat.yaml\n")
	assert.True(t, err != nil && got == shown, "diff says (%v)\n%s\nthe page shows\n%s", err, got, shown)
}

// TestAuthoringNew begins the persona that docs/authoring.md begins and compares the output.
func TestAuthoringNew(t *testing.T) {
	t.Parallel()
	for _, block := range fencedBlocks(t, "docs/authoring.md", "console") {
		command, shown, _ := strings.Cut(block, "\n")
		rest, ok := strings.CutPrefix(command, "$ parley persona new --name ")
		if !ok {
			continue
		}
		p := exec.Command(os.Args[0], "persona", "new", "--name", rest)
		p.Dir = t.TempDir()
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+p.Dir)
		if got, err := p.CombinedOutput(); err != nil || string(got) != shown {
			t.Errorf("%s (%v) says\n%s\nthe page shows\n%s", command, err, got, shown)
		}
		return
	}
	t.Error("docs/authoring.md does not begin a persona")
}
