package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

// reportBatch writes all reports and a summary line. With --dry-run it writes the report to stderr,
// because the changes are on stdout.
func (o *lintOptions) reportBatch(b *batch) error {
	out := io.Writer(o.Out)
	if o.dryRun {
		out = cli.RawWriter(o.Err)
	}
	err := o.reports.Write(out, personafiles.Report{Findings: b.listReported(), Rules: buildLintRules(), Formats: map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return o.writeText(w, b) },
		"json":     func(w io.Writer) error { return personafiles.WriteJSON(w, LintReport{b.listReported()}) },
		"junit":    func(w io.Writer) error { return o.writeLintJUnit(w, b) },
		"markdown": func(w io.Writer) error { return writeLintMarkdown(w, b) },
	}})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(b.files, func(f *lintedFile) bool { return f.err == nil }) {
		o.Say("%s", b.formatSummary(o.dryRun))
	}
	return nil
}

// A LintReport is the output of --format json.
type LintReport struct {
	Findings []personas.Diagnostic `json:"findings"`
}

func (o *lintOptions) writeText(w io.Writer, b *batch) error {
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

func (b *batch) formatTally() string {
	by := map[lint.Severity]int{}
	for _, f := range b.listFindings() {
		by[f.Severity]++
	}
	var parts []string
	for _, level := range []lint.Severity{lint.Error, lint.Warning, lint.Info} {
		if n := by[level]; n > 0 {
			parts = append(parts, cli.Pluralize(n, string(level)))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

func (b *batch) formatSummary(dryRun bool) string {
	ignored, fixed, unread := 0, 0, 0
	for _, f := range b.files {
		ignored += f.ignored
		fixed += len(f.fixes.done)
		if f.err != nil {
			unread++
		}
	}
	text := fmt.Sprintf("%s: %s", cli.Pluralize(len(b.files)-unread, "file"), b.formatTally())
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
	switch {
	case b.others == 1:
		text += "; 1 other file is not a persona"
	case b.others > 1:
		text += fmt.Sprintf("; %d other files are not personas", b.others)
	}
	return text
}

func buildLintRules() []personafiles.SARIFRule {
	all := personafiles.AllChecks()
	rules := make([]personafiles.SARIFRule, 0, len(all))
	for _, c := range all {
		page := strings.TrimSpace(c.Page())
		rules = append(rules, personafiles.SARIFRule{
			ID: c.Name, Short: personafiles.SARIFText{Text: c.Summary}, Full: &personafiles.SARIFText{Text: c.Summary + " " + c.Why},
			Help: &personafiles.SARIFText{Text: page, Markdown: page}, HelpURI: formatHelpURL(c.Name), Default: &personafiles.SARIFDefault{Level: personafiles.ConvertLevel(c.Severity)},
		})
	}
	return rules
}

func (o *lintOptions) writeLintJUnit(w io.Writer, b *batch) error {
	paths := o.reports.Paths()
	suites := make([]personafiles.JUnitSuite, len(b.files))
	for i, f := range b.files {
		if f.err != nil {
			suites[i] = personafiles.JUnitSuite{Name: paths.MakeRelative(f.Name)}
			suites[i].AddCase(personafiles.JUnitCase{Name: "read", Error: &personafiles.JUnitFailure{Message: f.err.Error()}})
			continue
		}
		suites[i] = personafiles.NewFileSuite(paths, f.Name, "nothing found", f.took, f.Findings, o.isFailure)
	}
	return personafiles.WriteJUnit(w, suites)
}

// maxMarkdownRows keeps a summary below GitHub's limit on a comment, 65,536 characters.
const maxMarkdownRows = 100

func writeLintMarkdown(w io.Writer, b *batch) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### Persona lint\n\n%s\n", b.formatSummary(false))
	all := b.listReported()
	for i, f := range all {
		switch i {
		case 0:
			text.WriteString("\n| Level | Place | Finding |\n| --- | --- | --- |\n")
		case maxMarkdownRows:
			fmt.Fprintf(&text, "\n%d more are in the log.\n", len(all)-maxMarkdownRows)
		}
		if i >= maxMarkdownRows {
			break
		}
		message := personafiles.EscapeMarkdown(plaintext.ClipWithin(f.Message, 300))
		fmt.Fprintf(&text, "| %s | %s | %s ([%s](%s)) |\n", f.Severity, personafiles.FormatMarkdownPlace(f), message, f.Check, formatHelpURL(f.Check))
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}
