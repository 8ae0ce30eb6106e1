// Package lint reports problems in a persona document. Each entry of Checks has a name, a severity,
// a summary, an example and a function. A document without findings at level error can run
// (engine.Compile). The package does no I/O.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Severity is the level of a finding.
type Severity = personas.Severity

// A document with a finding at level Error cannot be saved. Servers reject most of these findings
// (Check.IsRefused).
const (
	Error   = personas.SeverityError
	Warning = personas.SeverityWarning
	Info    = personas.SeverityInfo
)

// finding lacks the method Error of a Diagnostic, because a finding is not a Go error.
type finding personas.Diagnostic

// Check is a check of persona documents. Replacing Good by Bad in Example causes a finding. The
// JSON encoding is an element of `parley persona lint --explain --json`.
type Check struct {
	Name     string   `json:"check"`
	Severity Severity `json:"severity"`
	Summary  string   `json:"summary"`
	// Why explains the effect on a player and the correction.
	Why  string `json:"why"`
	Good string `json:"good"`
	Bad  string `json:"bad"`
	// AboutName is set if findings concern the name of a member, not the value.
	AboutName bool `json:"-"`
	// Secret is set if the value at a finding's path must not be printed.
	Secret bool `json:"-"`
	// Project is set for a check of several files. Good is then a part of Second.
	Project bool `json:"-"`

	// wording is set for checks of texts. Their findings do not prevent the checks of the meaning.
	wording bool
	// At most one function is set. run checks the form, mean checks the meaning of a sound persona,
	// and between compares files.
	run     func(s *checkContext, report reporter)
	mean    func(s *checkContext, report reporter)
	between func(files []ProjectFile, tell fileReporter)
	// loss is set if the findings come from personas.SourceMap.Losses.
	loss bool
}

// IsRefused reports whether a server rejects a document with a finding of the check. Servers check
// the form of a document, but not whether it makes sense.
func (c *Check) IsRefused() bool {
	return c.Name == FaultCheck || c.run != nil && c.Severity == Error
}

// reporter adds and returns a finding. The result is nil after MaxFindings findings.
type reporter func(path, format string, args ...any) *finding

// MaxFindings is the maximum number of findings per check.
const MaxFindings = 100

// MoreFindings is the last message of a check with more than MaxFindings findings.
const MoreFindings = "there are more findings of this check; fix these first"

func runChecks(p *personas.Persona, hasNoFaults bool) []personas.Diagnostic {
	s := &checkContext{p: p, sound: hasNoFaults}
	var findings []personas.Diagnostic
	for i := range Checks {
		if c := &Checks[i]; c.run != nil {
			diagnostics := c.collect(func(r reporter) { c.run(s, r) })
			findings = append(findings, diagnostics...)
			s.sound = s.sound && (c.wording || c.Severity != Error || len(diagnostics) == 0)
		}
	}
	if s.sound {
		s.proveMachines()
	}
	for i := range Checks {
		if c := &Checks[i]; c.mean != nil && (s.sound || c.wording) {
			findings = append(findings, c.collect(func(r reporter) { c.mean(s, r) })...)
		}
	}
	return sortFindings(findings)
}

func sortFindings(findings []personas.Diagnostic) []personas.Diagnostic {
	slices.SortStableFunc(findings, func(a, b personas.Diagnostic) int { return personas.ComparePaths(a.Path, b.Path) })
	return findings
}

const maxMessage = 2000 // characters

func (c *Check) newDiagnostic(path, format string, args []any) personas.Diagnostic {
	message := plaintext.ClipAfter(hideSecrets(fmt.Sprintf(format, args...)), maxMessage, plaintext.Dots)
	return personas.Diagnostic{Path: path, Check: c.Name, Severity: c.Severity, Message: message}
}

func (c *Check) collect(run func(reporter)) []personas.Diagnostic {
	var reported []*finding
	run(func(path, format string, args ...any) *finding {
		switch {
		case len(reported) > MaxFindings:
			return nil
		case len(reported) == MaxFindings:
			format, args = MoreFindings, nil
		}
		reported = append(reported, new(finding(c.newDiagnostic(path, format, args))))
		if len(reported) > MaxFindings {
			return nil
		}
		return reported[len(reported)-1]
	})
	result := make([]personas.Diagnostic, len(reported))
	for i := range reported {
		result[i] = personas.Diagnostic(*reported[i])
	}
	return result
}

// Refusals returns the findings that make a server reject a document. faults are the parser's
// diagnostics. Refusals skips the checks of the meaning and is fast for every document.
func Refusals(p *personas.Persona, faults []personas.Diagnostic) []personas.Diagnostic {
	s := &checkContext{p: p}
	var findings []personas.Diagnostic
	for i := range Checks {
		if c := &Checks[i]; c.run != nil && c.IsRefused() {
			findings = append(findings, c.collect(func(r reporter) { c.run(s, r) })...)
		}
	}
	return joinFaults(faults, sortFindings(findings))
}

