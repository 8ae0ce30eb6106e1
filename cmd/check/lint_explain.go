package check

import (
	"fmt"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// ownChecks are the checks that are about a file and not about its document, so that they
// are not in the table of personas/lint.
var ownChecks = []lint.Check{{
	Name: unusedIgnore, Severity: lint.Warning,
	Summary: "A comment that ignores findings names a check, says why, and has something to ignore.",
	Why: "A comment that no longer ignores anything hides the next mistake at that place, and one with a slip in it " +
		"never did what its author believes. Write `# parley:ignore CHECK REASON` above the member or item, or behind " +
		"it on its line; several checks stand with commas between them. Errors cannot be ignored, since a service " +
		"refuses the file all the same.",
}}

// formatHelpURL gives the address of a check's page.
func formatHelpURL(check string) string {
	if _, known := lint.Find(check); known {
		return report.Homepage + "/blob/main/docs/checks.md#" + check
	}
	return report.Homepage + "/blob/main/docs/lint.md#" + check
}

// AllChecks gives the checks of personas/lint and those of this package, in the order of
// the documentation.
func AllChecks() []lint.Check { return slices.Concat(lint.Checks, ownChecks) }

func findCheck(name string) (lint.Check, bool) {
	for _, checks := range [][]lint.Check{lint.Checks, ownChecks} {
		if i := slices.IndexFunc(checks, func(c lint.Check) bool { return c.Name == name }); i >= 0 {
			return checks[i], true
		}
	}
	return lint.Check{}, false
}

// suggestCheck gives the end of a sentence about an unknown check: the check that may have
// been meant, or where all are listed.
func suggestCheck(name string) string {
	var names []string
	for _, c := range AllChecks() {
		names = append(names, c.Name)
	}
	if near := personas.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; `parley persona lint --explain` lists them"
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
		check, known := findCheck(name)
		if !known {
			return cli.UsageError("there is no check %q%s", name, suggestCheck(name))
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
	for _, c := range AllChecks() {
		if len(o.paths) == 0 || slices.Contains(o.paths, c.Name) {
			explained = append(explained, ExplainedCheck{c.Name, string(c.Severity), c.Summary, c.Why, c.Good, c.Bad})
		}
	}
	for _, name := range o.paths {
		if _, known := findCheck(name); !known {
			return cli.UsageError("there is no check %q%s", name, suggestCheck(name))
		}
	}
	return o.reports.WriteAll(o.Out, func(w io.Writer, _ string) error { return report.WriteJSON(w, explained) })
}

func (o *lintOptions) listChecks() error {
	var rows [][]string
	for _, c := range AllChecks() {
		rows = append(rows, []string{c.Name, string(c.Severity), c.Summary})
	}
	return o.PageTable([]string{"CHECK", "LEVEL", "WHAT IT SAYS"}, rows)
}
