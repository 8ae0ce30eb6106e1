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

// mostRounds is how often files are fixed and checked again: a fix may show
// what another one puts right.
const mostRounds = 10

// fixing is what --fix has done with a file.
type fixing struct {
	before  []byte   // the text as it was read; nil when nothing was changed
	done    []string // what was changed
	refused []string // what could not be, in the last round
}

// fixAll puts right what can be, in every file. What is left then are the
// findings of the batch.
func (o *lintOptions) fixAll(b *batch) error {
	for range mostRounds {
		changed := false
		for _, f := range b.files {
			changed = f.fixOnce() || changed
		}
		if !changed {
			break
		}
		o.settle(b)
	}
	for _, f := range b.files {
		if err := o.keepFixed(f); err != nil {
			return err
		}
	}
	o.settle(b)
	return nil
}

// fixOnce applies the fixes of a file's findings, the last ones first and one for
// each value, and reads the result. It tells whether anything was changed.
func (f *lintedFile) fixOnce() bool {
	source, changes := f.Source, []string(nil)
	f.fixing.refused = nil
	tried := map[string]bool{} // A second fix of a value would undo the first.
	for _, found := range slices.Backward(f.Findings) {
		if found.Fix == nil || tried[found.Fix.Path] {
			continue
		}
		tried[found.Fix.Path] = true
		place := fmt.Sprintf("%s:%d:%d:", f.Name, found.Line, found.Column)
		changed, err := found.Fix.Apply(source)
		if err != nil {
			f.fixing.refused = append(f.fixing.refused, fmt.Sprintf("%s not fixed: %v", place, err))
			continue
		}
		source, changes = changed, append(changes, fmt.Sprintf("%s %s [%s]", place, whatWasDone(*found.Fix), found.Check))
	}
	if len(changes) == 0 {
		return false
	}
	if f.fixing.before == nil {
		f.fixing.before = f.Source
	}
	slices.Reverse(changes)
	f.fixing.done = append(f.fixing.done, changes...)
	f.File, f.away = personafiles.CheckSource(f.Name, source), false
	f.own = f.Findings
	return true
}

func whatWasDone(fix personas.Fix) string {
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

// keepFixed says what was done with a file and writes it, or shows what would
// change in it. A text that does not read any more is not written.
func (o *lintOptions) keepFixed(f *lintedFile) error {
	for _, refused := range f.fixing.refused {
		o.Warn("%s", terminal.Clean(refused))
	}
	if f.fixing.before == nil {
		return nil
	}
	if !f.Places.Has("") {
		o.Warn("%s: not fixed: the text would not read any more", terminal.Clean(f.Name))
		f.File, f.fixing = personafiles.CheckSource(f.Name, f.fixing.before), fixing{}
		f.own = f.Findings
		return nil
	}
	for _, done := range f.fixing.done {
		o.Say("%s", terminal.Clean(done))
	}
	if !o.dryRun {
		return atomicfile.Rewrite(f.found.Path, f.Source)
	}
	_, err := fmt.Fprint(o.Out, terminal.CleanLines(cli.UnifiedDiff(f.Name, "fixed", string(f.fixing.before), string(f.Source))))
	return err
}
