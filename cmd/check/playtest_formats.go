package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

// coverage is the shape of --coverage FILE.
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

// pointReports are a persona's points by their kind, those with count 0 too.
type pointReports struct {
	States      []pointReport `json:"states"`
	Transitions []pointReport `json:"transitions"`
	Decisions   []pointReport `json:"decisions"`
	Outcomes    []pointReport `json:"outcomes"`
	Links       []pointReport `json:"links"`
}

func (c *cast) pointReports() pointReports {
	by := map[playtest.Kind][]pointReport{}
	for _, kind := range playtest.Kinds {
		by[kind] = []pointReport{}
	}
	for _, p := range c.points {
		by[p.Kind] = append(by[p.Kind], c.pointReport(p))
	}
	return pointReports{by[playtest.KindState], by[playtest.KindTransition], by[playtest.KindDecision], by[playtest.KindOutcome], by[playtest.KindLink]}
}

func (b *bill) coverageReport() coverage {
	all := coverage{Percent: b.total().Percent(), Total: b.tallies(), Personas: []personaCoverage{}}
	for _, c := range b.casts {
		all.Personas = append(all.Personas, personaCoverage{
			File: c.Name, Name: c.Doc.Name, Percent: c.total().Percent(), Total: playtest.Count(c.points, c.hits),
			Impossible: c.impossible, pointReports: c.pointReports(),
		})
	}
	return all
}

type playReport struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Variant string `json:"variant,omitempty"`
	Steps   int    `json:"steps"`
	Passed  bool   `json:"passed"`
}

// TestReport is what --format json prints. Mutants is how many there were, with
// --mutate.
type TestReport struct {
	Plays    []playReport     `json:"plays"`
	Findings []report.Finding `json:"findings"`
	Mutants  *int             `json:"mutants,omitempty"`
	Coverage coverage         `json:"coverage"`
}

func writeTestJSON(w io.Writer, b *bill) error {
	all := TestReport{[]playReport{}, []report.Finding{}, nil, b.coverageReport()}
	for _, p := range b.programmes {
		for i := range p.results {
			r := &p.results[i]
			at := p.places.Lookup(r.Play.Path)
			all.Plays = append(all.Plays, playReport{p.name, at.Line, r.Play.Name, r.Play.Variant, len(r.Steps), r.Err == nil && len(r.Failures()) == 0})
		}
		all.Findings = append(all.Findings, p.findings()...)
	}
	if n := len(b.mutants); n > 0 {
		all.Mutants = &n
		all.Findings = append(all.Findings, b.unnoticed()...)
	}
	return report.WriteJSON(w, all)
}

// writeTestJUnit writes one suite for each play file and one case for each play-through.
func writeTestJUnit(w io.Writer, b *bill) error {
	suites := make([]report.JUNITSuite, 0, len(b.programmes))
	for _, p := range b.programmes {
		suite := report.JUNITSuite{Name: p.name}
		for i := range p.results {
			suite.Cases = append(suite.Cases, p.junitCase(&p.results[i]))
		}
		suites = append(suites, suite)
	}
	return report.WriteJUnit(w, suites)
}

func (p *programme) junitCase(r *playtest.Result) report.JUNITCase {
	name := r.Play.Title()
	if name == "" {
		name = p.name
	}
	c := report.JUNITCase{Name: name, Class: p.name, File: p.name, Line: p.places.Lookup(r.Play.Path).Line}
	var lines []string
	for _, f := range r.Failures() {
		at := p.places.Lookup(f.Path)
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", p.name, at.Line, at.Column, f.Message()))
	}
	if r.Err != nil {
		lines = append(lines, r.Err.Error())
	}
	if len(lines) > 0 {
		c.Failure = &report.JUNITFailure{Message: lines[0], Text: strings.Join(lines, "\n")}
	}
	return c
}

// failures are the findings about expectations that were not met.
func (b *bill) failures() []report.Finding {
	var all []report.Finding
	for _, p := range b.programmes {
		for _, f := range p.findings() {
			if f.Severity == "error" {
				all = append(all, f)
			}
		}
	}
	return all
}

// shortcomings are what is not covered, and the mistakes that nothing noticed.
func (b *bill) shortcomings() []report.Finding {
	var all []report.Finding
	for _, c := range b.casts {
		all = append(all, c.uncovered()...)
	}
	return append(all, b.unnoticed()...)
}

// testRules are the checks of a rehearsal.
var testRules = []report.SARIFRule{
	{ID: "expectation", Short: report.SARIFText{Text: "A message did not lead to what its play-through expects."}},
	{ID: "service", Short: report.SARIFText{Text: "The service did not answer."}},
	{ID: "which-transition", Short: report.SARIFText{Text: "A reply does not tell which transition has fired."}},
	{ID: "not-covered", Short: report.SARIFText{Text: "No play-through reaches this."}},
	{ID: "mutant", Short: report.SARIFText{Text: "No play-through notices this mistake."}},
}

// writeTestSARIF writes all findings for code scanning.
func (o *testOptions) writeTestSARIF(w io.Writer, b *bill) error {
	var all []report.Finding
	for _, p := range b.programmes {
		all = append(all, p.findings()...)
	}
	return report.WriteSARIF(w, report.NewProjectPaths(o.WorkingFolder()), testRules, append(all, b.shortcomings()...))
}

// writeTestMarkdown writes a summary for a pull request.
func writeTestMarkdown(w io.Writer, b *bill) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### Play-throughs: %d passed, %d failed\n\n", b.count()-b.failed(), b.failed())
	report.MarkdownList(&text, b.failures())
	head := coverageHead()
	fmt.Fprintf(&text, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, c := range b.casts {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(coverageRow(report.MarkdownText(c.Name), playtest.Count(c.points, c.hits)), " | "))
	}
	fmt.Fprintf(&text, "| %s |\n", strings.Join(b.totalRow(), " | "))
	if rest := b.shortcomings(); len(rest) > 0 {
		text.WriteString("\n")
		report.MarkdownList(&text, rest)
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}
