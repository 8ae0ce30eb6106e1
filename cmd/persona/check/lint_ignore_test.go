package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
)

func TestParseIgnore(t *testing.T) {
	t.Parallel()
	tests := []struct {
		comment   string
		checks    string
		complaint string // a part of it
		other     bool   // it is about something else
	}{
		{comment: "# parley:ignore todo-left it is a quote", checks: "todo-left"},
		{comment: "#parley:ignore todo-left: it is a quote", checks: "todo-left"},
		{comment: "## parley:ignore  a ,b,  c\tall of them", checks: "a b c"},
		{comment: "# parley:ignore a -- 1", checks: "a"},
		{comment: "# parley:ignore a — weil es so ist", checks: "a"},
		{comment: "# parley:ignore a, because", complaint: "has no reason"},
		{comment: "# parley:ignore a --", complaint: "has no reason"},
		{comment: "# parley:ignore a", complaint: "write # parley:ignore a REASON"},
		{comment: "# parley:ignore", complaint: "contains no check"},
		{comment: "# parley:ignore , a b", checks: "a"},
		{comment: "# parley:ignored a b", complaint: `unknown word "parley:ignored"`},
		{comment: "# parley:", complaint: `unknown word "parley:"`},
		{comment: "# see parley:ignore a b", other: true},
		{comment: "# parley ignores this", other: true},
		{comment: "#", other: true},
	}
	for _, test := range tests {
		checks, complaint, ok := parseIgnore(test.comment)
		if strings.Join(checks, " ") != test.checks || !strings.Contains(complaint, test.complaint) ||
			(complaint == "") != (test.complaint == "") || ok == test.other {
			t.Errorf("%q: checks %q, complaint %q, %v", test.comment, checks, complaint, ok)
		}
	}
}

// FuzzParseIgnore: a comment is unrelated, or reported as wrong, or names checks by its own words.
func FuzzParseIgnore(f *testing.F) {
	for _, seed := range []string{"# parley:ignore a, b why", "#parley:ignore ,,, x", "# parley:ignore é— – x", "# parley:disable a", "# x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		checks, complaint, ok := parseIgnore(comment)
		if !ok && (complaint != "" || len(checks) > 0) || ok && (complaint == "") == (len(checks) == 0) {
			t.Fatalf("%q: %q, %q, %v", comment, checks, complaint, ok)
		}
		for _, check := range checks {
			assert.Must(t, check != "" && !strings.ContainsAny(check, " ,:") && strings.Contains(comment, check),
				"%q: check %q", comment, check)
		}
	})
}

// TestIgnoreCovers: which lines a comment is for.
func TestIgnoreCovers(t *testing.T) {
	t.Parallel()
	const text = `name: A
description: d
persona_identity_prompt: p
%s
machines:
  %s
  - machine_key: m
    %s
    states:
      - state_key: a
        is_initial_state: true %s
        one: 1 %s
      %s
      -
        %s
        two: 1
        state_key: b
        is_terminal_state: true
    transitions: []
three: 1
`
	tests := map[int]string{0: "one two", 1: "one two", 2: "one two", 3: "", 4: "one", 5: "two", 6: "two"}
	for at, want := range tests {
		comments := []any{"", "", "", "", "", "", ""}
		comments[at] = "# parley:ignore unknown-member as a test"
		f := &lintedFile{File: personafiles.CheckSource("a.yaml", fmt.Appendf(nil, text, comments...))}
		f.ownFindings = f.Findings
		before := unknownMembers(f.Findings)
		f.applyIgnores(&cli.Streams{}, personafiles.Policy{}, nil)
		gone := slices.DeleteFunc(before, func(name string) bool { return slices.Contains(unknownMembers(f.Findings), name) })
		assert.Equal(t, strings.Join(gone, " "), want, "comment %d ignores %v", at, gone)
	}
}

