package cmd_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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

// TestCommentsNameRealHeadings checks references such as "docs/interface.md, Statuses" in Go files.
func TestCommentsNameRealHeadings(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`(docs/[a-z-]+\.md)(?:, "?([A-Za-z ]+)"?\))?`)
	wrapped := regexp.MustCompile(`\n[ \t]*//[ \t]*`)
	for _, dir := range []string{"client", "cmd", "localserver", "personas", "tui"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, m := range reference.FindAllStringSubmatch(wrapped.ReplaceAllString(string(text), " "), -1) {
				heading := strings.ReplaceAll(strings.ToLower(m[2]), " ", "-")
				if !exists(m[1]) {
					t.Errorf("%s names %s, which does not exist", file, m[1])
				} else if heading != "" && !headings(readPage(t, m[1]))[heading] {
					t.Errorf("%s names %q, which has no such heading", file, m[0])
				}
			}
			return nil
		})
		assert.NoError(t, err)
	}
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
	return err == nil
}

// allPages returns the Markdown pages that people read on the repository's site.
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

// headings returns the anchors of a page's headings.
func headings(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return names
}
