package check

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

const directive = "parley:ignore"

type ignore struct {
	check       string
	at          personas.Position // of the comment
	first, last int
	used        bool
}

var directiveComment = plaintext.Pattern(`^` + directive + `[\s,]+([^\s,:]+(?:\s*,\s*[^\s,:]+)*)(.*)$`)

func parseIgnore(comment string) (checks []string, complaint string, ok bool) {
	text := strings.TrimSpace(strings.TrimLeft(comment, "#"))
	if !strings.HasPrefix(text, "parley:") {
		return nil, "", false
	}
	if word, _, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " "); word != directive {
		return nil, fmt.Sprintf("unknown word %.100q; write # %s CHECK REASON", word, directive), true
	}
	m := directiveComment().FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Sprintf("the comment contains no check; write # %s CHECK REASON", directive), true
	}
	for check := range strings.SplitSeq(m[1], ",") {
		checks = append(checks, strings.TrimSpace(check))
	}
	if !strings.ContainsFunc(m[2], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return nil, fmt.Sprintf("the comment has no reason; write # %s %s REASON", directive, checks[0]), true
	}
	return checks, "", true
}

func mentionsDirective(source []byte) bool { return bytes.Contains(source, []byte("parley:")) }

type ignoreReader struct {
	*lintedFile
	policy  personafiles.Policy
	members personas.MemberLines
	ignores []ignore
	byCheck map[string][]int
	told    int
}

func (f *lintedFile) readIgnores(s *cli.Streams, policy personafiles.Policy) *ignoreReader {
	r := &ignoreReader{lintedFile: f, policy: policy, byCheck: map[string][]int{}}
	if !mentionsDirective(f.Source) {
		return r
	}
	f.restoreText(s)
	r.members = f.Places.MemberLines()
	for _, comment := range f.Places.Comments() {
		if checks, complaint, ok := parseIgnore(comment.Text); ok {
			r.addComment(comment, checks, complaint)
		}
	}
	return r
}

func (r *ignoreReader) addComment(comment personas.Comment, checks []string, complaint string) {
	if complaint != "" {
		r.complain(comment.Pos, func() string { return complaint })
	}
	first, last := comment.Pos.Line, comment.Pos.Line
	if comment.Alone {
		first, last, _ = r.members.Below(comment.Pos.Line)
	}
	for _, check := range checks {
		if !isIgnorable(r.policy, check) {
			r.complain(comment.Pos, func() string { return explainNotIgnorable(r.policy, check) })
			continue
		}
		r.byCheck[check] = append(r.byCheck[check], len(r.ignores))
		r.ignores = append(r.ignores, ignore{check: check, at: comment.Pos, first: first, last: last})
	}
}

func (r *ignoreReader) complain(at personas.Position, explain func() string) {
	r.told++
	switch {
	case r.told <= lint.MaxFindings:
		r.addUnusedIgnore(at, explain())
	case r.told == lint.MaxFindings+1:
		r.addUnusedIgnore(at, lint.MoreFindings)
	}
}

func isIgnorable(policy personafiles.Policy, name string) bool {
	_, known := personafiles.FindCheck(name)
	return known && policy.LevelOf(name) != lint.Error && name != personafiles.UnusedIgnore
}

func explainNotIgnorable(policy personafiles.Policy, name string) string {
	switch _, known := personafiles.FindCheck(name); {
	case !known:
		return fmt.Sprintf("unknown check %.100q%s", name, personafiles.SuggestCheck(name))
	case name == personafiles.UnusedIgnore:
		return name + " cannot be ignored; remove the unused comment instead"
	case personafiles.IsRefused(name):
		return fmt.Sprintf("%s is an error and cannot be ignored; correct it, because a service refuses the file", name)
	}
	return fmt.Sprintf("%s is an error and cannot be ignored; to make it a warning, set lint.severity in %s", name,
		settings.ProjectFile)
}

func (r *ignoreReader) addUnusedIgnore(at personas.Position, message string) {
	if level := r.policy.LevelOf(personafiles.UnusedIgnore); level != settings.SeverityOff {
		r.AddFinding(personas.Diagnostic{Check: personafiles.UnusedIgnore, Severity: level, Message: message}, at)
	}
}

func (f *lintedFile) applyIgnores(s *cli.Streams, policy personafiles.Policy, project []settings.LintIgnore) {
	r := f.readIgnores(s, policy)
	before := len(f.Findings)
	f.Findings = slices.DeleteFunc(f.Findings, func(found personas.Diagnostic) bool {
		return found.Severity != lint.Error &&
			(r.isIgnored(found) || isIgnoredInProject(s.WorkingFolder(), f.Name, found, project))
	})
	f.ignored += before - len(f.Findings)
	if f.hasFaults() {
		return
	}
	for _, i := range r.ignores {
		if !i.used {
			r.complain(i.at, func() string {
				return fmt.Sprintf("%s has no finding here; remove it from the comment", i.check)
			})
		}
	}
}

func (r *ignoreReader) isIgnored(found personas.Diagnostic) bool {
	silent := false
	for _, n := range r.byCheck[found.Check] {
		if i := &r.ignores[n]; i.first <= found.Line && found.Line <= i.last {
			i.used, silent = true, true
		}
	}
	return silent
}

func isIgnoredInProject(folder, name string, found personas.Diagnostic, all []settings.LintIgnore) bool {
	return slices.ContainsFunc(all, func(i settings.LintIgnore) bool {
		return i.Check == found.Check && (len(i.Files) == 0 || matchesFiles(i, folder, name))
	})
}

// matchesFiles matches "*.yaml" in any directory, and "drafts" for all files below drafts.
func matchesFiles(i settings.LintIgnore, folder, name string) bool {
	whole := name
	if !filepath.IsAbs(name) {
		whole = filepath.Join(folder, name)
	}
	inside, err := filepath.Rel(i.Folder, whole)
	if err != nil {
		return false
	}
	inside = filepath.ToSlash(inside)
	return slices.ContainsFunc(i.Files, func(glob string) bool {
		glob = strings.TrimPrefix(strings.TrimSuffix(glob, "/"), "./")
		if !strings.Contains(glob, "/") && personafiles.MatchGlob(glob, path.Base(inside)) {
			return true
		}
		return personafiles.MatchGlob(glob, inside) || personafiles.MatchGlob(glob+"/**", inside)
	})
}
