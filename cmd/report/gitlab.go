package report

import (
	"io"

	"github.com/parley-npc/parley/personas/lint"
)

// gitlabIssue is an item of a Code Quality report of GitLab. Path is from the top of the
// project, Lines.Begin counts from 1.
type gitlabIssue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
			End   int `json:"end"`
		} `json:"lines"`
	} `json:"location"`
}

// gitlabSeverities are GitLab's words for the severities of lint.
var gitlabSeverities = map[string]string{string(lint.Error): "critical", string(lint.Warning): "minor", string(lint.Info): "info"}

// WriteGitLab writes findings as a Code Quality report of GitLab: a JSON list with fingerprints
// that stay the same when lines before a finding are added or removed.
func WriteGitLab(w io.Writer, paths ProjectPaths, findings []Finding) error {
	issues := make([]gitlabIssue, 0, len(findings))
	twins := map[string]int{}
	for _, f := range findings {
		issue := gitlabIssue{Description: f.Message, CheckName: f.Check, Fingerprint: hashFinding(paths, f, twins), Severity: gitlabSeverities[f.Severity]}
		issue.Location.Path = paths.MakeRelative(f.File)
		issue.Location.Lines.Begin, issue.Location.Lines.End = f.Line, max(f.Line, f.EndLine)
		issues = append(issues, issue)
	}
	return WriteJSON(w, issues)
}
