package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPromises: each promise of .github/SECURITY.md names tests, and each
// test that it names is there.
func TestSecurityPromises(t *testing.T) {
	t.Parallel()
	const page = ".github/SECURITY.md"
	named := regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows := 0
	for line := range strings.Lines(readPage(t, page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 2 || strings.HasPrefix(line, "| what is promised |") || strings.HasPrefix(line, "|--") {
			continue
		}
		rows++
		if len(cells) != 6 {
			t.Errorf("%s: a row has %d cells, not 4: %s", page, len(cells)-2, line)
			continue
		}
		promise, tests := strings.TrimSpace(cells[1]), named.FindAllStringSubmatch(cells[3], -1)
		if left := strings.Trim(named.ReplaceAllString(cells[3], ""), " ,"); len(tests) == 0 || left != "" {
			t.Errorf("%s: %q is shown by no test, or by something else: %q", page, promise, left)
		}
		for _, m := range tests {
			if !testIsThere(t, m[1], m[2]) {
				t.Errorf("%s: %q is shown by %s in %s, which is not there", page, promise, m[2], m[1])
			}
		}
	}
	if rows < 25 {
		t.Errorf("%s has only %d promises: the pattern is broken", page, rows)
	}
}

// testIsThere reports whether a folder has a test or a fuzz target of a name.
func testIsThere(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
