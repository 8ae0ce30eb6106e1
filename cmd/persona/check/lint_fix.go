package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

const maxFixRounds = 10

type fixResult struct {
	before  []byte // the original text; nil if nothing was changed
	done    []string
	refused []string // messages of the last round about failed fixes
}

func (o *lintOptions) fixAll(b *batch) error {
	for range maxFixRounds {
		changed := false
		for _, f := range b.files {
			changed = f.fixOnce() || changed
		}
		if !changed {
			break
		}
		o.collectFindings(b)
	}
	for _, f := range b.files {
		if err := o.saveFixed(f); err != nil {
			return err
		}
	}
	o.collectFindings(b)
	return nil
}

func (f *lintedFile) fixOnce() bool {
	f.fixes.refused = nil
	if err := f.place.RefuseLink(); err != nil {
		if slices.ContainsFunc(f.Findings, func(found personas.Diagnostic) bool { return found.Fix != nil }) {
			f.fixes.refused = []string{f.Name + ": not fixed: " + err.Error()}
		}
		return false
	}
	if findSyntaxFix(f.ownFindings) != nil {
		return f.fixSyntax()
	}
	var fixable []personas.Diagnostic
	tried := map[personas.Fix]bool{} // a second fix of a value would undo the first
	for _, found := range f.Findings {
		if found.Fix == nil {
			if strings.Contains(found.Message, "; write it as: ") {
				place := fmt.Sprintf("%s:%d:%d", f.Name, found.Line, found.Column)
				f.fixes.refused = append(f.fixes.refused,
					place+": not fixed: the text may be intended; if not, change it by hand")
			}
			continue
		}
		at := personas.Fix{Path: found.Fix.Path}
		if found.Fix.Kind == personas.FixText {
			at.Start, at.End = found.Fix.Start, found.Fix.End
		}
		if !tried[at] {
			tried[at] = true
			fixable = append(fixable, found)
		}
	}
	slices.Reverse(fixable)
	done := len(f.fixes.done)
	trials := max(minFixTrials, maxFixedBytes/(len(f.Source)+1))
	f.applyFixes(fixable, &trials)
	slices.Reverse(f.fixes.done[done:])
	return len(f.fixes.done) > done
}

// Small files get more than minFixTrials checks in a round, up to maxFixedBytes in total.
const (
	minFixTrials  = 10
	maxFixedBytes = 64 << 20
)

// applyFixes expects fixes from the end of the file to its start.
func (f *lintedFile) applyFixes(fixable []personas.Diagnostic, trials *int) {
	if len(fixable) == 0 || *trials == 0 {
		return
	}
	*trials--
	source, changes := f.Source, []string(nil)
	for _, found := range fixable {
		place := fmt.Sprintf("%s:%d:%d:", f.Name, found.Line, found.Column)
		changed, err := found.Fix.Apply(source)
		if err != nil {
			f.fixes.refused = append(f.fixes.refused, fmt.Sprintf("%s not fixed: %s", place,
				strings.ReplaceAll(err.Error(), found.Fix.Path, f.Doc.NamePath(found.Fix.Path))))
			continue
		}
		source, changes = changed,
			append(changes, fmt.Sprintf("%s %s [%s]", place, f.describeFix(*found.Fix, changed), found.Check))
	}
	if len(changes) == 0 {
		return
	}
	after := personafiles.CheckSource(f.Name, source)
	harm := findHarm(f.ownFindings, after, fixable)
	switch {
	case harm == "":
		f.keepFixed(after, changes)
	case len(fixable) == 1:
		f.fixes.refused = append(f.fixes.refused,
			fmt.Sprintf("%s:%d:%d: not fixed: the text would have another error: %s", f.Name, fixable[0].Line,
				fixable[0].Column, harm))
	default:
		half := len(fixable) / 2
		f.applyFixes(fixable[:half], trials)
		f.applyFixes(fixable[half:], trials)
	}
}

func (f *lintedFile) keepFixed(after *personafiles.File, changes []string) {
	if f.fixes.before == nil {
		f.fixes.before = f.Source
	}
	f.fixes.done = append(f.fixes.done, changes...)
	f.File, f.released = after, false
	f.ownFindings = after.Findings
}

