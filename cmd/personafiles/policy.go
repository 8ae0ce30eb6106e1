package personafiles

import (
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/lint"
)

// A Policy is the severity of each check in a project: lint.severity of its .parley.yaml over the
// defaults of the checks. The zero Policy has the defaults.
type Policy struct {
	levels map[string]lint.Severity
}

// NewPolicy reads the policy of a project from its settings. An unknown check, or one that a
// service enforces anyway, is a usage error with file and line.
func NewPolicy(current *settings.Settings) (Policy, error) {
	p := Policy{levels: map[string]lint.Severity{}}
	for _, s := range current.LintSeverities() {
		switch check, known := FindCheck(s.Check); {
		case !known:
			return p, cli.UsageError("settings file %s: lint.severity: there is no check %.100q%s", s.Origin, s.Check, SuggestCheck(s.Check))
		case check.IsRefused():
			return p, cli.UsageError("settings file %s: lint.severity: %s stays an error: a service refuses such a file all the same", s.Origin, s.Check)
		}
		p.levels[s.Check] = lint.Severity(s.Level)
	}
	return p, nil
}

// LevelOf returns how grave the findings of a check are; config.SeverityOff drops them.
func (p Policy) LevelOf(check string) lint.Severity {
	if level, set := p.levels[check]; set {
		return level
	}
	c, _ := FindCheck(check)
	return c.Severity
}

// Apply returns findings with the policy's severities, without those that it drops. It does
// not change the given slice.
func (p Policy) Apply(findings []report.Finding) []report.Finding {
	if len(p.levels) == 0 {
		return findings
	}
	findings = slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool { return p.levels[f.Check] == settings.SeverityOff })
	for i := range findings {
		if level, set := p.levels[findings[i].Check]; set {
			findings[i].Severity = string(level)
		}
	}
	return findings
}

// ApplyToDocument is Apply for the findings of a document that is not a file.
func (p Policy) ApplyToDocument(findings []lint.Finding) []lint.Finding {
	findings = slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return p.levels[f.Check] == settings.SeverityOff })
	for i := range findings {
		if level, set := p.levels[findings[i].Check]; set {
			findings[i].Severity = level
		}
	}
	return findings
}
