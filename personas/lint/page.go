package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Page returns the check's page as Markdown, with the name as a second-level heading. It is the
// output of `--explain` and a section of docs/checks.md. Page runs the check on its wrong example
// to get the message for the page.
func (c Check) Page() string {
	var out strings.Builder
	scope := ""
	if c.Project {
		scope = " (between the files of a project)"
	}
	fmt.Fprintf(&out, "## %s\n\n**%s**%s: %s\n\n%s\n", c.Name, c.Severity, scope, c.Summary, c.Why)
	if c.Bad == "" {
		return out.String()
	}
	fmt.Fprintf(&out, "\nWrong:\n\n```yaml\n%s```\n", dedent(c.Bad))
	if says := c.exampleMessage(); says != "" {
		fmt.Fprintf(&out, "\n%s\n", "`"+strings.ReplaceAll(says, "`", "'")+"`")
	}
	fmt.Fprintf(&out, "\nRight:\n\n```yaml\n%s```\n", dedent(c.Good))
	return out.String()
}

func (c *Check) exampleMessage() string {
	var found []personas.Diagnostic
	if c.Project {
		found = Project(c.exampleFiles())
	} else {
		p, places, faults := personas.Parse("example.yaml", []byte(c.WrongExample()))
		found = File(&p, places, faults)
	}
	i := slices.IndexFunc(found, func(f personas.Diagnostic) bool { return f.Check == c.Name })
	if i < 0 {
		return ""
	}
	return found[i].Message
}

// WrongExample returns a whole file with the check's problem. It is Example, or Second for a
// project check, in which Good is replaced by Bad.
func (c *Check) WrongExample() string {
	whole := Example
	if c.Project {
		whole = Second
	}
	return strings.Replace(whole, c.Good, c.Bad, 1)
}

func (c *Check) exampleFiles() []ProjectFile {
	first, _, _ := personas.Parse("guard.yaml", []byte(Example))
	second, _, _ := personas.Parse("smith.yaml", []byte(c.WrongExample()))
	return []ProjectFile{{"guard.yaml", &first}, {"smith.yaml", &second}}
}

func dedent(part string) string {
	lines := strings.Split(strings.TrimSuffix(part, "\n"), "\n")
	least := -1
	for _, line := range lines {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); least < 0 || indent < least {
			least = indent
		}
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(line[least:] + "\n")
	}
	return out.String()
}
