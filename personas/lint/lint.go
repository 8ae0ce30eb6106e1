// Package lint reports problems in a readable persona document. A check is a record in a table: a
// name that reads as a complaint, a severity, one sentence, an example, and the function. Findings
// contain a path in the document; personas.SourceMap turns it into a position in a file. A document
// without findings at level error always runs (engine.Compile). The package never reads or changes
// a text.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Severity describes how grave a finding is.
type Severity = personas.Severity

// The severities. A document with a finding at level Error is not saved: most of them a
// server refuses (Check.IsRefused), the others stop only `parley persona save` and publish.
const (
	Error   = personas.SeverityError
	Warning = personas.SeverityWarning
	Info    = personas.SeverityInfo
)

// finding is a diagnostic that a check is about to report. It has no method Error, so that checks
// need not use it.
type finding personas.Diagnostic

// Fix is a change of the document's text that puts a finding right; see
// personas.Fix for the functions that apply it.
type (
	Fix     = personas.Fix
	FixKind = personas.FixKind
)

// The kinds of fixes.
const (
	SetValue     = personas.FixSet
	RenameMember = personas.FixRename
	RemoveMember = personas.FixRemove
	WrapInList   = personas.FixWrap
	RetypeValue  = personas.FixRetype
)

// Check is a check. Good is a part of Example, and Bad is the wrong text that replaces it.
type Check struct {
	Name     string
	Severity Severity
	Summary  string
	// Why describes in a few sentences the effect on a player and the remedy.
	Why string
	// AboutName means that a finding is about the name of the member at its path,
	// not about the value.
	AboutName bool
	// Secret means that the value at a finding's path must not be shown.
	Secret bool
	// Project means that the check looks at several files at once: Good is then a part of Second,
	// the file next to Example.
	Project   bool
	Good, Bad string

	// wording means that a finding does not affect the machines, so the checks of the meaning can
	// still run.
	wording bool
	// A check has exactly one of these functions, except for FaultCheck: its findings come from
	// reading. run is for refused and duplicate members, mean for the meaning of a persona, between
	// for contradictions between files.
	run     func(s *checkContext, report reporter)
	mean    func(s *checkContext, report reporter)
	between func(files []ProjectFile, tell fileReporter)
	// loss is the kind of loss that the check reports; "" for other checks.
	loss bool
}

// IsRefused reports whether a server refuses a document with a finding of the check. A document is
// never refused because of its meaning.
func (c *Check) IsRefused() bool {
	return c.Name == FaultCheck || c.run != nil && c.Severity == Error
}

// reporter adds a complaint about the value at a path. It returns the finding, so that a fix can be
// added, or nil when there are too many already.
type reporter func(path, format string, args ...any) *finding

// MaxFindings is the maximum number of reported findings per check.
const MaxFindings = 100

// MoreFindings replaces the finding after the last reported one.
const MoreFindings = "there are more findings of this check; put these right first"

// runChecks runs all checks except for faults of reading. In a document with such faults it skips
// the checks of the meaning.
func runChecks(p *personas.Persona, whole bool) []personas.Diagnostic {
	s := &checkContext{p: p, sound: whole}
	var found []personas.Diagnostic
	for i := range Checks {
		if c := &Checks[i]; c.run != nil {
			here := c.runCheck(func(r reporter) { c.run(s, r) })
			found = append(found, here...)
			s.sound = s.sound && (c.wording || c.Severity != Error || len(here) == 0)
		}
	}
	for i := range Checks {
		if c := &Checks[i]; c.mean != nil && (s.sound || c.wording) {
			found = append(found, c.runCheck(func(r reporter) { c.mean(s, r) })...)
		}
	}
	return sortFindings(found)
}

// sortFindings sorts findings in the order of the document.
func sortFindings(found []personas.Diagnostic) []personas.Diagnostic {
	slices.SortStableFunc(found, func(a, b personas.Diagnostic) int { return personas.ComparePaths(a.Path, b.Path) })
	return found
}

// maxMessage is the maximum length of a printed message, in characters: many messages contain names
// from the document, and each finding may repeat the same one.
const maxMessage = 2000

func writeMessage(format string, args []any) string {
	return plaintext.ClipAfter(hideSecrets(fmt.Sprintf(format, args...)), maxMessage, plaintext.Dots)
}

func (c *Check) newDiagnostic(path, format string, args []any) personas.Diagnostic {
	return personas.Diagnostic{Path: path, Check: c.Name, Severity: c.Severity, Message: writeMessage(format, args)}
}

