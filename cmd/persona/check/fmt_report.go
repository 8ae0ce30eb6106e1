package check

import (
	"errors"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

const notFormattedCheck = "not-formatted"

var fmtRules = []personafiles.SARIFRule{
	{ID: notFormattedCheck, Short: personafiles.SARIFText{Text: "The file is not in its canonical form."}},
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
	paths := personafiles.NewProjectPaths(o.WorkingFolder())
	var found []personafiles.Finding
	suites := make([]personafiles.JUnitSuite, len(all))
	for i, f := range all {
		some := f.listFindings()
		found = append(found, some...)
		suites[i] = personafiles.NewFileSuite(paths, f.name, "formatted", f.took, some, func(personafiles.Finding) bool { return true })
	}
	switch format {
	case "json":
		return personafiles.WriteJSON(w, LintReport{append([]personafiles.Finding{}, found...)})
	case "junit":
		return personafiles.WriteJUnit(w, suites)
	case "github":
		return personafiles.WriteAnnotations(w, paths, found)
	case "gitlab":
		return personafiles.WriteGitLab(w, paths, found)
	case "sarif":
		return personafiles.WriteSARIF(w, paths, append(slices.Clone(fmtRules), buildLintRules()...), found)
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
func (f formattedFile) listFindings() []personafiles.Finding {
	switch {
	case f.err != nil:
		found := personafiles.NewFileFinding(f.name, lint.FaultCheck, f.err.Error())
		if fault, ok := errors.AsType[*personas.Fault](f.err); ok {
			found.Line, found.Column, found.EndLine, found.EndColumn = fault.Pos.Line, fault.Pos.Column, fault.Pos.EndLine, fault.Pos.EndColumn
			found.Message = "not formatted: " + fault.Message
		}
		return []personafiles.Finding{found}
	case f.differs > 0:
		found := personafiles.NewFileFinding(f.name, notFormattedCheck, "not in its canonical form from here on; `parley persona fmt` writes it")
		found.Line, found.EndLine, found.EndColumn = f.differs, f.differs, 2
		return []personafiles.Finding{found}
	}
	return nil
}
