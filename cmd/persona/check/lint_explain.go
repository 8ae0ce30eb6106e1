package check

import (
	"fmt"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// formatHelpURL returns the address of a check's page.
func formatHelpURL(check string) string {
	if _, known := lint.Find(check); known {
		return personafiles.Homepage + "/blob/main/docs/checks.md#" + check
	}
	return personafiles.Homepage + "/blob/main/docs/lint.md#" + check
}

// explainChecks prints the pages of checks, or the list of all.
func (o *lintOptions) explainChecks() error {
	if err := o.reports.Check(); err != nil {
		return err
	}
	if o.reports.Format == "json" {
		return o.encodeChecks()
	}
	if len(o.paths) == 0 {
		return o.listChecks()
	}
	for i, name := range o.paths {
		check, known := personafiles.FindCheck(name)
		if !known {
			return cli.UsageError("there is no check %q%s", name, personafiles.SuggestCheck(name))
		}
		if i > 0 {
			fmt.Fprintln(o.Out)
		}
		if _, err := fmt.Fprint(o.Out, terminal.CleanLines(check.Page())); err != nil {
			return err
		}
	}
	return nil
}

// ExplainedCheck is a check as `parley persona lint --explain --json` prints it.
type ExplainedCheck struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Why      string `json:"why"`
	Good     string `json:"good"`
	Bad      string `json:"bad"`
}

// encodeChecks prints the checks that are named, or all, as JSON.
func (o *lintOptions) encodeChecks() error {
	explained := []ExplainedCheck{}
	for _, c := range personafiles.AllChecks() {
		if len(o.paths) == 0 || slices.Contains(o.paths, c.Name) {
			explained = append(explained, ExplainedCheck{c.Name, string(c.Severity), c.Summary, c.Why, c.Good, c.Bad})
		}
	}
	for _, name := range o.paths {
		if _, known := personafiles.FindCheck(name); !known {
			return cli.UsageError("there is no check %q%s", name, personafiles.SuggestCheck(name))
		}
	}
	return o.reports.WriteAll(o.Out, func(w io.Writer, _ string) error { return personafiles.WriteJSON(w, explained) })
}

func (o *lintOptions) listChecks() error {
	var rows [][]string
	for _, c := range personafiles.AllChecks() {
		rows = append(rows, []string{c.Name, string(c.Severity), c.Summary})
	}
	return o.PageTable([]string{"CHECK", "LEVEL", "WHAT IT SAYS"}, rows)
}
