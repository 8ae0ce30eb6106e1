package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

type fmtOptions struct {
	*cli.Streams
	files   []string
	check   bool
	diff    bool
	reports personafiles.ReportFlags
}

func NewFmtCmd(streams *cli.Streams) *cobra.Command {
	o := &fmtOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "fmt PATH...",
		Short: "Format persona files",
		Long: `Format persona files (YAML or JSON) in place: members in the order of
docs/persona-file.md, indentation by two, at most one blank line in a row. Comments
move with their members. Values keep their characters; a text that some YAML
readers misread (NO, 12:30, 2024-01-01) gets quotes. Changed files, and files that
cannot be changed safely, are listed on stderr. PATH is a file, a glob, or a
directory with persona files.

With - stdin is formatted to stdout. --check writes nothing, lists unformatted files
in the --format of your choice and exits with 1. --diff shows the changes.`,
		Example: "  parley persona fmt ferryman.yaml\n  parley persona fmt --check personas/\n  parley persona fmt --diff ferryman.yaml\n" +
			"  parley persona fmt --check --format github personas/",
		Args: cli.MinArgs("PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return runFmt(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; list files that are not formatted")
	o.reports.AddFlags(c, streams, LintReport{}, "text", "json", "sarif", "junit", "github", "gitlab")
	c.Flags().BoolVar(&o.diff, "diff", false, "write nothing; show the changes")
	return c
}

func (o *fmtOptions) checkFlags() error {
	if err := o.reports.Check(); err != nil {
		return err
	}
	switch {
	case o.hasReports() && !o.check:
		return cli.UsageError("--format, --output and --json report what --check finds: add --check")
	case o.diff && o.reports.Format != "text":
		return cli.UsageError("--diff and --format %s cannot both write to stdout: write the report to a file with --output", o.reports.Format)
	}
	return nil
}

type formattedFile struct {
	name    string
	differs int // the first unformatted line, from 1, or 0
	err     *cli.Failure
	took    time.Duration
}

func runFmt(ctx context.Context, o *fmtOptions) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	files, err := readPersonas(ctx, o.Streams, o.files, personafiles.ParseSource)
	if err != nil {
		return err
	}
	all := make([]formattedFile, len(files))
	for i, file := range files {
		began := o.Now()
		f := &all[i]
		f.name, f.differs, err = o.formatFile(file)
		f.took = file.Took + o.Now().Sub(began)
		if err == nil {
			continue
		}
		f.err = service.Explain(ctx, err)
		if len(files) == 1 && !o.hasReports() {
			return f.err
		}
		o.ReportFailure(nil, f.err)
	}
	if err := o.writeReports(all); err != nil {
		return err
	}
	return o.checkFormatted(all)
}

func (o *fmtOptions) checkFormatted(all []formattedFile) error {
	changed, code := 0, cli.ExitDone
	for _, file := range all {
		if file.differs > 0 {
			changed++
		}
		if file.err != nil {
			code = max(code, file.err.Code)
		}
	}
	if o.check && changed > 0 {
		return &cli.Failure{Code: max(code, cli.ExitNo), Hint: "format with `parley persona fmt`",
			Err: fmt.Errorf("%s would change", cli.Pluralize(changed, "file"))}
	}
	if code != cli.ExitDone {
		return &cli.Failure{Code: code, Err: errors.New("some files could not be formatted (see above)")}
	}
	return nil
}

func (o *fmtOptions) formatFile(file personafiles.ReadResult) (name string, differs int, err error) {
	if file.Err != nil {
		return file.Path, 0, file.Err
	}
	name, source := file.File.Name, file.File.Source
	if file.File.Foreign != "" {
		return name, 0, cli.AnswerNo("%s: %s; the file is unchanged", name, file.File.Foreign)
	}
	formatted, err := personas.Format(name, source)
	if err != nil {
		return name, 0, cli.AnswerNo("%s: %w; the file is unchanged", name, err)
	}
	differs = findDifferentLine(source, formatted)
	switch {
	case o.diff:
		_, err = fmt.Fprint(o.Out, terminal.CleanLines(cli.UnifiedDiff(name, "formatted", string(source), string(formatted))))
	case o.check && differs > 0 && o.reports.Format == "text":
		_, err = fmt.Fprintln(o.Out, personafiles.PlainPath(terminal.Clean(name)))
	case o.check:
	case file.Path == "-":
		_, err = cli.RawWriter(o.Out).Write(formatted)
	case differs > 0:
		err = o.writeFormatted(file.Found, formatted)
	}
	return name, differs, err
}

func (o *fmtOptions) writeFormatted(file personafiles.Found, formatted []byte) error {
	if err := file.RefuseLink(); err != nil {
		return err
	}
	if err := atomicfile.Rewrite(file.Path, formatted); err != nil {
		return err
	}
	o.Say("formatted %s", personafiles.PlainPath(terminal.Clean(file.Path)))
	return nil
}

func findDifferentLine(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return 1 + bytes.Count(a[:same], []byte("\n"))
}

func readPersonas(ctx context.Context, streams *cli.Streams, paths []string,
	check personafiles.CheckFunc) ([]personafiles.ReadResult, error) {
	found, err := personafiles.FindFiles(paths, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	files, err := personafiles.ReadAll(ctx, streams, found, check)
	if err == nil && len(files) == 0 {
		err = personafiles.NoPersonaError(paths)
	}
	return files, err
}

const notFormattedCheck = "not-formatted"

var fmtRules = []personafiles.SARIFRule{
	{ID: notFormattedCheck, Short: personafiles.SARIFText{Text: "The file is not in its canonical form."}},
}

func (o *fmtOptions) hasReports() bool { return o.reports.Format != "text" || o.reports.HasOutputs() }

func (o *fmtOptions) writeReports(all []formattedFile) error {
	found := []personas.Diagnostic{}
	for _, f := range all {
		found = append(found, f.listFindings()...)
	}
	formats := map[string]func(io.Writer) error{
		"json": func(w io.Writer) error { return personafiles.WriteJSON(w, LintReport{found}) },
		"junit": func(w io.Writer) error {
			suites := make([]personafiles.JUnitSuite, len(all))
			for i, f := range all {
				suites[i] = personafiles.NewFileSuite(o.reports.Paths(), f.name, "formatted", f.took,
					f.listFindings(), func(personas.Diagnostic) bool { return true })
			}
			return personafiles.WriteJUnit(w, suites)
		},
		"text": func(w io.Writer) error {
			var names strings.Builder
			for _, f := range all {
				if f.differs > 0 && w != io.Writer(o.Out) { // formatFile has written the names to stdout
					names.WriteString(personafiles.PlainPath(f.name) + "\n")
				}
			}
			_, err := io.WriteString(w, names.String())
			return err
		},
	}
	return o.reports.Write(o.Out, personafiles.Report{Findings: found,
		Rules: append(slices.Clone(fmtRules), buildLintRules()...), Formats: formats})
}

func (f formattedFile) listFindings() []personas.Diagnostic {
	switch {
	case f.err != nil:
		found := personafiles.NewFileFinding(f.name, lint.FaultCheck, f.err.Error())
		if fault, ok := errors.AsType[*personas.Diagnostic](f.err); ok {
			found.Position = fault.Position
			found.Message = "not formatted: " + fault.Message
		}
		return []personas.Diagnostic{found}
	case f.differs > 0:
		found := personafiles.NewFileFinding(f.name, notFormattedCheck,
			"the file is not in canonical form from here on; `parley persona fmt` formats it")
		found.Line, found.EndLine, found.EndColumn = f.differs, f.differs, 2
		return []personas.Diagnostic{found}
	}
	return nil
}
