package cmd

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui"
)

func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return append(text, '\n'), err
}

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
			File: c.name, Name: c.doc.Name, Percent: c.total().Percent(), Total: playtest.Count(c.points, c.hits),
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

// writeTestJSON writes {plays, findings, mutants, coverage}.
func writeTestJSON(w io.Writer, b *bill) error {
	all := struct {
		Plays    []playReport `json:"plays"`
		Findings []finding    `json:"findings"`
		Mutants  *int         `json:"mutants,omitempty"`
		Coverage coverage     `json:"coverage"`
	}{[]playReport{}, []finding{}, nil, b.coverageReport()}
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
	text, err := indented(all)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes one suite for each play file and one case for each play-through.
func writeJUnit(w io.Writer, b *bill) error {
	all := junitSuites{Tests: b.count(), Failures: b.failed()}
	for _, p := range b.programmes {
		suite := junitSuite{Name: p.name, Tests: len(p.results)}
		for i := range p.results {
			c := p.junitCase(&p.results[i])
			if c.Failure != nil {
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, c)
		}
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (p *programme) junitCase(r *playtest.Result) junitCase {
	name := r.Play.Title()
	if name == "" {
		name = p.name
	}
	c := junitCase{Name: name, Class: p.name, File: p.name, Line: p.places.Lookup(r.Play.Path).Line}
	var lines []string
	for _, f := range r.Failures() {
		at := p.places.Lookup(f.Path)
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", p.name, at.Line, at.Column, f.Message()))
	}
	if r.Err != nil {
		lines = append(lines, r.Err.Error())
	}
	if len(lines) > 0 {
		c.Failure = &junitFailure{Message: lines[0], Text: strings.Join(lines, "\n")}
	}
	return c
}

// writeTestGitHub writes GitHub's annotations, failures first, since GitHub
// shows ten of them a step.
func writeTestGitHub(w io.Writer, b *bill) error {
	var failures, rest []finding
	for _, p := range b.programmes {
		for _, f := range p.findings() {
			if f.Severity == "error" {
				failures = append(failures, f)
			}
		}
	}
	for _, c := range b.casts {
		rest = append(rest, c.uncovered()...)
	}
	for _, f := range append(append(failures, rest...), b.unnoticed()...) {
		if _, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d::%s\n", f.Severity, annotationProperty(tui.Clean(f.File)), f.Line, f.Column, annotationText(tui.Clean(f.Message))); err != nil {
			return err
		}
	}
	return nil
}

// annotationText and annotationProperty escape what GitHub's runner would take
// for its own marks.
func annotationText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func annotationProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// writeTestMarkdown writes a summary for a pull request.
func writeTestMarkdown(w io.Writer, b *bill) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### Play-throughs: %d passed, %d failed\n\n", b.count()-b.failed(), b.failed())
	for _, p := range b.programmes {
		for _, f := range p.findings() {
			if f.Severity == "error" {
				fmt.Fprintf(&text, "- `%s:%d` %s\n", f.File, f.Line, markdownText(f.Message))
			}
		}
	}
	head := coverageHead()
	fmt.Fprintf(&text, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, c := range b.casts {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(coverageRow(markdownText(c.name), playtest.Count(c.points, c.hits)), " | "))
	}
	fmt.Fprintf(&text, "| %s |\n", strings.Join(b.totalRow(), " | "))
	var rest []finding
	for _, c := range b.casts {
		rest = append(rest, c.uncovered()...)
	}
	for i, f := range append(rest, b.unnoticed()...) {
		if i == 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "- `%s:%d` %s\n", f.File, f.Line, markdownText(f.Message))
	}
	_, err := io.WriteString(w, tui.CleanLines(text.String()))
	return err
}

// markdownText is a text in one line that Markdown takes for nothing else.
func markdownText(s string) string {
	s = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
