package check_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

func newParley(dir string, args ...string) *exec.Cmd {
	p := exec.Command(os.Args[0], append([]string{"persona"}, args...)...)
	p.Dir, p.Env = dir, append(os.Environ(), cmdtest.AsParley+"=1")
	return p
}

// lintIn runs `parley persona lint` in a directory and returns its stdout. Findings are not a failure.
func lintIn(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	p := newParley(dir, append([]string{"lint"}, args...)...)
	var talk bytes.Buffer
	p.Stderr = &talk
	out, err := p.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("lint %v: %v\n%s", args, err, talk.String())
	}
	return out
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

const faultyPersona = `name: A
description: d
persona_identity_prompt: You are {{nobody}} and {{noone}}.
machnes: []
machines:
  - machine_key: m
    states:
      - {state_key: a, is_initial_state: true, lable: x}
      - {state_key: b, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: c, decision_type: pass}
      - {from_state_key: a, to_state_key: c, decision_type: pass}
`

type sarifReport struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Results []struct {
			RuleID    string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
			}
			Fingerprints map[string]string `json:"partialFingerprints"`
		}
	}
}

// TestSARIFIsValid checks the members in the reports of lint and test against the standard.
func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a b.yaml", faultyPersona)
	put(t, dir, "é#c.yaml", "name: 1\npersona_identity_prompt: x\n")
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema := c.MustCompile("testdata/sarif-used.schema.json")
	for _, report := range [][]byte{lintIn(t, dir, "--format", "sarif"), testAsSARIF(t, dir)} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
		if err == nil {
			err = schema.Validate(value)
		}
		assert.NoError(t, err, report)
		var r sarifReport
		err = json.Unmarshal(report, &r)
		assert.Must(t, err == nil && len(r.Runs) == 1 && len(r.Runs[0].Results) >= 2, "%v: results are missing\n%s", err, report)
		for _, result := range r.Runs[0].Results {
			assert.True(t, slices.ContainsFunc(r.Runs[0].Tool.Driver.Rules, func(rule struct{ ID string }) bool { return rule.ID == result.RuleID }),
				"%s has no rule", result.RuleID)
			uri := result.Locations[0].PhysicalLocation.ArtifactLocation.URI
			assert.True(t, slices.Contains([]string{"a%20b.yaml", "%C3%A9%23c.yaml", "p.play.yaml", "p.yaml"}, uri), "uri %q", uri)
		}
	}
}

func testAsSARIF(t *testing.T, dir string) []byte {
	t.Helper()
	starter := assert.Value(os.ReadFile("../../../personas/examples/starter.yaml"))(t)
	put(t, dir, "p.yaml", string(starter))
	put(t, dir, "p.play.yaml", "persona: p.yaml\nplays: [{steps: [{say: moo, expect: {score: 77}}]}]\n")
	out, err := newParley(dir, "test", "--format", "sarif", "p.play.yaml").Output()
	assert.Must(t, err != nil, "the play-through should have failed")
	return out
}

// TestFingerprintsStay: earlier lines and items do not change a fingerprint, and none is shared.
func TestFingerprintsStay(t *testing.T) {
	t.Parallel()
	prints := func(text string) []string {
		dir := t.TempDir()
		put(t, dir, "a.yaml", text)
		var r sarifReport
		assert.NoError(t, json.Unmarshal(lintIn(t, dir, "--format", "sarif", "a.yaml"), &r))
		var all []string
		for _, result := range r.Runs[0].Results {
			all = append(all, result.RuleID+" "+result.Fingerprints["parley/v1"])
		}
		slices.Sort(all)
		return all
	}
	before := prints(faultyPersona)
	twice := slices.Compact(slices.Clone(before))
	assert.Must(t, len(twice) == len(before) && len(before) >= 6, "fingerprints are shared, or missing: %v", before)
	moved := strings.Replace(faultyPersona, "machines:\n", `# A comment.

machines:
  - machine_key: before
    states:
      - {state_key: a, is_initial_state: true, offline: {opening: [hi], examples: {pass: [please]}, lines: {pass: [go]}}}
      - {state_key: b, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass, score_delta: 3, condition: They ask.}
`, 1)
	moved = strings.Replace(moved, "      - {state_key: b, is_terminal_state: true}\n    transitions:\n      - {from_state_key: a, to_state_key: c",
		"      - {state_key: b, is_terminal_state: true}\n    transitions:\n      - {from_state_key: a, to_state_key: b, decision_type: pass, score_delta: 3, condition: They ask.}\n      - {from_state_key: a, to_state_key: c", 1)
	after := prints(moved)
	for _, p := range before {
		if strings.HasPrefix(p, "unknown-") || strings.HasPrefix(p, "template-") {
			assert.True(t, slices.Contains(after, p), "%s is gone:\n%s", p, strings.Join(after, "\n"))
		}
	}
	other := prints(strings.ReplaceAll(faultyPersona, "machnes", "machnas"))
	assert.True(t, !slices.Equal(other, before), "another finding has the same fingerprint")
}
