package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsNameRealPaths: each path in backquotes in CONTRIBUTING and docs/house.md
// is there, folders too, and each package that they say to test.
func TestDocsNameRealPaths(t *testing.T) {
	t.Parallel()
	quoted := regexp.MustCompile("`((?:cmd|tui|client|localserver|personas|docs|\\.github|\\.ci)/[A-Za-z0-9_./-]+)`")
	tested := regexp.MustCompile(`(?m)go test \./([a-z/]+)`)
	for page, least := range map[string]int{".github/CONTRIBUTING.md": 50, "docs/house.md": 40} {
		text := readPage(t, page)
		paths := append(quoted.FindAllStringSubmatch(text, -1), tested.FindAllStringSubmatch(text, -1)...)
		if len(paths) < least {
			t.Errorf("only %d paths are found in %s: the pattern is broken", len(paths), page)
		}
		for _, m := range paths {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(strings.TrimSuffix(m[1], "/")))); err != nil {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}
