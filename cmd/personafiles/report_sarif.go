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

// SARIFDefault holds the SARIF level of a check.
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

// Homepage is the URL of Parley's repository.
const Homepage = "https://github.com/parley-npc/parley"

// WriteSARIF writes findings as a SARIF 2.1.0 log. rules describes all checks.
func WriteSARIF(w io.Writer, paths ProjectPaths, rules []SARIFRule, findings []personas.Diagnostic) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{"parley", cli.VersionText(), Homepage, rules}
	twins := map[string]int{}
	for _, f := range findings {
		run.Results = append(run.Results, sarifResult{
			Rule: f.Check, Level: ConvertLevel(f.Severity), Message: SARIFText{Text: f.Message},
			Locations:    []sarifLocation{locateSARIF(paths, f)},
			Fingerprints: map[string]string{"parley/v1": hashFinding(paths, f, twins)},
		})
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

// hashFinding ignores line numbers. twins counts equal findings and makes their hashes different.
func hashFinding(paths ProjectPaths, f personas.Diagnostic, twins map[string]int) string {
	anchor := f.Anchor
	if anchor == "" {
		anchor = f.Path + "\x00" + f.Message
	}
	key := strings.Join([]string{paths.MakeRelative(f.File), f.Check, anchor}, "\x00")
	twins[key]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, twins[key]))
	return hex.EncodeToString(sum[:])
}

func locateSARIF(paths ProjectPaths, f personas.Diagnostic) sarifLocation {
	var location sarifLocation
	artifact := &location.Physical.Artifact
	relative, absolute := paths.MakeRelative(f.File), filepath.ToSlash(f.File)
	isOutsideProject := filepath.IsAbs(f.File) && absolute == relative
	if isOutsideProject {
		artifact.URI = (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(absolute, "/")}).String()
	} else {
		artifact.URI, artifact.Base = (&url.URL{Path: relative}).String(), "%SRCROOT%"
	}
	region := &location.Physical.Region
	region.StartLine, region.StartColumn, region.EndLine, region.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
	return location
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

// WriteGitLab writes a GitLab Code Quality report.
func WriteGitLab(w io.Writer, paths ProjectPaths, findings []personas.Diagnostic) error {
	issues := make([]gitlabIssue, 0, len(findings))
	twins := map[string]int{}
	for _, f := range findings {
		issue := gitlabIssue{
			Description: f.Message, CheckName: f.Check,
			Fingerprint: hashFinding(paths, f, twins), Severity: gitlabSeverities[f.Severity],
		}
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

// makeAnchor replaces indexes by keys, because the author may insert items.
func makeAnchor(doc *personas.Persona, found personas.Diagnostic) string {
	var path strings.Builder
	from := 0
	for _, at := range indexPattern().FindAllStringIndex(found.Path, -1) {
		path.WriteString(found.Path[from:at[0]] + "[" + doc.KeyAt(found.Path[:at[1]]) + "]")
		from = at[1]
	}
	return path.String() + found.Path[from:] + "\x00" + digitsPattern().ReplaceAllString(found.Message, "0")
}

// DescribeCondition explains when a link opens its target. isOpen means initially open.
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

// IsOpen reports whether a machine is open from the start.
func IsOpen(doc *personas.Persona, key string) bool {
	return slices.ContainsFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key && m.IsEntry })
}
