package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/tui/terminal"
)

// maxFixRounds is how often files are fixed and checked again: after one fix another one
// may become possible.
const maxFixRounds = 10

// fixResult is what --fix has done with a file, in all rounds together.
type fixResult struct {
	before  []byte   // the text as it was read; nil when nothing was changed
	done    []string // what was changed
	refused []string // what could not be changed, and why, in the last round
}

// fixAll applies every fix in every file and writes the files, or shows the changes. The
// findings of the batch are those that are left.
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

// fixOnce applies the fixes of a file's findings, from the end of the file to its
// beginning and one for each value, and checks the result. It tells whether anything was
// changed.
func (f *lintedFile) fixOnce() bool {
	source, changes := f.Source, []string(nil)
	f.fixes.refused = nil
	tried := map[string]bool{} // A second fix of a value would undo the first.
	for _, found := range slices.Backward(f.Findings) {
		if found.Fix == nil || tried[found.Fix.Path] {
			continue
		}
		tried[found.Fix.Path] = true
		place := fmt.Sprintf("%s:%d:%d:", f.Name, found.Line, found.Column)
		changed, err := found.Fix.Apply(source)
		if err != nil {
			f.fixes.refused = append(f.fixes.refused, fmt.Sprintf("%s not fixed: %v", place, err))
			continue
		}
		source, changes = changed, append(changes, fmt.Sprintf("%s %s [%s]", place, describeFix(*found.Fix), found.Check))
	}
	if len(changes) == 0 {
		return false
	}
	if f.fixes.before == nil {
		f.fixes.before = f.Source
	}
	slices.Reverse(changes)
	f.fixes.done = append(f.fixes.done, changes...)
	f.File, f.released = personafiles.CheckSource(f.Name, source), false
	f.ownFindings = f.Findings
	return true
}

// describeFix says in words what a fix has done.
func describeFix(fix personas.Fix) string {
	switch fix.Kind {
	case personas.FixRename:
		return fmt.Sprintf("%s is called %s now", fix.Path, fix.Value)
	case personas.FixRemove:
		return fix.Path + " is removed"
	case personas.FixWrap:
		return fix.Path + " is a list now"
	case personas.FixRetype:
		return fmt.Sprintf("%s is %s now", fix.Path, fix.Value)
	}
	return fmt.Sprintf("%s is %s now", fix.Path, strconv.Quote(fix.Value))
}

// saveFixed says what was changed in a file and writes it, or with --dry-run shows the
// changes. A text that could not be read any more is not written.
func (o *lintOptions) saveFixed(f *lintedFile) error {
	for _, refused := range f.fixes.refused {
		o.Warn("%s", terminal.Clean(refused))
	}
	if f.fixes.before == nil {
		return nil
	}
	if !f.Places.Has("") {
		o.Warn("%s: not fixed: the text would not read any more", terminal.Clean(f.Name))
		f.File, f.fixes = personafiles.CheckSource(f.Name, f.fixes.before), fixResult{}
		f.ownFindings = f.Findings
		return nil
	}
	for _, done := range f.fixes.done {
		o.Say("%s", terminal.Clean(done))
	}
	if !o.dryRun {
		return atomicfile.Rewrite(f.place.Path, f.Source)
	}
	_, err := fmt.Fprint(o.Out, terminal.CleanLines(cli.UnifiedDiff(f.Name, "fixed", string(f.fixes.before), string(f.Source))))
	return err
}
