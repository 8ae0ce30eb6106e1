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
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// unusedIgnore is the check that looks at the ignores themselves. It is about
// comments, which the document does not have, so that it stands here and not
// in the linter's table (docs/decisions/check.md, unused-ignores).
const unusedIgnore = "unused-ignore"

// directive is the first word of a comment that ignores findings.
const directive = "parley:ignore"

// ignore is what one comment says of one check: its findings on the lines from
// first to last are not told.
type ignore struct {
	check       string
	at          personas.Position // of the comment
	first, last int
	used        bool
}

// parseIgnore reads a comment. It is false for a comment that is about something
// else. The complaint says what is wrong with it; then it ignores nothing.
func parseIgnore(comment string) (checks []string, complaint string, ok bool) {
	text := strings.TrimSpace(strings.TrimLeft(comment, "#"))
	if !strings.HasPrefix(text, "parley:") {
		return nil, "", false
	}
	word, rest, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	if word != directive {
		return nil, fmt.Sprintf("%q is not known; write # %s CHECK REASON", word, directive), true
	}
	for rest != "" {
		end := strings.IndexAny(rest+" ", " ,:")
		if end > 0 {
			checks = append(checks, rest[:end])
		}
		var more bool
		if rest, more = strings.CutPrefix(strings.TrimSpace(rest[end:]), ","); !more {
			break
		}
		rest = strings.TrimSpace(rest)
	}
	switch reason := strings.TrimLeft(rest, "-:–— "); {
	case len(checks) == 0:
		return nil, fmt.Sprintf("the comment names no check; write # %s CHECK REASON", directive), true
	case !strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return nil, fmt.Sprintf("the comment does not say why; write # %s %s REASON", directive, strings.Join(checks, ", ")), true
	}
	return checks, "", true
}

// mentionsDirective is a quick look that spares most files the search for comments.
func mentionsDirective(source []byte) bool { return bytes.Contains(source, []byte("parley:")) }

// readIgnores reads the comments of a file. What is wrong with them are findings.
func (f *lintedFile) readIgnores(s *cli.Streams) {
	if !mentionsDirective(f.Source) {
		return
	}
	f.takeOut(s)
	for _, comment := range f.Places.Comments() {
		checks, complaint, ok := parseIgnore(comment.Text)
		if !ok {
			continue
		}
		if complaint != "" {
			f.addUnused(comment.Pos, complaint)
		}
		first, last := comment.Pos.Line, comment.Pos.Line
		if comment.Alone {
			first, last, _ = f.Places.Below(comment.Pos.Line)
		}
		for _, check := range checks {
			if complaint := cannotIgnore(check); complaint != "" {
				f.addUnused(comment.Pos, complaint)
				continue
			}
			f.ignores = append(f.ignores, ignore{check: check, at: comment.Pos, first: first, last: last})
		}
	}
}

// cannotIgnore says why a check cannot be ignored, "" when it can.
func cannotIgnore(name string) string {
	check, known := findCheck(name)
	switch {
	case !known:
		return fmt.Sprintf("there is no check %q%s", name, nearCheck(name))
	case check.Severity == lint.Error:
		return fmt.Sprintf("%s is an error and cannot be ignored; a service refuses the file all the same", name)
	case name == unusedIgnore:
		return name + " cannot be ignored; remove the comment that it is about"
	}
	return ""
}

func (f *lintedFile) addUnused(at personas.Position, message string) {
	f.AddFinding(lint.Finding{Check: unusedIgnore, Severity: lint.Warning, Message: message}, at)
}

// ignore drops the findings that comments or the project ignore, and reports the
// comments that ignore nothing. In a file with faults of reading much is not
// looked for, so that nothing is said of them there.
func (f *lintedFile) ignore(s *cli.Streams, project []config.LintIgnore) {
	f.readIgnores(s)
	before := len(f.Findings)
	f.Findings = slices.DeleteFunc(f.Findings, func(found report.Finding) bool {
		return found.Severity != string(lint.Error) && (f.silenced(found) || ignoredInProject(s.WorkingFolder(), f.Name, found, project))
	})
	f.ignored += before - len(f.Findings)
	if f.faulty() {
		return
	}
	for _, i := range f.ignores {
		if !i.used {
			f.addUnused(i.at, fmt.Sprintf("nothing of %s is here to ignore; remove it from the comment", i.check))
		}
	}
}

func (f *lintedFile) silenced(found report.Finding) bool {
	silent := false
	for n := range f.ignores {
		i := &f.ignores[n]
		if i.check == found.Check && i.first <= found.Line && found.Line <= i.last {
			i.used, silent = true, true
		}
	}
	return silent
}

// projectIgnores are those of the project file, once it is known that they name
// checks that can be ignored.
func (o *lintOptions) projectIgnores(all []config.LintIgnore) ([]config.LintIgnore, error) {
	for _, i := range all {
		if complaint := cannotIgnore(i.Check); complaint != "" {
			return nil, cli.UsageError("settings file %s: lint.ignore: %s", i.Origin, complaint)
		}
	}
	return all, nil
}

func ignoredInProject(folder, name string, found report.Finding, all []config.LintIgnore) bool {
	return slices.ContainsFunc(all, func(i config.LintIgnore) bool {
		return i.Check == found.Check && (len(i.Files) == 0 || matchesAny(i, folder, name))
	})
}

// matchesAny tells whether a file is one of those that an item of lint.ignore
// names. A glob without a slash is for the name of the file, wherever it stands;
// a folder is for all that is in it.
func matchesAny(i config.LintIgnore, folder, name string) bool {
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