// All returns the parser's faults, then the findings of all checks in document order. Each check
// has at most MaxFindings findings, followed by MoreFindings. Findings that overlap a fault are
// omitted as possible consequences.
func All(p *personas.Persona, faults []personas.Diagnostic) []personas.Diagnostic {
	return joinFaults(faults, runChecks(p, len(faults) == 0))
}

// File returns the findings of All and of SourceMap.Losses, for text that YAML parses differently
// than intended. places is the source map of the parsed text.
func File(p *personas.Persona, places personas.SourceMap, faults []personas.Diagnostic) []personas.Diagnostic {
	losses := places.Losses()
	isLoss := func(path string) bool {
		return slices.ContainsFunc(losses, func(l personas.Diagnostic) bool { return slices.Contains(l.Members, path) })
	}
	findings := slices.DeleteFunc(All(p, faults), func(f personas.Diagnostic) bool {
		return f.Check == "unknown-member" && isLoss(f.Path)
	})
	for i := range Checks {
		c := &Checks[i]
		for _, l := range losses {
			if c.loss && c.Name == l.Check && !isToldBy(faults, l) {
				l.Severity, l.Message = c.Severity, hideSecrets(l.Message)
				findings = append(findings, l)
			}
		}
	}
	return findings
}

func isToldBy(faults []personas.Diagnostic, l personas.Diagnostic) bool {
	return slices.ContainsFunc(faults, func(fault personas.Diagnostic) bool {
		return fault.Position == l.Position && (fault.Message == l.Message || fault.Fix != nil)
	})
}

func joinFaults(faults []personas.Diagnostic, findings []personas.Diagnostic) []personas.Diagnostic {
	all := FromFaults(faults)
	for _, f := range findings {
		isConsequence := func(fault personas.Diagnostic) bool {
			if isWithin(fault.Path, f.Path) || isWithin(f.Path, fault.Path) {
				return true
			}
			return fault.Fix != nil && fault.Fix.Kind == personas.FixRename && fault.Fix.Path == f.Path
		}
		if !slices.ContainsFunc(faults, isConsequence) {
			all = append(all, f)
		}
	}
	return all
}

func isWithin(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && (parent == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Errors returns the findings at level Error.
func Errors(findings []personas.Diagnostic) []personas.Diagnostic {
	return slices.DeleteFunc(slices.Clone(findings), func(f personas.Diagnostic) bool { return f.Severity != Error })
}

// Find returns the check with a name.
func Find(name string) (Check, bool) {
	i := slices.IndexFunc(Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return Checks[i], true
}

// FaultCheck is the name of the check for the parser's diagnostics.
const FaultCheck = "document"

// FromFaults converts the parser's diagnostics to findings at level Error.
func FromFaults(faults []personas.Diagnostic) []personas.Diagnostic {
	findings := slices.Clone(faults)
	for i := range findings {
		f := &findings[i]
		f.Check, f.Severity, f.Message = FaultCheck, Error, hideSecrets(f.Message)
	}
	return findings
}

// Page returns the check's page as Markdown, with the name as a second-level heading. The page is
// the output of `--explain` and a section of docs/checks.md.
func (c Check) Page() string {
	var out strings.Builder
	scope := ""
	if c.Project {
		scope = " (between the files of a project)"
	}
	fmt.Fprintf(&out, "## %s\n\n**%s**%s: %s\n\n%s\n", c.Name, c.Severity, scope, c.Summary, c.Why)
	if c.Bad == "" {
		return out.String()
	}
	fmt.Fprintf(&out, "\nWrong:\n\n```yaml\n%s```\n", dedent(c.Bad))
	if message := c.exampleMessage(); message != "" {
		fmt.Fprintf(&out, "\n%s\n", "`"+strings.ReplaceAll(message, "`", "'")+"`")
	}
	fmt.Fprintf(&out, "\nRight:\n\n```yaml\n%s```\n", dedent(c.Good))
	return out.String()
}

func (c *Check) exampleMessage() string {
	var findings []personas.Diagnostic
	if c.Project {
		findings = Project(c.exampleFiles())
	} else {
		p, places, faults := personas.Parse("example.yaml", []byte(c.WrongExample()))
		findings = File(&p, places, faults)
	}
	i := slices.IndexFunc(findings, func(f personas.Diagnostic) bool { return f.Check == c.Name })
	if i < 0 {
		return ""
	}
	return findings[i].Message
}

// WrongExample returns Example, or Second for a project check, with Bad in place of Good.
func (c *Check) WrongExample() string {
	text := Example
	if c.Project {
		text = Second
	}
	return strings.Replace(text, c.Good, c.Bad, 1)
}

func (c *Check) exampleFiles() []ProjectFile {
	first, _, _ := personas.Parse("guard.yaml", []byte(Example))
	second, _, _ := personas.Parse("smith.yaml", []byte(c.WrongExample()))
	return []ProjectFile{{"guard.yaml", &first}, {"smith.yaml", &second}}
}

func dedent(part string) string {
	lines := strings.Split(strings.TrimSuffix(part, "\n"), "\n")
	least := -1
	for _, line := range lines {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); least < 0 || indent < least {
			least = indent
		}
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(line[least:] + "\n")
	}
	return out.String()
}
