package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocsNameRealFiles: a file that docs/house.md or docs/persona-file.md names is
// there.
func TestDocsNameRealFiles(t *testing.T) {
	name := regexp.MustCompile("`((?:cmd|tui|client|localserver|personas|docs)/[A-Za-z0-9_./-]+\\.[a-z]+)`")
	for _, doc := range []string{"house.md", "persona-file.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", doc))
		if err != nil {
			t.Fatal(err)
		}
		named := name.FindAllSubmatch(text, -1)
		if doc == "house.md" && len(named) < 20 {
			t.Errorf("only %d files are found in %s: the pattern is broken", len(named), doc)
		}
		for _, m := range named {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(string(m[1])))); err != nil {
				t.Errorf("docs/%s names %s, which is not there", doc, m[1])
			}
		}
	}
}
