// Package lint says what is wrong with a persona document that can be read. A
// check is a record in a table: a name that reads as a complaint, how grave it
// is, one sentence, an example, and the function that looks. Findings name a
// path in the document; personas.SourceMap turns it into a place in a file. A
// document without findings at level error always runs (engine.Compile). The
// package never reads a text and never repairs one.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Severity says how grave a finding is.
type Severity string

// The severities. A server refuses a document with a finding at level Error.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing that is wrong. Path is as in personas.Fault; Check is
// the name of the check that found it.
type Finding struct {
	Path     string
	Check    string
	Severity Severity
	Message  string
}

// Check is a thing to look for. Good is a part of Example, and Bad is what
// makes it wrong when it stands there instead.
type Check struct {
	Name     string
	Severity Severity
	Summary  string
	// AboutName says that a finding is about the name of the member at its path,
	// not about the value.
	AboutName bool
	Good, Bad string
	run       func(p *personas.Persona, report report)
}

// report takes a complaint about the value at a path.
type report func(path, format string, args ...any)

// maxFindings is how many findings of one check are told.
const maxFindings = 100

// Lint runs all checks. Findings come in the order of the document; those about
// one place in the order of the table. Of each check it tells at most 100, and
// then that there are more.
func Lint(p *personas.Persona) []Finding {
	var found []Finding
	for _, c := range Checks {
		found = append(found, c.findings(p)...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return personas.ComparePaths(a.Path, b.Path) })
	return found
}

func (c *Check) findings(p *personas.Persona) []Finding {
	var found []Finding
	c.run(p, func(path, format string, args ...any) {
		switch {
		case len(found) > maxFindings:
			return
		case len(found) == maxFindings:
			format, args = "there are more findings of this check; put these right first", nil
		}
		found = append(found, Finding{Path: path, Check: c.Name, Severity: c.Severity, Message: fmt.Sprintf(format, args...)})
	})
	return found
}

// All gives everything that is wrong with a document that was read with faults
// or without: the faults, in their order, and what the checks find where no
// fault is. What a fault may have caused is left out: a finding about a value
// with a fault in it, or within a value that is one.
func All(p *personas.Persona, faults []personas.Fault) []Finding {
	found := FromFaults(faults)
	for _, f := range Lint(p) {
		if !slices.ContainsFunc(faults, func(fault personas.Fault) bool { return related(fault.Path, f.Path) }) {
			found = append(found, f)
		}
	}
	return found
}

// related tells whether one path is the other or leads to it.
func related(a, b string) bool { return within(a, b) || within(b, a) }

func within(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (whole == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Errors are the findings for which a server refuses a document.
func Errors(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Severity != Error })
}

// Find gives the check of a name.
func Find(name string) (Check, bool) {
	i := slices.IndexFunc(Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return Checks[i], true
}

// Worst gives the gravest severity among findings, "" when there are none.
func Worst(found []Finding) Severity {
	if len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b Finding) int { return cmp.Compare(a.Severity.weight(), b.Severity.weight()) }).Severity
}

func (s Severity) weight() int {
	return slices.Index([]Severity{Info, Warning, Error}, s)
}

// FaultCheck is the name under which faults of reading stand among findings.
const FaultCheck = "document"

// FromFaults gives the faults of reading a document as findings at level error.
func FromFaults(faults []personas.Fault) []Finding {
	found := make([]Finding, len(faults))
	for i, f := range faults {
		found[i] = Finding{Path: f.Path, Check: FaultCheck, Severity: Error, Message: f.Message}
	}
	return found
}
