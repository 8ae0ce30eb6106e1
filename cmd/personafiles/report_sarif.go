package personafiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	URI     string      `json:"informationUri"`
	Rules   []SARIFRule `json:"rules"`
}

// A SARIFRule describes one check.
type SARIFRule struct {
	ID      string        `json:"id"`
	Short   SARIFText     `json:"shortDescription"`
	Full    *SARIFText    `json:"fullDescription,omitempty"`
	Help    *SARIFText    `json:"help,omitempty"`
	HelpURI string        `json:"helpUri,omitempty"`
	Default *SARIFDefault `json:"defaultConfiguration,omitempty"`
}

// SARIFDefault holds the level of a check's findings, as ConvertLevel returns it.
type SARIFDefault struct {
	Level string `json:"level"`
}

// SARIFText is a text, optionally also in Markdown.
type SARIFText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      SARIFText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId,omitempty"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine   int `json:"startLine"`
			StartColumn int `json:"startColumn"`
			EndLine     int `json:"endLine"`
			EndColumn   int `json:"endColumn"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// Homepage is the URL of Parley's repository, which contains its documentation.
const Homepage = "https://github.com/parley-npc/parley"

// WriteSARIF writes findings as a SARIF 2.1.0 log for code scanning. rules are all possible checks.
func WriteSARIF(w io.Writer, paths ProjectPaths, rules []SARIFRule, findings []personas.Diagnostic) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{"parley", cli.VersionText(), Homepage, rules}
	twins := map[string]int{}
	for _, f := range findings {
		r := sarifResult{Rule: f.Check, Level: ConvertLevel(f.Severity), Message: SARIFText{Text: f.Message}, Locations: []sarifLocation{locateSARIF(paths, f)}}
		r.Fingerprints = map[string]string{"parley/v1": hashFinding(paths, f, twins)}
		run.Results = append(run.Results, r)
	}
	return WriteJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// ConvertLevel returns the SARIF level for a severity.
func ConvertLevel(severity personas.Severity) string {
	if severity == personas.SeverityInfo {
		return "note"
	}
	return string(severity)
}

// hashFinding returns a fingerprint of a finding. It does not change if lines before the finding
// change. twins counts equal findings, so that each of them has a different fingerprint.
func hashFinding(paths ProjectPaths, f personas.Diagnostic, twins map[string]int) string {
	anchor := f.Anchor
	if anchor == "" {
		anchor = f.Path + "\x00" + f.Message
	}
	what := strings.Join([]string{paths.MakeRelative(f.File), f.Check, anchor}, "\x00")
	twins[what]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", what, twins[what]))
	return hex.EncodeToString(sum[:])
}

func locateSARIF(paths ProjectPaths, f personas.Diagnostic) sarifLocation {
	var at sarifLocation
	at.Physical.Artifact.URI, at.Physical.Artifact.Base = (&url.URL{Path: paths.MakeRelative(f.File)}).String(), "%SRCROOT%"
	if filepath.IsAbs(f.File) && filepath.ToSlash(f.File) == paths.MakeRelative(f.File) { // Outside the project.
		at.Physical.Artifact.URI, at.Physical.Artifact.Base = (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(f.File), "/")}).String(), ""
	}
	region := &at.Physical.Region
	region.StartLine, region.StartColumn, region.EndLine, region.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
	return at
}

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

var gitlabSeverities = map[lint.Severity]string{lint.Error: "critical", lint.Warning: "minor", lint.Info: "info"}

// WriteGitLab writes a GitLab Code Quality report. The fingerprint of a finding does not depend on
// the lines before it.
func WriteGitLab(w io.Writer, paths ProjectPaths, findings []personas.Diagnostic) error {
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

var (
	indexPattern  = plaintext.Pattern(`\[\d+\]`)
	digitsPattern = plaintext.Pattern(`\d+`)
)

// makeAnchor returns a text that identifies a finding even after the author has inserted items
// before it. It consists of the finding's path with keys instead of indexes, and its message with 0
// instead of numbers.
func makeAnchor(doc *personas.Persona, found personas.Diagnostic) string {
	var path strings.Builder
	from := 0
	for _, at := range indexPattern().FindAllStringIndex(found.Path, -1) {
		path.WriteString(found.Path[from:at[0]] + "[" + doc.KeyAt(found.Path[:at[1]]) + "]")
		from = at[1]
	}
	return path.String() + found.Path[from:] + "\x00" + digitsPattern().ReplaceAllString(found.Message, "0")
}

// DescribeCondition explains when a link opens its target. If isOpen is set, it explains that the
// link has no effect, because its target is open from the start.
func DescribeCondition(l personas.Link, isOpen bool) string {
	text := ""
	switch l.Condition {
	case personas.IfOutcome:
		text = "with " + string(l.Outcome)
	case personas.IfScoreGTE:
		text = "with a score of at least " + strconv.Itoa(l.Score)
	case personas.IfScoreLTE:
		text = "with a score of at most " + strconv.Itoa(l.Score)
	case personas.Always:
		text = "with any ending"
	}
	switch {
	case isOpen && l.AutoAdvance:
		text += ", but " + l.Target + " is open from the start, so nobody is led there"
	case isOpen:
		text += ", but " + l.Target + " is open from the start"
	case l.AutoAdvance:
		text += ", and continues there at once"
	}
	return text
}

// IsOpen reports whether a machine is open from the start, even if a link opens it too.
func IsOpen(doc *personas.Persona, key string) bool {
	return slices.ContainsFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key && m.IsEntry })
}
