package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

const notCoveredCheck = "not-covered"

func (o *testOptions) reportAll(run *testRun) error {
	all := run.listFaulty()
	for _, p := range run.playFiles {
		all = append(all, p.listFindings()...)
	}
	rules := testRules
	if len(run.faulty) > 0 {
		rules = append(slices.Clone(rules), buildLintRules()...)
	}
	formats := map[string]func(io.Writer) error{
		"text":   func(w io.Writer) error { return o.writeText(w, run) },
		"json":   func(w io.Writer) error { return writeTestJSON(w, run) },
		"junit":  func(w io.Writer) error { return o.writeTestJUnit(w, run) },
		"github": func(w io.Writer) error { return o.writeTestAnnotations(w, run) },
		"gitlab": func(w io.Writer) error {
			return personafiles.WriteGitLab(w, o.reports.Paths(), append(run.listFailures(), run.listGaps()...))
		},
		"markdown": run.buildSummary(append(run.listFailures(), run.listGaps()...)).writeMarkdown,
	}
	err := o.reports.Write(o.Out,
		personafiles.Report{Findings: append(all, run.listGaps()...), Rules: rules, Formats: formats})
	if err != nil || o.coverage == "" {
		return err
	}
	text, err := personafiles.IndentJSON(run.buildCoverage())
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.coverage, text, 0o644); err != nil {
		return cli.WrapTrouble(fmt.Errorf("write %s: %w", o.coverage, cli.PathReason(err)), "")
	}
	return nil
}

func (p *playFile) listFindings() []personas.Diagnostic {
	all := slices.Clone(p.faults)
	for i := range p.results {
		r := &p.results[i]
		title := ""
		if t := r.Play.Title(); t != "" {
			title = " (" + t + ")"
		}
		for _, f := range r.Failures() {
			all = append(all, p.newFinding(f.Path, "expectation", "error", f.Message()+title))
		}
		if r.Err != nil {
			all = append(all, p.newFinding(findErrorPath(r), "service", "error", r.Err.Error()+title))
		}
		for _, n := range r.Notes {
			all = append(all, p.newFinding(n.Path, "which-transition", "info", n.Text+title))
		}
	}
	slices.SortStableFunc(all, personafiles.ComparePlaces)
	return all
}

func findErrorPath(r *playtest.Result) string {
	if len(r.Steps) == 0 {
		return r.Play.Path
	}
	return r.Steps[len(r.Steps)-1].Step.Path
}

func (p *playFile) newFinding(path, check string, severity lint.Severity, message string) personas.Diagnostic {
	at := p.places.Lookup(path)
	if check == "which-transition" || at.EndLine > at.Line { // mark only the first line of a step
		at.EndLine, at.EndColumn = at.Line, at.Column+1
	}
	return personas.Diagnostic{
		File: p.name, Position: at, Path: path, Check: check, Severity: severity, Message: message,
	}
}

func (tested *testedPersona) listUncovered() []personas.Diagnostic {
	if !tested.played {
		f := personafiles.NewFileFinding(tested.Name, notCoveredCheck, "not covered: no play file uses this persona")
		f.Severity = lint.Warning
		return []personas.Diagnostic{f}
	}
	var all []personas.Diagnostic
	for _, p := range playtest.FindMissing(tested.points, tested.counts) {
		path := tested.names.Path(p)
		at := tested.Places.Lookup(path)
		at.EndLine, at.EndColumn = at.Line, at.Column+1
		all = append(all, personas.Diagnostic{
			File: tested.Name, Position: at, Path: path,
			Check: notCoveredCheck, Severity: lint.Warning, Message: "not covered: " + tested.names.Describe(p),
		})
	}
	return all
}

func (o *testOptions) writeText(w io.Writer, run *testRun) error {
	for _, f := range run.faulty {
		if err := personafiles.ReportFindings(o.Streams, w, f); err != nil {
			return err
		}
	}
	for _, p := range run.playFiles {
		file := &personafiles.File{Name: p.name, Source: p.source, Findings: p.listFindings()}
		if err := personafiles.ReportFindings(o.Streams, w, file); err != nil {
			return err
		}
	}
	return run.buildSummary(run.listGaps()).writeText(w)
}

