package personafiles

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr,omitempty"`
	Time     JUnitTime    `xml:"time,attr"`
	Suites   []JUnitSuite `xml:"testsuite"`
}

// A JUnitSuite holds the tests of one file. WriteJUnit sets the counts and the time.
type JUnitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr,omitempty"`
	Time     JUnitTime   `xml:"time,attr"`
	Cases    []JUnitCase `xml:"testcase"`
}

// A JUnitCase is one test. A test without Failure and Error has passed.
type JUnitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Time    JUnitTime     `xml:"time,attr"`
	Failure *JUnitFailure `xml:"failure"`
	Error   *JUnitFailure `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`
}

// JUnitTime is a duration that marshals to seconds.
type JUnitTime time.Duration

func (t JUnitTime) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(t).Seconds()), nil
}

// A JUnitFailure explains why a test failed. Message is one line, and Text is the full explanation.
type JUnitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit sets the counts of the suites and writes JUnit XML. Control characters are replaced.
func WriteJUnit(w io.Writer, suites []JUnitSuite) error {
	all := junitSuites{Suites: suites}
	for i := range suites {
		s := &suites[i]
		s.Tests = len(s.Cases)
		for _, c := range s.Cases {
			s.Time += c.Time
			if c.Failure != nil {
				s.Failures++
			}
			if c.Error != nil {
				s.Errors++
			}
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Time += s.Time
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+terminal.CleanLines(string(text))+"\n")
	return err
}

// NewFileSuite returns a suite with one case per check, or a single case named passed. fails
// selects the findings that fail a case. took is the time of the first case.
func NewFileSuite(
	paths ProjectPaths, file, passed string, took time.Duration,
	findings []personas.Diagnostic, fails func(personas.Diagnostic) bool,
) JUnitSuite {
	suite := JUnitSuite{Name: paths.MakeRelative(file)}
	caseIndex := map[string]int{}
	for _, found := range findings {
		if _, known := caseIndex[found.Check]; !known {
			caseIndex[found.Check] = len(suite.Cases)
			suite.AddCase(JUnitCase{Name: found.Check, Line: found.Line})
		}
		suite.Cases[caseIndex[found.Check]].addFinding(paths, found, fails(found))
	}
	if suite.Cases == nil {
		suite.AddCase(JUnitCase{Name: passed})
	}
	suite.Cases[0].Time = JUnitTime(took)
	return suite
}

// AddCase adds a case about the suite's file.
func (s *JUnitSuite) AddCase(c JUnitCase) {
	c.Class, c.File = s.Name, s.Name
	s.Cases = append(s.Cases, c)
}

func (c *JUnitCase) addFinding(paths ProjectPaths, found personas.Diagnostic, fails bool) {
	found.File = paths.MakeRelative(found.File)
	line := FormatOneLine(found) + "\n"
	switch {
	case !fails:
		c.Out += line
	case c.Failure == nil:
		c.Failure = &JUnitFailure{Message: found.Message, Text: line}
	default:
		c.Failure.Text += line
	}
}
