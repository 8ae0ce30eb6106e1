package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// decisionRow is a decision on its page: its name, and what was decided.
var decisionRow = regexp.MustCompile(`(?m)^\| ([a-z0-9]+(?:-[a-z0-9]+)*) \| (.+) \|$`)

// decisionPages returns the names of the decisions on each page of docs/decisions.
func decisionPages(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]map[string]bool{}
	for _, file := range files {
		page := strings.TrimSuffix(filepath.Base(file), ".md")
		if page == "README" {
			continue
		}
		pages[page] = map[string]bool{}
		text := readPage(t, "docs/decisions/"+page+".md")
		for _, m := range decisionRow.FindAllStringSubmatch(text, -1) {
			if m[1] != "name" && pages[page][m[1]] {
				t.Errorf("docs/decisions/%s.md has two decisions called %s", page, m[1])
			}
			pages[page][m[1]] = true
		}
		delete(pages[page], "name") // the head of a table
		if rows := regexp.MustCompile(`(?m)^\| [^|]`).FindAllString(text, -1); len(rows) != len(decisionRow.FindAllString(text, -1)) {
			t.Errorf("docs/decisions/%s.md has a row whose name is not of lower-case letters, digits and hyphens", page)
		}
	}
	return pages
}

// TestCitedDecisions: a decision that code or a page cites by its name exists, as
// does a section of docs/interface.md; and each page of decisions is cited by code
// and listed, so that none is forgotten.
func TestCitedDecisions(t *testing.T) {
	t.Parallel()
	pages := decisionPages(t)
	sections := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(readPage(t, "docs/interface.md"), -1) {
		sections[strings.ToLower(m[1])] = true
	}
	decision := regexp.MustCompile(`docs/decisions/(\w+)\.md, ([a-z0-9-]+)`)
	neighbour := regexp.MustCompile(`\]\((\w+\.md)\), ([a-z]+-)`) // on a page of decisions
	section := regexp.MustCompile(`docs/interface\.md, ([A-Za-z ]+)`)
	citedByCode := map[string]bool{}
	eachSource(t, func(file, text string) {
		if strings.HasPrefix(file, "docs/decisions/") {
			text = neighbour.ReplaceAllString(text, "](docs/decisions/$1), docs/decisions/$1, $2")
		}
		for _, m := range decision.FindAllStringSubmatch(text, -1) {
			if !pages[m[1]][m[2]] {
				t.Errorf("%s cites %s, which is not there", file, m[0])
			}
			citedByCode[m[1]] = citedByCode[m[1]] || strings.HasSuffix(file, ".go")
		}
		for _, m := range section.FindAllStringSubmatch(text, -1) {
			if !sections[strings.ToLower(m[1])] {
				t.Errorf("%s cites docs/interface.md, %s, which is no section of it", file, m[1])
			}
		}
	})
	if len(pages) < 20 {
		t.Errorf("only %d pages of decisions are found: the pattern is broken", len(pages))
	}
	index := readPage(t, "docs/decisions/README.md")
	for page, names := range pages {
		if !citedByCode[page] {
			t.Errorf("no code cites docs/decisions/%s.md", page)
		}
		if !strings.Contains(index, "("+page+".md)") {
			t.Errorf("docs/decisions/README.md does not list %s.md", page)
		}
		if len(names) == 0 {
			t.Errorf("docs/decisions/%s.md has no decision", page)
		}
	}
}

// eachSource visits the Go files and the pages of the repository. Text that goes on
// behind the end of a line is in one line, without the comment's marks.
func eachSource(t *testing.T, visit func(file, text string)) {
	t.Helper()
	wrapped := regexp.MustCompile(`\n[ \t]*(?://[ \t]*)?`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != ".github") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md" || d.Name() == "decisions_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))), wrapped.ReplaceAllString(string(text), " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
