package check

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
)

// corpusReport is older than linesReport. Accuracy is in percent.
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

// linesReport is the JSON for --lines. Accuracy is in percent. Probabilities are from 0 to 1.
type linesReport struct {
	Judge  string `json:"judge"`
	Method string `json:"method"`
	// Tried counts judged lines. Lines counts lines in the file.
	Tried      int     `json:"tried"`
	Lines      int     `json:"lines"`
	Right      int     `json:"right"`
	Accuracy   float64 `json:"accuracy"`
	Unanswered int     `json:"unanswered"`
	// Undeserved counts wrong kick_out decisions, and wrong reject decisions unless the label is
	// kick_out.
	Undeserved int `json:"undeserved"`
	// LostSmallTalk counts only lost tries with the label aside.
	LostTries        int              `json:"lost_tries"`
	LostSmallTalk    int              `json:"lost_small_talk"`
	Decisions        []decisionReport `json:"decisions"`
	CalibrationError float64          `json:"calibration_error"`
	Calibration      []binReport      `json:"calibration"`
	Milliseconds     timesReport      `json:"milliseconds"`
	Tokens           tokensReport     `json:"tokens"`
	Cost             float64          `json:"cost,omitempty"`
	Fit              *fitReport       `json:"fit,omitempty"`
}

type binReport struct {
	From        float64 `json:"from"`
	To          float64 `json:"to"`
	Lines       int     `json:"lines"`
	Probability float64 `json:"probability"`
	Right       float64 `json:"right"`
}

type timesReport struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

type tokensReport struct {
	Read    int `json:"read"`
	Cached  int `json:"cached"`
	Written int `json:"written"`
}

type fitReport struct {
	Thresholds    []thresholdReport `json:"thresholds"`
	Lines         int               `json:"lines"`
	RightNow      int               `json:"right_now"`
	Right         int               `json:"right"`
	UndeservedNow int               `json:"undeserved_now"`
	Undeserved    int               `json:"undeserved"`
}

type thresholdReport struct {
	Decision string  `json:"decision"`
	Now      float64 `json:"now"`
	Fitted   float64 `json:"fitted"`
}

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

func (o *testOptions) writeLinesReports(run *linesRun) error {
	formats := map[string]func(io.Writer) error{
		"text":     run.buildSummary().writeText,
		"junit":    func(w io.Writer) error { return o.writeLinesJUnit(w, run) },
		"markdown": run.buildSummary().writeMarkdown,
		"json": func(w io.Writer) error {
			return personafiles.WriteJSON(w, TestReport{
				Plays: []playReport{}, Findings: run.listFindings(), Coverage: (&testRun{}).buildCoverage(),
				Corpus: run.buildCorpusReport(), Lines: run.buildReport(),
			})
		},
	}
	return o.reports.Write(o.Out, personafiles.Report{Findings: run.listFindings(), Rules: testRules, Formats: formats})
}

func (run *linesRun) listFindings() []personas.Diagnostic {
	check := "judged-line"
	if run.builtIn {
		check = "offline-corpus" // the older name
	}
	all := []personas.Diagnostic{}
	for i := range run.figures.Wrong {
		w := &run.figures.Wrong[i]
		all = append(all, personas.Diagnostic{
			File: run.file, Position: personas.Position{Line: w.Line.Number, Column: 1, EndLine: w.Line.Number, EndColumn: 2},
			Check: check, Severity: "warning", Message: describeWrong(w),
		})
	}
	return all
}

func (run *linesRun) summarize() string {
	f := &run.figures
	lines := cli.Pluralize(f.Lines, "line")
	if run.figures.Lines != run.total {
		lines = fmt.Sprintf("%d of %s", f.Lines, cli.Pluralize(run.total, "line"))
	}
	return fmt.Sprintf("%s, %d right: %.1f %%; %d of %s kicked out", lines, f.Right, 100*f.Accuracy(), f.KickedOut,
		cli.Pluralize(f.Innocent, "innocent"))
}

func (run *linesRun) buildDetails() []string {
	figures := &run.figures
	median, p95 := figures.Times()
	details := []string{
		fmt.Sprintf("endings that were not deserved: %d; tries lost: %d, of these for small talk: %d", figures.Undeserved,
			figures.LostTries, figures.LostSmallTalk),
		fmt.Sprintf("judge: %s (%s); median time per line %.*f ms, 95 of 100 lines at most %.*f ms", run.judge,
			cmp.Or(figures.Method(), "none"),
			decimalsOf(median), toMilliseconds(median), decimalsOf(p95), toMilliseconds(p95)),
	}
	if figures.Unanswered > 0 {
		details = append(details, "lines without an answer that can be used: "+strconv.Itoa(figures.Unanswered))
	}
	if figures.Read > 0 {
		details = append(details, fmt.Sprintf("tokens per line: %d read, %s of them cached, %.1f written",
			figures.Read/figures.Lines, formatShare(figures.Cached, figures.Read),
			float64(figures.Written)/float64(figures.Lines)))
	}
	if figures.Cost > 0 {
		details = append(details, fmt.Sprintf("cost: $%.4f", figures.Cost))
	}
	return details
}

