package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

// reportBatch writes what was asked for, on stdout and into files, and says in
// one line on stderr what there is. With --dry-run stdout is for the changes.
func (o *lintOptions) reportBatch(b *batch) error {
	out := io.Writer(o.Out)
	if o.dryRun {
		out = o.Err
	}
	err := o.reports.WriteAll(out, func(w io.Writer, format string) error { return o.write(w, format, b) })
	if err == nil && o.reports.Wants("github") {
		err = report.AppendSummary(o.Env("GITHUB_STEP_SUMMARY"), func(w io.Writer) error { return writeLintMarkdown(w, b) })
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(b.files, func(f *lintedFile) bool { return f.err == nil }) {
		o.Say("%s", b.summary(o.dryRun))
	}
	return nil
}

// LintReport is what --format json prints.
type LintReport struct {
	Findings []report.Finding `json:"findings"`
}

func (o *lintOptions) write(w io.Writer, format string, b *batch) error {
	switch format {
	case "oneline":
		return writeOneline(w, b)
	case "json":
		return report.WriteJSON(w, LintReport{b.all()})
	case "sarif":
		return report.WriteSARIF(w, report.NewProjectPaths(o.WorkingFolder()), lintRules(), b.all())
	case "junit":
		return o.writeLintJUnit(w, b)
	case "github":
		return report.WriteAnnotations(w, report.NewProjectPaths(o.WorkingFolder()), b.all())
	case "markdown":
		return writeLintMarkdown(w, b)
	}
	return o.writeLintText(w, b)
}

func (o *lintOptions) writeLintText(w io.Writer, b *batch) error {
	style := o.StyleFor(w == io.Writer(o.Out) && o.TTY.Out || o.dryRun && o.TTY.Err)
	for _, f := range b.files {
		if len(f.Findings) == 0 {
			continue
		}
		if err := personafiles.WriteFindings(o.Streams, w, style, f.File); err != nil {
			return err
		}
	}
	return nil
}

func writeOneline(w io.Writer, b *batch) error {
	var text strings.Builder
	for _, f := range b.all() {
		text.WriteString(report.FormatOneLine(f) + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// tally is how many findings there are of each level.
func (b *batch) tally() string {
	by := map[string]int{}
	for _, f := range b.all() {
		by[f.Severity]++
	}
	var parts []string
	for _, level := range []lint.Severity{lint.Error, lint.Warning, lint.Info} {
		if n := by[string(level)]; n > 0 {
			parts = append(parts, cli.Pluralize(n, string(level)))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

// summary is all of a run in one line.
func (b *batch) summary(dryRun bool) string {
	ignored, fixed, unread := 0, 0, 0
	for _, f := range b.files {
		ignored += f.ignored
		fixed += len(f.fixing.done)
		if f.err != nil {
			unread++
		}
	}
	text := fmt.Sprintf("%s: %s", cli.Pluralize(len(b.files)-unread, "file"), b.tally())
	if fixed > 0 && dryRun {
		text += fmt.Sprintf(", %d would be fixed", fixed)
	} else if fixed > 0 {
		text += fmt.Sprintf(", %d fixed", fixed)
	}
	if ignored > 0 {
		text += fmt.Sprintf(", %d ignored", ignored)
	}
	if unread > 0 {
		text += fmt.Sprintf("; %s not read", cli.Pluralize(unread, "file"))
	}
	return text
}

// lintRules are the checks as SARIF.
func lintRules() []report.SARIFRule {
	all := AllChecks()
	rules := make([]report.SARIFRule, 0, len(all))
	for _, c := range all {
		page := strings.TrimSpace(c.Page())
		rules = append(rules, report.SARIFRule{
			ID: c.Name, Short: report.SARIFText{Text: c.Summary}, Full: &report.SARIFText{Text: c.Summary + " " + c.Why},
			Help: &report.SARIFText{Text: page, Markdown: page}, HelpURI: helpPage(c.Name), Default: &report.SARIFDefault{Level: report.SARIFLevel(string(c.Severity))},
		})
	}
	return rules
}

// writeLintJUnit writes one suite for each file and in it one case for each check
// that has found something, or a single one when nothing was found. A case fails
// by a finding of the level of --fail-on; the others are its output.
func (o *lintOptions) writeLintJUnit(w io.Writer, b *batch) error {
	suites := make([]report.JUNITSuite, 0, len(b.files))
	for _, f := range b.files {
		suites = append(suites, report.JUNITSuite{Name: f.Name, Cases: o.junitCases(f)})
	}
	return report.WriteJUnit(w, suites)
}

func (o *lintOptions) junitCases(f *lintedFile) []report.JUNITCase {
	if f.err != nil {
		return []report.JUNITCase{{Name: "read", Class: f.Name, File: f.Name, Error: &report.JUNITFailure{Message: f.err.Error()}}}
	}
	var cases []report.JUNITCase
	at := map[string]int{}
	for _, found := range f.Findings {
		if _, known := at[found.Check]; !known {
			at[found.Check] = len(cases)
			cases = append(cases, report.JUNITCase{Name: found.Check, Class: f.Name, File: f.Name, Line: found.Line})
		}
		c := &cases[at[found.Check]]
		switch line := report.FormatOneLine(found) + "\n"; {
		case !o.fails(found):
			c.Out += line
		case c.Failure == nil:
			c.Failure = &report.JUNITFailure{Message: found.Message, Text: line}
		default:
			c.Failure.Text += line
		}
	}
	if cases == nil {
		cases = []report.JUNITCase{{Name: "nothing found", Class: f.Name, File: f.Name}}
	}
	return cases
}

// mostRows is how many findings a comment on a pull request holds: GitHub takes
// 65,536 characters.
const mostRows = 100

// writeLintMarkdown writes a summary for a pull request.
func writeLintMarkdown(w io.Writer, b *batch) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### Persona lint\n\n%s\n", b.summary(false))
	for i, f := range b.all() {
		switch i {
		case 0:
			text.WriteString("\n| Level | Place | Finding |\n| --- | --- | --- |\n")
		case mostRows:
			fmt.Fprintf(&text, "\n%d more are in the log.\n", len(b.all())-mostRows)
		}
		if i >= mostRows {
			break
		}
		fmt.Fprintf(&text, "| %s | %s | %s ([%s](%s)) |\n", f.Severity, report.MarkdownPlace(f), report.MarkdownText(plaintext.ClipWithin(f.Message, 300)), f.Check, helpPage(f.Check))
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}
