package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

// reportAll writes what was asked for, on stdout and into files.
func (o *testOptions) reportAll(b *bill) error {
	err := o.reports.WriteAll(o.Out, func(w io.Writer, format string) error { return o.write(w, format, b) })
	if err == nil && o.reports.Wants("github") {
		err = report.AppendSummary(o.Env("GITHUB_STEP_SUMMARY"), func(w io.Writer) error { return writeTestMarkdown(w, b) })
	}
	if err != nil || o.coverage == "" {
		return err
	}
	text, err := report.IndentJSON(b.coverageReport())
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.coverage, text, 0o644); err != nil {
		return cli.WrapTrouble(fmt.Errorf("write %s: %w", o.coverage, cli.PathReason(err)), "")
	}
	return nil
}

func (o *testOptions) write(w io.Writer, format string, b *bill) error {
	switch format {
	case "json":
		return writeTestJSON(w, b)
	case "junit":
		return writeTestJUnit(w, b)
	case "github":
		return report.WriteAnnotations(w, report.NewProjectPaths(o.WorkingFolder()), append(b.failures(), b.shortcomings()...))
	case "markdown":
		return writeTestMarkdown(w, b)
	case "sarif":
		return o.writeTestSARIF(w, b)
	}
	return o.writeText(w, b)
}

// findings are a play file's failures with their places, and its notes.
func (p *programme) findings() []report.Finding {
	var all []report.Finding
	for i := range p.results {
		r := &p.results[i]
		title := ""
		if t := r.Play.Title(); t != "" {
			title = " (" + t + ")"
		}
		for _, f := range r.Failures() {
			all = append(all, p.finding(f.Path, "expectation", "error", f.Message()+title))
		}
		if r.Err != nil {
			all = append(all, p.finding(r.Steps[len(r.Steps)-1].Step.Path, "service", "error", r.Err.Error()+title))
		}
		for _, n := range r.Notes {
			all = append(all, p.finding(n.Path, "which-transition", "info", n.Text+title))
		}
	}
	slices.SortStableFunc(all, report.ComparePlaces)
	return all
}

func (p *programme) finding(path, check, severity, message string) report.Finding {
	at := p.places.Lookup(path)
	if check == "which-transition" || at.EndLine > at.Line { // The step, which is many lines: its first one is enough.
		at.EndLine, at.EndColumn = at.Line, at.Column+1
	}
	return report.Finding{
		File: p.name, Line: at.Line, Column: at.Column, EndLine: at.EndLine, EndColumn: at.EndColumn,
		Path: path, Check: check, Severity: severity, Message: message,
	}
}

// uncovered are a persona's missing points as findings in its file.
func (c *cast) uncovered() []report.Finding {
	var all []report.Finding
	for _, p := range playtest.Missing(c.points, c.hits) {
		at := c.Places.Lookup(p.Path(&c.Doc))
		all = append(all, report.Finding{
			File: c.Name, Line: at.Line, Column: at.Column, EndLine: at.Line, EndColumn: at.Column + 1,
			Path: p.Path(&c.Doc), Check: "not-covered", Severity: "warning", Message: "not covered: " + p.Describe(&c.Doc),
		})
	}
	return all
}

func (o *testOptions) writeText(w io.Writer, b *bill) error {
	for _, p := range b.programmes {
		if err := personafiles.ReportFindings(o.Streams, w, &personafiles.File{Name: p.name, Source: p.source, Findings: p.findings()}); err != nil {
			return err
		}
	}
	var text strings.Builder
	if n := b.count(); n > 0 {
		fmt.Fprintf(&text, "%s, %s: %d passed, %d failed\n", cli.Pluralize(n, "play-through"), cli.Pluralize(b.steps(), "step"), n-b.failed(), b.failed())
	}
	b.coverageText(&text)
	for _, c := range b.casts {
		for _, f := range c.uncovered() {
			fmt.Fprintf(&text, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
		}
	}
	b.mutantText(&text)
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

// coverageText is the table of what was covered.
func (b *bill) coverageText(text *strings.Builder) {
	rows := [][]string{coverageHead()}
	for _, c := range b.casts {
		rows = append(rows, coverageRow(c.Name, playtest.Count(c.points, c.hits)))
	}
	if len(b.casts) > 1 {
		rows = append(rows, b.totalRow())
	}
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
		text.WriteString(line + "\n")
	}
}

func coverageHead() []string {
	head := []string{"covered"}
	for _, kind := range playtest.Kinds {
		head = append(head, string(kind)+"s")
	}
	return append(head, "all")
}

func coverageRow(name string, tallies map[playtest.Kind]playtest.Tally) []string {
	row := []string{name}
	for _, kind := range playtest.Kinds {
		row = append(row, fmt.Sprintf("%d/%d", tallies[kind].Covered, tallies[kind].Total))
	}
	return append(row, fmt.Sprintf("%.1f %%", playtest.Sum(tallies).Percent()))
}

func (b *bill) tallies() map[playtest.Kind]playtest.Tally {
	sum := map[playtest.Kind]playtest.Tally{}
	for _, c := range b.casts {
		for kind, t := range playtest.Count(c.points, c.hits) {
			sum[kind] = playtest.Tally{Covered: sum[kind].Covered + t.Covered, Total: sum[kind].Total + t.Total}
		}
	}
	return sum
}

func (b *bill) totalRow() []string { return coverageRow("all", b.tallies()) }

// mutantText lists the mistakes that nothing noticed.
func (b *bill) mutantText(text *strings.Builder) {
	if len(b.mutants) == 0 {
		return
	}
	unnoticed := b.unnoticed()
	fmt.Fprintf(text, "%s made, %d noticed\n", cli.Pluralize(len(b.mutants), "mistake"), len(b.mutants)-len(unnoticed))
	for _, f := range unnoticed {
		fmt.Fprintf(text, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
	}
}

// unnoticed are the mistakes that no play-through notices. One that no service
// takes needs none.
func (b *bill) unnoticed() []report.Finding {
	var all []report.Finding
	for i := range b.mutants {
		m := &b.mutants[i]
		if m.noticed || m.refused {
			continue
		}
		at := m.cast.Places.Lookup(m.mutant.Path)
		all = append(all, report.Finding{
			File: m.cast.Name, Line: at.Line, Column: at.Column, EndLine: at.Line, EndColumn: at.Column + 1,
			Path: m.mutant.Path, Check: "mutant", Severity: "warning", Message: "no play-through notices: " + m.mutant.What,
		})
	}
	slices.SortStableFunc(all, func(a, b report.Finding) int { return cmp.Or(cmp.Compare(a.File, b.File), report.ComparePlaces(a, b)) })
	return all
}

// pointReport is a point as JSON.
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

func (c *cast) pointReport(p playtest.Point) pointReport {
	path := p.Path(&c.Doc)
	at := c.Places.Lookup(path)
	r := pointReport{Machine: p.Machine, Count: c.hits[p], Path: path, Line: at.Line, Column: at.Column}
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
