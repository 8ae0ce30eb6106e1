// Package check implements the commands of `parley persona` that check persona files. These are
// lint, fmt, prove, graph, test, simulate and replay.
package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type lintOptions struct {
	*service.Environment
	paths     []string
	reports   personafiles.ReportFlags
	failOn    string
	noIgnore  bool
	explain   bool
	fix       bool
	dryRun    bool
	watching  bool
	stdinName string
	pause     time.Duration // between two checks for changes
}

const lintLong = `Check persona files (YAML or JSON) for errors that a service would refuse, and for what
would not play as intended. PATH is a file, a directory, a glob (** matches any number of
directories), or - for stdin; the default is this directory.

In a directory, *.yaml, *.yml and *.json files count as personas if they have the
outermost member persona_identity_prompt, or machines with a machine_key. Hidden
files and directories, node_modules and play files (*.play.yaml) are skipped.

Errors are what a service refuses, and what must not be saved, such as a key in a
prompt or a machine that cannot be won. Warnings are likely mistakes, infos are
hints. The exit code is 1 for a finding of the level --fail-on or above, and 3 if a
file could not be read; the others are checked.

To ignore a finding that is intended, write a comment with the check and a reason:
  # parley:ignore redirect-trap the guard never lets anybody in
Above a member or an item it applies to all of it, behind a line to that line. For
whole files, write in the project's .parley.yaml:
  lint:
    ignore:
      - {check: offline-lines-missing, files: [drafts/**], reason: not yet written}
    severity: {todo-left: error, duplicate-label: off}
lint.severity sets the level of a check's findings (error, warning, info, off), also
for save and publish; what a service refuses stays an error. Errors cannot be
ignored. A comment without an effect is a finding itself (unused-ignore).

--fix corrects only findings with a single possible correction.`

func NewLintCmd(env *service.Environment) *cobra.Command {
	o := &lintOptions{Environment: env, pause: cli.WatchPause}
	c := &cobra.Command{
		Use:   "lint [PATH...]",
		Short: "Check persona files, without a server",
		Long:  lintLong,
		Example: "  parley persona lint\n  parley persona lint --fix my-cat.yaml\n  parley persona lint --fail-on warning --output sarif=lint.sarif personas/\n" +
			"  parley persona lint --explain unreachable-state",
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return runLint(c.Context(), o)
		},
	}
	o.reports.AddFlags(c, env.Streams, LintReport{}, "text", "oneline", "json", "sarif", "junit", "github",
		"gitlab", "markdown")
	f := c.Flags()
	f.StringVar(&o.failOn, "fail-on", "error", "the lowest `LEVEL` that fails: error, warning or info")
	f.BoolVar(&o.noIgnore, "no-ignore", false, "also show what comments and .parley.yaml ignore")
	f.BoolVar(&o.explain, "explain", false, "explain the checks given in place of PATH; if none is given, list all checks")
	f.BoolVar(&o.fix, "fix", false, "correct findings with a single possible correction")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --fix: write nothing, show the changes")
	f.BoolVar(&o.watching, "watch", false, "check again when a file changes")
	f.StringVar(&o.stdinName, "stdin-name", "", "the file `NAME` for findings in stdin")
	return c
}

func (o *lintOptions) checkFlags() error {
	switch {
	case !slices.Contains([]string{"error", "warning", "info"}, o.failOn):
		return cli.UsageError("--fail-on %q: must be error, warning or info", o.failOn)
	case o.dryRun && !o.fix:
		return cli.UsageError("--dry-run needs --fix: a check alone changes no file")
	case o.dryRun && o.reports.Format != "text":
		return cli.UsageError("--dry-run and --format %s cannot both write to stdout: write the report to a file with --output", o.reports.Format)
	case o.fix && slices.Contains(o.paths, "-"):
		return cli.UsageError("--fix cannot write to stdin: give a file")
	case o.watching && (o.fix || slices.Contains(o.paths, "-")):
		return cli.UsageError("--watch cannot be combined with stdin (-) or with --fix, because --fix changes the watched files")
	case o.stdinName != "" && !slices.Contains(o.paths, "-"):
		return cli.UsageError("--stdin-name needs the PATH -")
	}
	return o.reports.Check()
}

func runLint(ctx context.Context, o *lintOptions) error {
	if o.explain {
		return o.explainChecks()
	}
	if err := o.checkFlags(); err != nil {
		return err
	}
	if len(o.paths) == 0 {
		o.paths = []string{"."}
	}
	if o.watching {
		return watchFiles(ctx, o.Streams, o.pause, o.noteFiles, o.lintOnce)
	}
	return o.lintOnce(ctx)
}

