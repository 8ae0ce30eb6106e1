package report

import (
	"encoding/xml"
	"io"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr,omitempty"`
	Suites   []JUnitSuite `xml:"testsuite"`
}

// JUnitSuite is what was tested in one file. WriteJUnit sets the counts.
type JUnitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr,omitempty"`
	Cases    []JUnitCase `xml:"testcase"`
}

// JUnitCase is one test; it has passed when it has neither a failure nor an error.
type JUnitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *JUnitFailure `xml:"failure"`
	Error   *JUnitFailure `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`
}

// JUnitFailure says in one line (Message) and in full (Text) why a test did not pass.
type JUnitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit counts the cases of the suites and writes them as JUnit XML.
func WriteJUnit(w io.Writer, suites []JUnitSuite) error {
	all := junitSuites{Suites: suites}
	for i := range suites {
		suites[i].countCases()
		all.Tests += suites[i].Tests
		all.Failures += suites[i].Failures
		all.Errors += suites[i].Errors
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

func (s *JUnitSuite) countCases() {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
}