func (run *testRun) buildSummary(findings []personas.Diagnostic) *summary {
	counts := run.count()
	verdict := fmt.Sprintf("%d passed, %d failed", counts.results-counts.failed, counts.failed)
	result := &summary{title: "Play-throughs: " + verdict, findings: findings}
	if counts.results > 0 {
		result.facts = append(result.facts, fmt.Sprintf("%s, %s: %s",
			cli.Pluralize(counts.results, "play-through"), cli.Pluralize(counts.steps, "step"), verdict))
	}
	if counts.broken > 0 {
		result.facts = append(result.facts, cli.Pluralize(counts.broken, "play file")+" cannot be played")
	}
	if len(run.mutants) > 0 {
		result.facts = append(result.facts, fmt.Sprintf("%s made, %d noticed", cli.Pluralize(len(run.mutants), "mistake"),
			len(run.mutants)-len(run.listUnnoticed())))
	}
	if len(run.personas) == 0 {
		return result
	}
	rows := [][]string{buildCoverageHead()}
	for _, tested := range run.personas {
		rows = append(rows, buildCoverageRow(tested.Name, tested.countCoverage()))
	}
	if len(run.personas) > 1 {
		rows = append(rows, buildCoverageRow("all", run.sumByKind()))
	}
	result.tables = [][][]string{rows}
	return result
}

func buildCoverageHead() []string {
	head := []string{"covered"}
	for _, kind := range playtest.Kinds {
		head = append(head, string(kind)+"s")
	}
	return append(head, "all")
}

func buildCoverageRow(name string, tallies map[playtest.Kind]playtest.Tally) []string {
	row := []string{name}
	for _, kind := range playtest.Kinds {
		row = append(row, fmt.Sprintf("%d/%d", tallies[kind].Covered, tallies[kind].Total))
	}
	return append(row, fmt.Sprintf("%.1f %%", playtest.Sum(tallies).Percent()))
}

func (run *testRun) listUnnoticed() []personas.Diagnostic {
	var all []personas.Diagnostic
	for i := range run.mutants {
		m := &run.mutants[i]
		if m.noticed || m.refused {
			continue
		}
		at := m.persona.Places.Lookup(m.mutant.Path)
		at.EndLine, at.EndColumn = at.Line, at.Column+1
		all = append(all, personas.Diagnostic{
			File: m.persona.Name, Position: at, Path: m.mutant.Path,
			Check: "mutant", Severity: "warning", Message: "no play-through notices: " + m.mutant.What,
		})
	}
	slices.SortStableFunc(all, func(a, b personas.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), personafiles.ComparePlaces(a, b))
	})
	return all
}

