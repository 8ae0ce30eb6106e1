package cmd_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"
)

// TestDocsNameRealFiles: a file that a page names is there.
func TestDocsNameRealFiles(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile("`((?:cmd|tui|client|localserver|personas|docs)/[A-Za-z0-9_./-]+\\.[a-z]+)`")
	files := 0
	for _, page := range allPages(t) {
		for _, m := range name.FindAllStringSubmatch(readPage(t, page), -1) {
			files++
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
	if files < 50 {
		t.Errorf("only %d files are found: the pattern is broken", files)
	}
}

// TestDocsLinks: a link of a page to another one leads to a file that is there, and
// to a heading that it has.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^()\s:#]*)(?:#([^()\s]*))?\)`)
	links := 0
	known := map[string]map[string]bool{} // the headings of pages that were linked to
	for _, page := range allPages(t) {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			links++
			target := path.Join(path.Dir(page), m[1])
			if m[1] == "" {
				target = page
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if m[2] == "" {
				continue
			}
			if known[target] == nil {
				known[target] = headings(readPage(t, target))
			}
			if !known[target][m[2]] {
				t.Errorf("%s links to #%s of %s, which has no such heading", page, m[2], target)
			}
		}
	}
	if links < 60 {
		t.Errorf("only %d links are found: the pattern is broken", links)
	}
}

// allPages are the Markdown pages that people read on the repository's site.
func allPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, glob := range []string{"*.md", "docs/*.md", ".github/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(glob)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(file), "../"))
		}
	}
	return pages
}

// headings are the names by which a page's headings are linked to.
func headings(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return names
}

// TestIssueForms: GitHub shows no form, and says so nowhere, when one of these files
// is not what it expects.
func TestIssueForms(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bug", "idea"} {
		var form struct {
			Name, Description string
			Labels            []string
			Body              []struct {
				Type, ID    string
				Attributes  struct{ Label, Description, Placeholder, Render string }
				Validations struct{ Required bool }
			}
		}
		loadStrictly(t, ".github/ISSUE_TEMPLATE/"+name+".yml", &form)
		if form.Name == "" || form.Description == "" || len(form.Body) == 0 {
			t.Errorf("the form %s has no name, description or body", name)
		}
		for _, field := range form.Body {
			if field.Attributes.Label == "" || field.Type != "textarea" && field.Type != "input" {
				t.Errorf("the form %s has the field %+v", name, field)
			}
		}
	}
	var updates struct {
		Version int
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"`
			Directory string
			Schedule  struct{ Interval string }
			Message   struct{ Prefix string } `yaml:"commit-message"`
			Groups    map[string]struct {
				Patterns []string
				Types    []string `yaml:"update-types"`
			}
		}
	}
	loadStrictly(t, ".github/dependabot.yml", &updates)
	if updates.Version != 2 || len(updates.Updates) != 4 {
		t.Errorf("dependabot looks at %+v", updates)
	}
	for _, u := range updates.Updates {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(u.Directory))); err != nil {
			t.Errorf("dependabot looks for %s where nothing is: %v", u.Ecosystem, err)
		}
	}
}

// loadStrictly reads a YAML file of the repository whose members are all known.
func loadStrictly(t *testing.T, name string, into any) {
	t.Helper()
	loader, err := yaml.NewLoader(strings.NewReader(readPage(t, name)), yaml.WithKnownFields())
	if err == nil {
		err = loader.Load(into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
