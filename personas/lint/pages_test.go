package lint

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestExampleFindings holds every word that the checks say of their examples.
func TestExampleFindings(t *testing.T) {
	var out strings.Builder
	for _, c := range Checks {
		if c.Bad == "" {
			continue
		}
		out.WriteString("# " + c.Name + "\n")
		found := lintText(c.WrongExample())
		if c.Project {
			found = Project(c.exampleFiles())
		}
		for _, f := range found {
			out.WriteString(f.Path + ": " + string(f.Severity) + ": " + f.Message + " [" + f.Check + "]\n")
			if f.Fix != nil {
				out.WriteString("  fix: " + string(f.Fix.Kind) + " " + f.Fix.Path + " " + f.Fix.Value + "\n")
			}
		}
	}
	assert.Golden(t, filepath.Join("testdata", "examples.txt"), out.String())
}

const checksHead = `# Checks

The checks of ` + "`parley persona lint`" + `. An **error** is refused by a server or must not be saved. A **warning** is a mistake that players would meet. An
**info** is a hint. A finding that follows from another one is not reported, and each check reports at most 100.

` + "`parley persona lint --explain CHECK`" + ` prints a section. The examples are parts of one persona without findings. This page is generated:
` + "`go test ./personas/lint -run TestChecksPage -update`" + `.

`

func TestChecksPage(t *testing.T) {
	var out strings.Builder
	out.WriteString(checksHead + "| check | | |\n|---|---|---|\n")
	for _, c := range Checks {
		out.WriteString("| [" + c.Name + "](#" + c.Name + ") | " + string(c.Severity) + " | " + strings.ReplaceAll(c.Summary, "|", "\\|") + " |\n")
	}
	for _, c := range Checks {
		out.WriteString("\n" + c.Page())
	}
	assert.Golden(t, filepath.Join("..", "..", "docs", "checks.md"), out.String())
}

// TestPagesAreWhole: a page has a name, an example, and an explanation in other words than the message.
func TestPagesAreWhole(t *testing.T) {
	for _, c := range Checks {
		page := c.Page()
		if !strings.HasPrefix(page, "## "+c.Name+"\n") || !strings.Contains(page, string(c.Severity)) || c.Bad != "" && c.exampleMessage() == "" {
			t.Errorf("%s:\n%s", c.Name, page)
		}
		sentences := strings.Count(c.Why+" ", ". ")
		assert.True(t, sentences >= 2 && sentences <= 5, "%s explains itself in %d sentences", c.Name, sentences)
	}
}

// TestExamplesBeginAtALine: an example of several lines keeps the indentation of its first line.
func TestExamplesBeginAtALine(t *testing.T) {
	for _, c := range Checks {
		whole := Example
		if c.Project {
			whole = Second
		}
		before, _, ok := strings.Cut(whole, c.Good)
		hasLines := strings.Contains(strings.TrimSuffix(c.Good, "\n")+strings.TrimSuffix(c.Bad, "\n"), "\n")
		if c.Bad != "" && (!ok || hasLines && before != "" && !strings.HasSuffix(before, "\n")) {
			t.Errorf("%s: the example begins within a line:\n%s", c.Name, c.Good)
		}
	}
}