// TestManyIgnores: very many ignore comments are read in one pass, with the usual number of findings.
func TestManyIgnores(t *testing.T) {
	t.Parallel()
	const text = "name: A\ndescription: d\npersona_identity_prompt: p\nmachines:\n  - machine_key: m\n    states:\n" +
		"      - {state_key: a, is_initial_state: true}\n      - {state_key: b, is_terminal_state: true}\n    transitions:\n" +
		"      - {from_state_key: a, to_state_key: b, decision_type: pass}\n"
	members := strings.Repeat("      - {state_key: c, one: 1}\n", 2000)
	for name, source := range map[string]string{
		"unused":            text + strings.Repeat("# parley:ignore todo-left as a test\n", 150_000),
		"no check":          text + strings.Repeat("#parley:ignore\n", 400_000),
		"no such check":     text + strings.Repeat("# parley:ignore todo-lefd as a test\n", 150_000),
		"many in a comment": text + "# parley:ignore " + strings.Repeat("nothing,", 400_000) + " as a test\n",
		"among members": strings.Replace(text, "    transitions:", members+"    transitions:", 1) +
			strings.Repeat("# parley:ignore todo-left as a test\n", 150_000),
		"a long name": text + strings.Repeat("# parley:ignore "+strings.Repeat("n", 20_000)+" as a test\n", 200),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &lintedFile{File: personafiles.CheckSource("a.yaml", []byte(source))}
			f.applyIgnores(&cli.Streams{}, personafiles.Policy{}, nil)
			var told []string
			for _, found := range f.Findings {
				if found.Check == personafiles.UnusedIgnore {
					told = append(told, found.Message)
				}
			}
			if len(told) != lint.MaxFindings+1 || told[lint.MaxFindings] != lint.MoreFindings || len(told[0]) > 300 {
				t.Errorf("%d are told, the first as %.300q, the last as %.300q", len(told), told[0], told[len(told)-1])
			}
		})
	}
}

func unknownMembers(all []personas.Diagnostic) []string {
	var names []string
	for _, f := range all {
		if f.Check == "unknown-member" {
			names = append(names, f.Path[strings.LastIndexByte(f.Path, '.')+1:])
		}
	}
	return names
}

func TestMatchGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob, file string
		want       bool
	}{
		{"a/*.yaml", "a/b.yaml", true}, {"a/*.yaml", "a/b/c.yaml", false}, {"a/**/*.yaml", "a/c.yaml", true},
		{"a/**/*.yaml", "a/b/c/d.yaml", true}, {"**/d.yaml", "d.yaml", true}, {"a/**", "a", true}, {"a/**", "a/b/c", true},
		{"a/**", "ab/c", false}, {"a?/[bc].y*", "ax/c.yml", true}, {"a", "a/b", false}, {"a/b", "a", false}, {"**/x/**", "a/x/b/c", true},
	}
	for _, test := range tests {
		assert.Equal(t, personafiles.MatchGlob(test.glob, test.file), test.want, "%s and %s", test.glob, test.file)
	}
}

// TestAnnotationsAreTen: ten annotations per level, errors first; the last counts the others, which are log lines.
func TestAnnotationsAreTen(t *testing.T) {
	t.Parallel()
	annotate := func(errors, warnings int) string {
		var all []personas.Diagnostic
		for i := range warnings {
			all = append(all, personas.Diagnostic{File: "::w", Position: personas.Position{Line: i + 1}, Severity: "warning", Message: "##[error] w"})
		}
		for i := range errors {
			all = append(all, personas.Diagnostic{File: "e", Position: personas.Position{Line: i + 1}, Severity: "error", Message: "e"})
		}
		var out bytes.Buffer
		assert.NoError(t, personafiles.WriteAnnotations(&out, personafiles.ProjectPaths{},
			append(all, personas.Diagnostic{File: "i", Severity: "info", Message: "i"})))
		return out.String()
	}
	if text := annotate(10, 10); strings.Count(text, "\n") != 21 || strings.Contains(text, "more") || !strings.HasSuffix(text, "title=::i\n") {
		t.Errorf("ten of each:\n%s", text)
	}
	text := annotate(11, 12)
	lines := strings.Split(text, "\n")
	if !strings.HasSuffix(lines[9], "::e (and 1 more error, in the log of this step)") ||
		!strings.HasSuffix(lines[19], "(and 2 more warnings, in the log of this step)") {
		t.Errorf("eleven and twelve:\n%s", text)
	}
	if want := []string{"::group::3 more findings", "- e:11:0: e []", "- ::w:11:0: # #[error] w []",
		"- ::w:12:0: # #[error] w []", "::endgroup::", ""}; !slices.Equal(lines[21:], want) {
		t.Errorf("the rest:\n%s", strings.Join(lines[21:], "\n"))
	}
}