func (o *lintOptions) lintOnce(ctx context.Context) error {
	b, err := o.loadBatch(ctx)
	if err != nil {
		return err
	}
	if o.fix {
		if err := o.fixAll(b); err != nil {
			return err
		}
	}
	if err := o.reportBatch(b); err != nil {
		return err
	}
	code := b.code
	for _, f := range b.listFindings() {
		if o.isFailure(f) {
			code = max(code, cli.ExitNo)
		}
	}
	if code == cli.ExitDone {
		return nil
	}
	return &cli.Failure{Code: code, Err: errFindings, Reported: true} // reportBatch has printed the findings
}

func (o *lintOptions) isFailure(f personas.Diagnostic) bool {
	order := []lint.Severity{lint.Info, lint.Warning, lint.Error}
	return slices.Index(order, f.Severity) >= slices.Index(order, lint.Severity(o.failOn))
}

func NewSchemaCmd(streams *cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of persona files",
		Example: "  parley persona schema > persona.schema.json",
		Args:    cli.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			return streams.WriteDocument(personas.Schema())
		},
	}
}

func formatHelpURL(check string) string {
	if _, known := lint.Find(check); known {
		return personafiles.Homepage + "/blob/main/docs/checks.md#" + check
	}
	return personafiles.Homepage + "/blob/main/docs/lint.md#" + check
}

func (o *lintOptions) explainChecks() error {
	if err := o.reports.Check(); err != nil {
		return err
	}
	checks := personafiles.AllChecks()
	if len(o.paths) > 0 {
		checks = nil
	}
	for _, name := range o.paths {
		check, known := personafiles.FindCheck(name)
		if !known {
			return cli.UsageError("unknown check %q%s", name, personafiles.SuggestCheck(name))
		}
		checks = append(checks, check)
	}
	switch {
	case o.reports.Format == "json":
		return o.encodeChecks(slices.DeleteFunc(personafiles.AllChecks(), func(c lint.Check) bool {
			return len(o.paths) > 0 && !slices.Contains(o.paths, c.Name)
		}))
	case len(o.paths) == 0:
		var rows [][]string
		for _, c := range checks {
			rows = append(rows, []string{c.Name, string(c.Severity), c.Summary})
		}
		return o.PageTable([]string{"CHECK", "LEVEL", "WHAT IT SAYS"}, rows)
	}
	var pages []string
	for _, c := range checks {
		pages = append(pages, c.Page())
	}
	text := terminal.CleanLines(strings.Join(pages, "\n"))
	if o.TTY.Out && o.Width() > 0 {
		text = ansi.Wordwrap(text, o.Width(), "")
	}
	_, err := fmt.Fprint(o.Out, text)
	return err
}

func (o *lintOptions) encodeChecks(checks []lint.Check) error {
	return o.reports.Write(o.Out, personafiles.Report{Formats: map[string]func(io.Writer) error{
		"json": func(w io.Writer) error { return personafiles.WriteJSON(w, checks) },
	}})
}

// reportBatch writes the report of --dry-run to stderr, because stdout has the changes.
func (o *lintOptions) reportBatch(b *batch) error {
	out := io.Writer(o.Out)
	if o.dryRun {
		out = cli.RawWriter(o.Err)
	}
	formats := map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return o.writeText(w, b) },
		"json":     func(w io.Writer) error { return personafiles.WriteJSON(w, LintReport{b.listReported()}) },
		"junit":    func(w io.Writer) error { return o.writeLintJUnit(w, b) },
		"markdown": func(w io.Writer) error { return writeLintMarkdown(w, b) },
	}
	err := o.reports.Write(out, personafiles.Report{Findings: b.listReported(), Rules: buildLintRules(), Formats: formats})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(b.files, func(f *lintedFile) bool { return f.err == nil }) {
		o.Say("%s", b.formatSummary(o.dryRun))
	}
	return nil
}

type LintReport struct {
	Findings []personas.Diagnostic `json:"findings"`
}

func (o *lintOptions) writeText(w io.Writer, b *batch) error {
	isTerminal := w == io.Writer(o.Out) && o.TTY.Out
	style := o.StyleFor(isTerminal || o.dryRun && o.TTY.Err)
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
			ID: c.Name, Short: personafiles.SARIFText{Text: c.Summary},
			Full: &personafiles.SARIFText{Text: c.Summary + " " + c.Why},
			Help: &personafiles.SARIFText{Text: page, Markdown: page}, HelpURI: formatHelpURL(c.Name),
			Default: &personafiles.SARIFDefault{Level: personafiles.ConvertLevel(c.Severity)},
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

// maxMarkdownRows keeps a summary below the limit of a GitHub comment, 65,536 characters.
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
		fmt.Fprintf(&text, "| %s | %s | %s ([%s](%s)) |\n", f.Severity, personafiles.FormatMarkdownPlace(f), message,
			f.Check, formatHelpURL(f.Check))
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}
