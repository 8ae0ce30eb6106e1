package persona

import (
	"errors"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

const notFormattedCheck = "not-formatted"

var fmtRules = []report.SARIFRule{
	{ID: notFormattedCheck, Short: report.SARIFText{Text: "The file is not in its canonical form."}},
}

// hasReports reports whether another program reads what --check finds.
func (o *fmtOptions) hasReports() bool { return o.reports.Format != "text" || o.reports.HasOutputs() }

// reportFormatted writes the reports on stdout and into files. The text on stdout was
// written file by file.
func (o *fmtOptions) reportFormatted(all []formattedFile) error {
	return o.reports.WriteAll(o.Out, func(w io.Writer, format string) error {
		if w == io.Writer(o.Out) && format == "text" {
			return nil
		}
		return o.writeFormat(w, format, all)
	})
}

func (o *fmtOptions) writeFormat(w io.Writer, format string, all []formattedFile) error {
	paths := report.NewProjectPaths(o.WorkingFolder())
	var found []report.Finding
	suites := make([]report.JUnitSuite, len(all))
	for i, f := range all {
		some := f.listFindings()
		found = append(found, some...)
		suites[i] = report.NewFileSuite(paths, f.name, "formatted", f.took, some, func(report.Finding) bool { return true })
	}
	switch format {
	case "json":
		return report.WriteJSON(w, LintReport{append([]report.Finding{}, found...)})
	case "junit":
		return report.WriteJUnit(w, suites)
	case "github":
		return report.WriteAnnotations(w, paths, found)
	case "gitlab":
		return report.WriteGitLab(w, paths, found)
	case "sarif":
		return report.WriteSARIF(w, paths, append(slices.Clone(fmtRules), buildLintRules()...), found)
	}
	for _, f := range all {
		if f.differs > 0 {
			if _, err := io.WriteString(w, personafiles.PlainPath(f.name)+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// listFindings returns as an error that a file is not formatted, or could not be.
func (f formattedFile) listFindings() []report.Finding {
	switch {
	case f.err != nil:
		found := report.NewFileFinding(f.name, lint.FaultCheck, f.err.Error())
		if fault, ok := errors.AsType[*personas.Fault](f.err); ok {
			found.Line, found.Column, found.EndLine, found.EndColumn = fault.Pos.Line, fault.Pos.Column, fault.Pos.EndLine, fault.Pos.EndColumn
			found.Message = "not formatted: " + fault.Message
		}
		return []report.Finding{found}
	case f.differs > 0:
		found := report.NewFileFinding(f.name, notFormattedCheck, "not in its canonical form from here on; `parley persona fmt` writes it")
		found.Line, found.EndLine, found.EndColumn = f.differs, f.differs, 2
		return []report.Finding{found}
	}
	return nil
}