type pointReport struct {
	Machine  string           `json:"machine_key,omitempty"`
	State    string           `json:"state_key,omitempty"`
	Index    *int             `json:"index,omitempty"`
	Decision string           `json:"decision,omitempty"`
	Outcome  personas.Outcome `json:"outcome,omitempty"`
	Count    int              `json:"count"`
	Path     string           `json:"path"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
}

func (tested *testedPersona) buildPointReport(p playtest.Point) pointReport {
	path := tested.names.Path(p)
	at := tested.Places.Lookup(path)
	r := pointReport{Machine: p.Machine, Count: tested.counts[p], Path: path, Line: at.Line, Column: at.Column}
	switch p.Kind {
	case playtest.KindState:
		r.State = p.Name
	case playtest.KindDecision:
		r.Decision = p.Name
	case playtest.KindOutcome:
		r.Outcome = personas.Outcome(p.Name)
	default:
		r.Index = &p.Index
	}
	return r
}

type coverage struct {
	Percent  float64                          `json:"percent"`
	Total    map[playtest.Kind]playtest.Tally `json:"total"`
	Personas []personaCoverage                `json:"personas"`
}

type personaCoverage struct {
	File       string                           `json:"file"`
	Name       string                           `json:"name"`
	Percent    float64                          `json:"percent"`
	Total      map[playtest.Kind]playtest.Tally `json:"total"`
	Impossible int                              `json:"impossible"`
	pointReports
}

type pointReports struct {
	States      []pointReport `json:"states"`
	Transitions []pointReport `json:"transitions"`
	Decisions   []pointReport `json:"decisions"`
	Outcomes    []pointReport `json:"outcomes"`
	Links       []pointReport `json:"links"`
}

func (tested *testedPersona) buildPointReports() pointReports {
	reports := map[playtest.Kind][]pointReport{}
	for _, kind := range playtest.Kinds {
		reports[kind] = []pointReport{}
	}
	for _, p := range tested.points {
		reports[p.Kind] = append(reports[p.Kind], tested.buildPointReport(p))
	}
	return pointReports{reports[playtest.KindState], reports[playtest.KindTransition], reports[playtest.KindDecision],
		reports[playtest.KindOutcome], reports[playtest.KindLink]}
}

func (run *testRun) buildCoverage() coverage {
	total := coverage{Percent: run.sumCoverage().Percent(), Total: run.sumByKind(), Personas: []personaCoverage{}}
	for _, tested := range run.personas {
		counts := tested.countCoverage()
		total.Personas = append(total.Personas, personaCoverage{
			File: tested.Name, Name: tested.Doc.Name, Percent: playtest.Sum(counts).Percent(), Total: counts,
			Impossible: tested.impossible, pointReports: tested.buildPointReports(),
		})
	}
	return total
}

type playReport struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Variant string `json:"variant,omitempty"`
	Steps   int    `json:"steps"`
	Passed  bool   `json:"passed"`
}

// A TestReport is the output of --format json.
type TestReport struct {
	Plays    []playReport          `json:"plays"`
	Findings []personas.Diagnostic `json:"findings"`
	Mutants  *int                  `json:"mutants,omitempty"`
	LeftOut  int                   `json:"mutants_left_out,omitempty"`
	Coverage coverage              `json:"coverage"`
	Corpus   *corpusReport         `json:"corpus,omitempty"`
	Lines    *linesReport          `json:"lines,omitempty"`

	Unforeseen *playtest.UnforeseenReport `json:"unforeseen,omitempty"`
}

func writeTestJSON(w io.Writer, run *testRun) error {
	all := TestReport{Plays: []playReport{}, Findings: run.listFaulty(), Coverage: run.buildCoverage()}
	for _, p := range run.playFiles {
		for i := range p.results {
			r := &p.results[i]
			at := p.places.Lookup(r.Play.Path)
			all.Plays = append(all.Plays, playReport{p.name, at.Line, r.Play.Name, r.Play.Variant, r.CountSteps(),
				r.Err == nil && len(r.Failures()) == 0})
		}
		all.Findings = append(all.Findings, p.listFindings()...)
	}
	if n := len(run.mutants); n+run.mutantsLeftOut > 0 {
		all.Mutants, all.LeftOut = &n, run.mutantsLeftOut
		all.Findings = append(all.Findings, run.listUnnoticed()...)
	}
	return personafiles.WriteJSON(w, all)
}

func (o *testOptions) writeTestJUnit(w io.Writer, run *testRun) error {
	paths := o.reports.Paths()
	suites := make([]personafiles.JUnitSuite, 0, len(run.playFiles))
	for _, p := range run.playFiles {
		suites = append(suites, p.buildJUnitSuite(paths))
	}
	if o.failUnder > 0 {
		c := personafiles.JUnitCase{Name: fmt.Sprintf("at least %g %%", o.failUnder), Class: "coverage"}
		if lack := o.findLack(run); lack != "" {
			c.Failure = &personafiles.JUnitFailure{Message: lack, Text: lack}
		}
		suites = append(suites, personafiles.JUnitSuite{Name: "coverage", Cases: []personafiles.JUnitCase{c}})
	}
	return personafiles.WriteJUnit(w, suites)
}

func (p *playFile) buildJUnitSuite(paths personafiles.ProjectPaths) personafiles.JUnitSuite {
	suite := personafiles.JUnitSuite{Name: paths.MakeRelative(p.name)}
	var lines []string
	for _, f := range p.faults {
		f.File = suite.Name
		lines = append(lines, personafiles.FormatOneLine(f))
	}
	if len(lines) > 0 {
		e := &personafiles.JUnitFailure{Message: p.faults[0].Message, Text: strings.Join(lines, "\n")}
		suite.AddCase(personafiles.JUnitCase{Name: "read", Line: p.faults[0].Line, Error: e})
	}
	for i := range p.results {
		c := p.buildJUnitCase(&p.results[i], suite.Name)
		c.Time = personafiles.JUnitTime(p.took[i])
		suite.AddCase(c)
	}
	return suite
}

func (p *playFile) buildJUnitCase(r *playtest.Result, file string) personafiles.JUnitCase {
	c := personafiles.JUnitCase{Name: cmp.Or(r.Play.Title(), file), Line: p.places.Lookup(r.Play.Path).Line}
	var lines []string
	for _, f := range r.Failures() {
		at := p.places.Lookup(f.Path)
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", file, at.Line, at.Column, f.Message()))
	}
	if r.Err != nil {
		lines = append(lines, r.Err.Error())
	}
	if len(lines) > 0 {
		c.Failure = &personafiles.JUnitFailure{Message: lines[0], Text: strings.Join(lines, "\n")}
	}
	return c
}

func (run *testRun) listFaulty() []personas.Diagnostic {
	all := []personas.Diagnostic{}
	for _, f := range run.faulty {
		all = append(all, f.Findings...)
	}
	return all
}

func (run *testRun) listFailures() []personas.Diagnostic {
	all := run.listFaulty()
	for _, p := range run.playFiles {
		for _, f := range p.listFindings() {
			if f.Severity == "error" {
				all = append(all, f)
			}
		}
	}
	return all
}

func (run *testRun) listGaps() []personas.Diagnostic {
	return append(run.listUncovered(), run.listUnnoticed()...)
}

func (run *testRun) listUncovered() []personas.Diagnostic {
	var all []personas.Diagnostic
	for _, tested := range run.personas {
		all = append(all, tested.listUncovered()...)
	}
	return all
}

// writeTestAnnotations puts all uncovered points in one notice, because GitHub shows only ten.
func (o *testOptions) writeTestAnnotations(w io.Writer, run *testRun) error {
	findings := append(run.listFailures(), run.listUnnoticed()...)
	if err := personafiles.WriteAnnotations(w, o.reports.Paths(), findings); err != nil {
		return err
	}
	uncovered := run.listUncovered()
	says := fmt.Sprintf("%.1f %% is covered by play-throughs; the log of this step lists %s",
		run.sumCoverage().Percent(), cli.Pluralize(len(uncovered), "gap"))
	return personafiles.WriteNotice(w, notCoveredCheck, says, uncovered)
}

var testRules = []personafiles.SARIFRule{
	{ID: "expectation", Short: personafiles.SARIFText{Text: "A message did not lead to what its play-through expects."}},
	{ID: "service", Short: personafiles.SARIFText{Text: "The service did not answer."}},
	{ID: playFileCheck, Short: personafiles.SARIFText{Text: "A play file cannot be played."}},
	{ID: "which-transition", Short: personafiles.SARIFText{Text: "The reply does not show which transition fired."}},
	{ID: notCoveredCheck, Short: personafiles.SARIFText{Text: "No play-through reaches this point."}},
	{ID: "mutant", Short: personafiles.SARIFText{Text: "No play-through notices this mistake."}},
	{ID: "offline-corpus",
		Short: personafiles.SARIFText{Text: "The built-in model does not decide a line as its author wants."}},
	{ID: "judged-line", Short: personafiles.SARIFText{Text: "A model does not decide a line as its author wants."}},
}

type summary struct {
	title    string // of the Markdown
	facts    []string
	tables   [][][]string // the first row of a table is its head
	findings []personas.Diagnostic
	more     int // number of findings that are not listed
}

func (s *summary) writeText(w io.Writer) error {
	var text strings.Builder
	for _, fact := range s.facts {
		text.WriteString(fact + "\n")
	}
	for i, table := range s.tables {
		if i > 0 {
			text.WriteString("\n")
		}
		writeColumns(&text, table)
	}
	for _, f := range s.findings {
		fmt.Fprintf(&text, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
	}
	if s.more > 0 {
		fmt.Fprintf(&text, "and %d more\n", s.more)
	}
	_, err := io.WriteString(w, cli.BreakCommands(terminal.CleanLines(text.String())))
	return err
}

func (s *summary) writeMarkdown(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### %s\n\n", s.title)
	for _, fact := range s.facts {
		text.WriteString("- " + personafiles.EscapeMarkdown(fact) + "\n")
	}
	for _, table := range s.tables {
		text.WriteString("\n")
		for i, row := range table {
			text.WriteString("|")
			for _, cell := range row {
				text.WriteString(" " + personafiles.EscapeMarkdown(cell) + " |")
			}
			text.WriteString("\n")
			if i == 0 {
				text.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
			}
		}
	}
	if len(s.findings) > 0 {
		text.WriteString("\n")
		personafiles.WriteMarkdownList(&text, s.findings)
	}
	if s.more > 0 {
		fmt.Fprintf(&text, "- and %d more\n", s.more)
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

func writeColumns(text *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
