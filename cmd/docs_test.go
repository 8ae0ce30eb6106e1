package cmd_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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

// TestCompletionOfSilentService: a service that never answers yields no names with any settings.
func TestCompletionOfSilentService(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer s.Close()
	defer close(over)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := exec.CommandContext(ctx, os.Args[0], "__complete", "persona", "show", "")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "PARLEY_SERVER="+s.URL, "PARLEY_TIMEOUT=1h")
	if out, err := p.Output(); err != nil || string(out) != ":4\n" {
		t.Errorf("%q, %v", out, err)
	}
}
