package personafiles

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// A Policy maps checks to severities. lint.severity of .parley.yaml overrides the defaults.
type Policy struct {
	levels map[string]lint.Severity
}

// NewPolicy returns the policy of a project. Checks of the service cannot be overridden.
func NewPolicy(current *settings.Settings) (Policy, error) {
	p := Policy{levels: map[string]lint.Severity{}}
	for _, s := range current.LintSeverities() {
		switch check, known := FindCheck(s.Check); {
		case !known:
			return p, cli.UsageError("settings file %s: lint.severity: unknown check %.100q%s",
				s.Origin, s.Check, SuggestCheck(s.Check))
		case check.IsRefused():
			return p, cli.UsageError("settings file %s: lint.severity: %s must stay an error, "+
				"because services refuse a file that fails this check", s.Origin, s.Check)
		}
		p.levels[s.Check] = lint.Severity(s.Level)
	}
	return p, nil
}

// LevelOf returns the severity of a check, or settings.SeverityOff.
func (p Policy) LevelOf(check string) lint.Severity {
	if level, set := p.levels[check]; set {
		return level
	}
	c, _ := FindCheck(check)
	return c.Severity
}

// Apply returns findings with the policy's severities. Findings of disabled checks are omitted.
func (p Policy) Apply(findings []personas.Diagnostic) []personas.Diagnostic {
	if len(p.levels) == 0 {
		return findings
	}
	findings = slices.DeleteFunc(slices.Clone(findings), func(f personas.Diagnostic) bool {
		return p.levels[f.Check] == settings.SeverityOff
	})
	for i := range findings {
		if level, set := p.levels[findings[i].Check]; set {
			findings[i].Severity = level
		}
	}
	return findings
}

// UnusedIgnore is the name of the check of ignore comments.
const UnusedIgnore = "unused-ignore"

var fileChecks = []lint.Check{{
	Name: UnusedIgnore, Severity: lint.Warning,
	Summary: "A comment that ignores findings must give a check and a reason, and must match a finding.",
	Why: "A comment that no longer ignores anything hides the next mistake at that place, and a comment with a mistake " +
		"never did what its author believes. Write `# parley:ignore CHECK REASON` above the member or item, or after " +
		"it on the same line; separate several checks with commas. Errors cannot be ignored.",
}}

// AllChecks returns the checks of documents and then the checks of files.
func AllChecks() []lint.Check { return slices.Concat(lint.Checks, fileChecks) }

// FindCheck returns the check with the given name.
func FindCheck(name string) (lint.Check, bool) {
	for _, checks := range [][]lint.Check{lint.Checks, fileChecks} {
		if i := slices.IndexFunc(checks, func(c lint.Check) bool { return c.Name == name }); i >= 0 {
			return checks[i], true
		}
	}
	return lint.Check{}, false
}

// SuggestCheck returns the end of an error about an unknown check. The end suggests a similar name.
func SuggestCheck(name string) string {
	var names []string
	for _, c := range AllChecks() {
		names = append(names, c.Name)
	}
	if near := personas.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; `parley persona lint --explain` lists them"
}

// IsRefused reports whether services reject a persona that fails the check.
func IsRefused(name string) bool {
	c, known := lint.Find(name)
	return known && c.IsRefused()
}