// runCheck returns at most MaxFindings findings of one check, followed by a note if there are more.
func (c *Check) runCheck(run func(reporter)) []personas.Diagnostic {
	var told []*finding
	run(func(path, format string, args ...any) *finding {
		switch {
		case len(told) > MaxFindings:
			return nil
		case len(told) == MaxFindings:
			format, args = MoreFindings, nil
		}
		told = append(told, new(finding(c.newDiagnostic(path, format, args))))
		if len(told) > MaxFindings {
			return nil
		}
		return told[len(told)-1]
	})
	found := make([]personas.Diagnostic, len(told))
	for i := range told {
		found[i] = personas.Diagnostic(*told[i])
	}
	return found
}

// Refusals returns the findings that make a server refuse a document, read with or without faults:
// the findings of All from checks with IsRefused. It skips the checks of the meaning, so that it is
// cheap for any document.
func Refusals(p *personas.Persona, faults []personas.Diagnostic) []personas.Diagnostic {
	s := &checkContext{p: p}
	var found []personas.Diagnostic
	for i := range Checks {
		if c := &Checks[i]; c.run != nil && c.IsRefused() {
			found = append(found, c.runCheck(func(r reporter) { c.run(s, r) })...)
		}
	}
	return joinFaults(faults, sortFindings(found))
}

// All returns all findings of a document, read with or without faults: the faults in their order,
// then the findings of the checks in the order of the document; those about one place are in the
// order of the table. It returns at most 100 findings per check, followed by a note if there are
// more. It omits possible consequences of a fault: findings about a value that contains or is
// inside a faulty one.
func All(p *personas.Persona, faults []personas.Diagnostic) []personas.Diagnostic {
	return joinFaults(faults, runChecks(p, len(faults) == 0))
}

// File is All plus the losses: text that YAML reads differently than intended. places are those of
// the text that the document was read from.
func File(p *personas.Persona, places personas.SourceMap, faults []personas.Diagnostic) []personas.Diagnostic {
	losses := places.Losses()
	found := slices.DeleteFunc(All(p, faults), func(f personas.Diagnostic) bool {
		return f.Check == "unknown-member" && slices.ContainsFunc(losses, func(l personas.Diagnostic) bool { return slices.Contains(l.Members, f.Path) })
	})
	for i := range Checks {
		c := &Checks[i]
		for _, l := range losses {
			if c.loss && c.Name == l.Check && !isToldBy(faults, l) {
				l.Severity, l.Message = c.Severity, hideSecrets(l.Message)
				found = append(found, l)
			}
		}
	}
	return found
}

// isToldBy reports whether a fault already covers a loss, or repairs it.
func isToldBy(faults []personas.Diagnostic, l personas.Diagnostic) bool {
	return slices.ContainsFunc(faults, func(fault personas.Diagnostic) bool {
		return fault.Position == l.Position && (fault.Message == l.Message || fault.Fix != nil)
	})
}

// joinFaults returns the faults as findings, then the findings that no fault causes.
func joinFaults(faults []personas.Diagnostic, findings []personas.Diagnostic) []personas.Diagnostic {
	found := FromFaults(faults)
	for _, f := range findings {
		if !slices.ContainsFunc(faults, func(fault personas.Diagnostic) bool { return isCause(fault, f) }) {
			found = append(found, f)
		}
	}
	return found
}

// isCause reports whether a finding repeats a fault, or follows from it.
func isCause(fault personas.Diagnostic, f personas.Diagnostic) bool {
	return areRelated(fault.Path, f.Path) || fault.Fix != nil && fault.Fix.Kind == RenameMember && fault.Fix.Path == f.Path
}

// areRelated reports whether one path is the other or leads to it.
func areRelated(a, b string) bool { return isWithin(a, b) || isWithin(b, a) }

func isWithin(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (whole == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Errors returns the findings at level Error.
func Errors(found []personas.Diagnostic) []personas.Diagnostic {
	return slices.DeleteFunc(slices.Clone(found), func(f personas.Diagnostic) bool { return f.Severity != Error })
}

// FormErrors returns the errors that keep a document from running. They do not include errors of
// meaning.
func FormErrors(found []personas.Diagnostic) []personas.Diagnostic {
	return slices.DeleteFunc(Errors(found), func(f personas.Diagnostic) bool { c, _ := Find(f.Check); return c.mean != nil })
}

// Find returns the check of a name.
func Find(name string) (Check, bool) {
	i := slices.IndexFunc(Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return Checks[i], true
}

// FaultCheck is the name of the check for faults from reading.
const FaultCheck = "document"

// FromFaults returns the faults of reading a document as findings at level error.
func FromFaults(faults []personas.Diagnostic) []personas.Diagnostic {
	found := slices.Clone(faults)
	for i := range found {
		f := &found[i]
		f.Check, f.Severity, f.Message = FaultCheck, Error, hideSecrets(f.Message)
	}
	return found
}