// findHarm ignores errors inside a value that did not parse before.
func findHarm(before []personas.Diagnostic, after *personafiles.File, fixed []personas.Diagnostic) string {
	if !after.Places.Has("") {
		return after.Findings[0].Message
	}
	type errorAt struct{ path, check, message string }
	known := map[errorAt]bool{}
	for _, b := range before {
		known[errorAt{b.Path, b.Check, b.Message}] = true
	}
	for _, a := range after.Findings {
		if slices.ContainsFunc(fixed, func(b personas.Diagnostic) bool {
			return a.Path == b.Path && a.Check == b.Check && a.Message == b.Message
		}) {
			return a.Message
		}
		if personafiles.IsRefused(a.Check) && !known[errorAt{a.Path, a.Check, a.Message}] && !isUncovered(a.Path, fixed) {
			return a.Message
		}
	}
	return ""
}

func isUncovered(path string, fixed []personas.Diagnostic) bool {
	return slices.ContainsFunc(fixed, func(found personas.Diagnostic) bool {
		into := found.Fix.Path
		if found.Fix.Kind == personas.FixRename {
			into = into[:strings.LastIndexByte("."+into, '.')] + found.Fix.Value
		}
		return into != "" && (strings.HasPrefix(path, into+".") || strings.HasPrefix(path, into+"["))
	})
}

func findSyntaxFix(findings []personas.Diagnostic) *personas.Diagnostic {
	i := slices.IndexFunc(findings, func(found personas.Diagnostic) bool {
		return found.Fix != nil && found.Fix.Kind == personas.FixText && found.Path == ""
	})
	if i < 0 {
		return nil
	}
	return &findings[i]
}

const maxSyntaxFixes = 100

func (f *lintedFile) fixSyntax() bool {
	now, findings, changes := f.File, f.ownFindings, []string(nil)
	for trials := min(maxSyntaxFixes, max(minFixTrials, maxFixedBytes/(len(f.Source)+1))); trials > 0; trials-- {
		found := findSyntaxFix(findings)
		if found == nil {
			break
		}
		changed, err := found.Fix.Apply(now.Source)
		if err != nil {
			break
		}
		changes = append(changes, fmt.Sprintf("%s:%d:%d: %s [%s]", f.Name, found.Line, found.Column,
			f.describeFix(*found.Fix, changed), found.Check))
		now = personafiles.CheckSource(f.Name, changed)
		findings = now.Findings
	}
	if !now.Places.Has("") {
		left := findings[0]
		f.fixes.refused = append(f.fixes.refused, fmt.Sprintf("%s: not fixed: the text still cannot be read; "+
			"correct this error by hand first: %d:%d: %s", f.Name, left.Line, left.Column, left.Message))
		return false
	}
	f.keepFixed(now, changes)
	return true
}

func (f *lintedFile) describeFix(fix personas.Fix, changed []byte) string {
	what := f.Doc.NamePath(fix.Path)
	switch fix.Kind {
	case personas.FixRename:
		return fmt.Sprintf("%s is called %s now", what, fix.Value)
	case personas.FixRemove:
		return what + " is removed"
	case personas.FixWrap:
		return what + " is a list now"
	case personas.FixRetype:
		return fmt.Sprintf("%s is %s now", what, fix.Value)
	case personas.FixText:
		return "the text is now: " + plaintext.ClipAfter(fix.Line(changed), 160, plaintext.Dots)
	}
	return fmt.Sprintf("%s is %s now", what, strconv.Quote(fix.Value))
}

func (o *lintOptions) saveFixed(f *lintedFile) error {
	for _, refused := range f.fixes.refused {
		o.Warn("%s", terminal.Clean(refused))
	}
	if f.fixes.before == nil {
		return nil
	}
	for _, done := range f.fixes.done {
		o.Say("%s", terminal.Clean(done))
	}
	if !o.dryRun {
		return atomicfile.Rewrite(f.place.Path, f.Source)
	}
	_, err := fmt.Fprint(o.Out,
		terminal.CleanLines(cli.UnifiedDiff(f.Name, "fixed", string(f.fixes.before), string(f.Source))))
	return err
}