func (run *linesRun) buildTables() [][][]string {
	decisions := [][]string{{"decision", "wanted", "recall", "precision"}}
	for _, d := range run.figures.Decisions() {
		decisions = append(decisions,
			[]string{d.Decision, fmt.Sprint(d.Wanted), formatShare(d.Right, d.Wanted), formatShare(d.Right, d.Made)})
	}
	calibration := [][]string{{"probability", "lines", "mean", "right"}}
	for _, b := range run.figures.Calibration.Bins() {
		calibration = append(calibration, []string{fmt.Sprintf("%.1f to %.1f", b.From, b.To), strconv.Itoa(b.Lines),
			fmt.Sprintf("%.2f", b.Probability), fmt.Sprintf("%.2f", b.Right)})
	}
	calibration = append(calibration, []string{"mean error", "", "", fmt.Sprintf("%.2f", run.figures.Calibration.Error())})
	if run.fit == nil {
		return [][][]string{decisions, calibration}
	}
	fit := [][]string{{"threshold", "now", "fitted"}}
	for _, t := range run.fit.Thresholds {
		fit = append(fit, []string{t.Decision, fmt.Sprintf("%.2f", t.Now), fmt.Sprintf("%.2f", t.Fitted)})
	}
	fit = append(fit,
		[]string{fmt.Sprintf("right, of %d", run.fit.Lines), strconv.Itoa(run.fit.RightNow), strconv.Itoa(run.fit.Right)},
		[]string{"not deserved", strconv.Itoa(run.fit.UndeservedNow), strconv.Itoa(run.fit.Undeserved)})
	return [][][]string{decisions, calibration, fit}
}

func (run *linesRun) buildSummary() *summary {
	facts := append([]string{run.summarize()}, run.buildDetails()...)
	return &summary{
		title: "Lines: " + run.summarize(), facts: facts, tables: run.buildTables(), findings: run.listFindings(),
	}
}

func (o *testOptions) writeLinesJUnit(w io.Writer, run *linesRun) error {
	var text strings.Builder
	if err := run.buildSummary().writeText(&text); err != nil {
		return err
	}
	paths := o.reports.Paths()
	file := paths.MakeRelative(run.file)
	name := "lines"
	if run.builtIn {
		name = "offline corpus"
	}
	c := personafiles.JUnitCase{Name: name, Class: paths.MakeRelative(run.persona.Name), File: file,
		Time: personafiles.JUnitTime(run.took), Out: text.String()}
	if 100*run.figures.Accuracy() < o.failUnder {
		message := fmt.Sprintf("%s; less than %g %%", run.summarize(), o.failUnder)
		c.Failure = &personafiles.JUnitFailure{Message: message, Text: text.String()}
		c.Out = ""
	}
	return personafiles.WriteJUnit(w, []personafiles.JUnitSuite{{Name: file, Cases: []personafiles.JUnitCase{c}}})
}

func (run *linesRun) buildReport() *linesReport {
	f := &run.figures
	median, p95 := f.Times()
	r := &linesReport{
		Judge: run.judge, Method: f.Method(), Tried: f.Lines, Lines: run.total, Right: f.Right,
		Accuracy: 100 * f.Accuracy(), Unanswered: f.Unanswered, Decisions: run.buildDecisionReports(),
		Undeserved: f.Undeserved, LostTries: f.LostTries, LostSmallTalk: f.LostSmallTalk,
		CalibrationError: f.Calibration.Error(), Calibration: []binReport{},
		Milliseconds: timesReport{toMilliseconds(median), toMilliseconds(p95)},
		Tokens:       tokensReport{f.Read, f.Cached, f.Written},
		Cost:         f.Cost, Fit: run.fit,
	}
	for _, b := range f.Calibration.Bins() {
		r.Calibration = append(r.Calibration, binReport(b))
	}
	return r
}

func decimalsOf(d time.Duration) int {
	if d < 10*time.Millisecond {
		return 1
	}
	return 0
}

func toMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (run *linesRun) buildCorpusReport() *corpusReport {
	f := &run.figures
	r := &corpusReport{
		File: run.file, Persona: run.persona.Name, Lines: f.Lines, Right: f.Right, Accuracy: 100 * f.Accuracy(),
		Innocent: f.Innocent, KickedOut: f.KickedOut, Decisions: run.buildDecisionReports(), Wrong: []wrongReport{},
	}
	for i := range f.Wrong {
		l, made := f.Wrong[i].Line, f.Wrong[i].Made
		r.Wrong = append(r.Wrong, wrongReport{
			Line: l.Number, Machine: l.Place.Machine.Key, State: l.State, Text: l.Text, Style: l.Style,
			Wanted: l.Label, To: l.To, Made: made.Decision, Why: made.Why,
		})
	}
	return r
}

func (run *linesRun) buildDecisionReports() []decisionReport {
	var all []decisionReport
	for _, d := range run.figures.Decisions() {
		r := decisionReport{Decision: d.Decision, Wanted: d.Wanted, Made: d.Made, Right: d.Right}
		if d.Wanted > 0 {
			r.Recall = new(100 * d.Recall())
		}
		if d.Made > 0 {
			r.Precision = new(100 * d.Precision())
		}
		all = append(all, r)
	}
	return all
}
