package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/tui/terminal"
)

// corpusReport is a measured corpus as JSON. Shares are in percent.
type corpusReport struct {
	File      string           `json:"file"`
	Persona   string           `json:"persona"`
	Lines     int              `json:"lines"`
	Right     int              `json:"right"`
	Accuracy  float64          `json:"accuracy"`
	Innocent  int              `json:"innocent"`
	KickedOut int              `json:"kicked_out"`
	Decisions []decisionReport `json:"decisions"`
	Wrong     []wrongReport    `json:"wrong"`
}

// decisionReport has no recall where no line wants the decision, and no precision where
// it was never made.
type decisionReport struct {
	Decision  string   `json:"decision"`
	Wanted    int      `json:"wanted"`
	Made      int      `json:"made"`
	Right     int      `json:"right"`
	Recall    *float64 `json:"recall,omitempty"`
	Precision *float64 `json:"precision,omitempty"`
}

type wrongReport struct {
	Line    int    `json:"line"`
	Machine string `json:"machine_key"`
	State   string `json:"state_key"`
	Text    string `json:"text"`
	Style   string `json:"style,omitempty"`
	Wanted  string `json:"wanted"`
	To      string `json:"to,omitempty"`
	Made    string `json:"made"`
	Why     string `json:"why"`
}

// reportCorpus writes what was asked for, on stdout and into files.
func (o *testOptions) reportCorpus(run *corpusRun) error {
	err := o.reports.WriteAll(o.Out, func(w io.Writer, format string) error { return o.writeCorpusFormat(w, format, run) })
	if err == nil && o.reports.Wants("github") {
		err = report.AppendSummary(o.Env("GITHUB_STEP_SUMMARY"), func(w io.Writer) error { return writeCorpusMarkdown(w, run) })
	}
	return err
}

func (o *testOptions) writeCorpusFormat(w io.Writer, format string, run *corpusRun) error {
	switch format {
	case "json":
		return report.WriteJSON(w, TestReport{
			Plays: []playReport{}, Findings: run.listFindings(), Coverage: (&testRun{}).buildCoverage(), Corpus: run.buildReport(),
		})
	case "junit":
		return o.writeCorpusJUnit(w, run)
	case "github":
		return report.WriteAnnotations(w, report.NewProjectPaths(o.WorkingFolder()), run.listFindings())
	case "gitlab":
		return report.WriteGitLab(w, report.NewProjectPaths(o.WorkingFolder()), run.listFindings())
	case "markdown":
		return writeCorpusMarkdown(w, run)
	case "sarif":
		return report.WriteSARIF(w, report.NewProjectPaths(o.WorkingFolder()), testRules, run.listFindings())
	}
	return run.writeText(w)
}

// listFindings returns the wrong lines as findings in the corpus.
func (run *corpusRun) listFindings() []report.Finding {
	all := []report.Finding{}
	for i := range run.figures.Wrong {
		w := &run.figures.Wrong[i]
		all = append(all, report.Finding{
			File: run.file, Line: w.Line.Number, Column: 1, EndLine: w.Line.Number, EndColumn: 2,
			Check: "offline-corpus", Severity: "warning", Message: describeWrong(w),
		})
	}
	return all
}

// summarize returns in one sentence how many lines are right.
func (run *corpusRun) summarize() string {
	f := &run.figures
	return fmt.Sprintf("%s, %d right: %.1f %%; %d of %s kicked out", cli.Pluralize(f.Lines, "line"), f.Right, 100*f.Accuracy(),
		f.KickedOut, cli.Pluralize(f.Innocent, "innocent"))
}

// buildRows is the table of the decisions, with its head.
func (run *corpusRun) buildRows() [][]string {
	rows := [][]string{{"decision", "wanted", "recall", "precision"}}
	for _, d := range run.figures.Decisions() {
		rows = append(rows, []string{d.Decision, fmt.Sprint(d.Wanted), formatShare(d.Right, d.Wanted), formatShare(d.Right, d.Made)})
	}
	return rows
}

func (run *corpusRun) writeText(w io.Writer) error {
	var text strings.Builder
	text.WriteString(run.summarize() + "\n")
	writeColumns(&text, run.buildRows())
	for _, f := range run.listFindings() {
		fmt.Fprintf(&text, "%s:%d: %s\n", f.File, f.Line, f.Message)
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

func writeCorpusMarkdown(w io.Writer, run *corpusRun) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### Offline corpus: %s\n\n", run.summarize())
	for i, row := range run.buildRows() {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			text.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	if wrong := run.listFindings(); len(wrong) > 0 {
		text.WriteString("\n")
		report.WriteMarkdownList(&text, wrong)
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

// writeCorpusJUnit writes the corpus as one case, which fails under --fail-under.
func (o *testOptions) writeCorpusJUnit(w io.Writer, run *corpusRun) error {
	var text strings.Builder
	if err := run.writeText(&text); err != nil {
		return err
	}
	paths := report.NewProjectPaths(o.WorkingFolder())
	file := paths.MakeRelative(run.file)
	c := report.JUnitCase{Name: "offline corpus", Class: paths.MakeRelative(run.persona.Name), File: file, Time: report.JUnitTime(run.took), Out: text.String()}
	if 100*run.figures.Accuracy() < o.failUnder {
		c.Failure = &report.JUnitFailure{Message: fmt.Sprintf("%s; under %g %%", run.summarize(), o.failUnder), Text: text.String()}
		c.Out = ""
	}
	return report.WriteJUnit(w, []report.JUnitSuite{{Name: file, Cases: []report.JUnitCase{c}}})
}

func (run *corpusRun) buildReport() *corpusReport {
	f := &run.figures
	r := &corpusReport{
		File: run.file, Persona: run.persona.Name, Lines: f.Lines, Right: f.Right, Accuracy: 100 * f.Accuracy(),
		Innocent: f.Innocent, KickedOut: f.KickedOut, Wrong: []wrongReport{},
	}
	for _, d := range f.Decisions() {
		r.Decisions = append(r.Decisions, buildDecisionReport(&d))
	}
	for i := range f.Wrong {
		r.Wrong = append(r.Wrong, buildWrongReport(&f.Wrong[i]))
	}
	return r
}

func buildDecisionReport(d *intent.DecisionFigures) decisionReport {
	r := decisionReport{Decision: d.Decision, Wanted: d.Wanted, Made: d.Made, Right: d.Right}
	if d.Wanted > 0 {
		r.Recall = new(100 * d.Recall())
	}
	if d.Made > 0 {
		r.Precision = new(100 * d.Precision())
	}
	return r
}

func buildWrongReport(w *intent.WrongLine) wrongReport {
	l := w.Line
	return wrongReport{
		Line: l.Number, Machine: l.Place.Machine.Key, State: l.State, Text: l.Text, Style: l.Style,
		Wanted: l.Label, To: l.To, Made: w.Verdict.Decision, Why: w.Verdict.Why,
	}
}
