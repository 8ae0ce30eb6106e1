package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// The parts of SARIF 2.1.0 that findings need.
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
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID   string    `json:"id"`
	Text sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine   int `json:"startLine"`
			StartColumn int `json:"startColumn"`
			EndLine     int `json:"endLine"`
			EndColumn   int `json:"endColumn"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// testRules are the checks of a rehearsal.
var testRules = []sarifRule{
	{"expectation", sarifText{"A message did not lead to what its play-through expects."}},
	{"service", sarifText{"The service did not answer."}},
	{"which-transition", sarifText{"A reply does not tell which transition has fired."}},
	{"not-covered", sarifText{"No play-through reaches this."}},
	{"mutant", sarifText{"No play-through notices this mistake."}},
}

// writeTestSARIF writes all findings for code scanning.
func writeTestSARIF(w io.Writer, b *bill) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{"parley", versionText(), testRules}
	var all []finding
	for _, p := range b.programmes {
		all = append(all, p.findings()...)
	}
	for _, c := range b.casts {
		all = append(all, c.uncovered()...)
	}
	for _, f := range append(all, b.unnoticed()...) {
		run.Results = append(run.Results, f.sarif())
	}
	text, err := indented(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// sarif is a finding as SARIF. Its fingerprint stays the same when lines above
// it come or go.
func (f finding) sarif() sarifResult {
	level := map[string]string{"info": "note"}[f.Severity]
	if level == "" {
		level = f.Severity
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{filepath.ToSlash(f.File), f.Check, f.Path, f.Message}, "\x00")))
	r := sarifResult{Rule: f.Check, Level: level, Message: sarifText{f.Message}, Fingerprints: map[string]string{"parley/v1": hex.EncodeToString(sum[:])}}
	var at sarifLocation
	at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(f.File)}).String()
	region := &at.Physical.Region
	region.StartLine, region.StartColumn, region.EndLine, region.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
	r.Locations = []sarifLocation{at}
	return r
}
