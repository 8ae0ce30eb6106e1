package personas

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of what is looked for behind the first mistake that keeps a text from being read.
const (
	mostMistakes = 20
	mostRepaired = 8 << 20 // bytes that are read again for all of them
)

// repairedText is a text in which mistakes were put right, one after the other.
type repairedText struct {
	*sourceText // as it is now
	whole       *sourceText
	edits       []textChange
}

// textChange is a piece of a text and what stands in its place from then on.
type textChange struct {
	at         span
	old, right string
}

// listMistakes gives the fault because of which a text cannot be read, and those that are
// found behind it once it is put right, and so on. read gives the next fault of a text, or
// what is wrong in it where it can be read. The faults are in the order of the text; those
// of a text that was put right have no fix, since there is nothing yet that it could change
// (docs/decisions/personas.md, all-mistakes).
func (t *sourceText) listMistakes(first *Fault, read func(src string) (*sourceText, *Fault, []Fault)) []Fault {
	all := []Fault{*first}
	r := repairedText{sourceText: t, whole: t}
	for fault := first; fault != nil && fault.Fix != nil && len(all) < mostMistakes && t.reread < mostRepaired; {
		fix := fault.Fix
		r.edits = append(r.edits, textChange{span{fix.Start, fix.End}, fix.Old, fix.Value})
		next, later, inside := read(r.src[:fix.Start] + fix.Value + r.src[fix.End:])
		if later != nil && next.isBefore(later.Pos, fix.Start+len(fix.Value)) && later.Fix == nil {
			break // The text could be read no further, so that it may have been meant otherwise.
		}
		r.sourceText, fault = next, later
		if later != nil {
			inside = []Fault{*later}
			if at := r.placeBack(*later).Pos; at.Line < last(all).Pos.Line || slices.ContainsFunc(all, func(f Fault) bool { return f.Pos == at }) {
				break // Reading goes back, so that what was put right may have been meant otherwise.
			}
		}
		for _, f := range inside {
			if at := r.placeBack(f); at.Path == "" || !r.isChanged(at.Pos) {
				all = append(all, at)
			}
		}
	}
	sortFaults(all)
	return all[:min(len(all), maxFaults)]
}

func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// isBefore tells whether a place is on a line of another one, or before it.
func (t *sourceText) isBefore(at Position, offset int) bool {
	line, _ := t.lineAndColumn(offset)
	return at.Line <= line
}

// placeBack gives a fault of the text as it is now the place that it has in the whole one.
func (r *repairedText) placeBack(f Fault) Fault {
	start := r.offsetOf(f.Pos.Line, f.Pos.Column)
	end := r.offsetOf(f.Pos.EndLine, f.Pos.EndColumn)
	fix := f.Fix
	f.Fix = nil
	if fix != nil && f.Path == "" {
		begin, behind := r.offsetBack(fix.Start), r.offsetBack(fix.End)
		if behind >= begin && r.whole.src[begin:behind] == fix.Old {
			f.Fix = &Fix{Kind: fix.Kind, Value: fix.Value, Start: begin, End: behind, Old: fix.Old}
		}
	}
	start = r.offsetBack(start)
	f.Pos = r.whole.positionOf(span{start, max(r.offsetBack(end), start)})
	return f
}

// isChanged tells whether a line of the whole text was put right.
func (r *repairedText) isChanged(at Position) bool {
	for i := range r.edits {
		part := repairedText{whole: r.whole, edits: r.edits[:i]}
		first, _ := r.whole.lineAndColumn(part.offsetBack(r.edits[i].at.start))
		last, _ := r.whole.lineAndColumn(part.offsetBack(r.edits[i].at.end))
		if at.Line >= first && at.Line <= last {
			return true
		}
	}
	return false
}

// offsetOf gives the byte at a line and column.
func (t *sourceText) offsetOf(line, column int) int {
	line = min(max(line, 1), len(t.lines))
	at := t.lines[line-1]
	for i := range t.src[at:] {
		if column--; column <= 0 {
			return at + i
		}
	}
	return len(t.src)
}

// offsetBack gives the byte of the whole text that was at a byte of the text as it is now.
func (r *repairedText) offsetBack(at int) int {
	for _, e := range slices.Backward(r.edits) {
		switch behind := e.at.start + len(e.right); {
		case at >= behind:
			at += len(e.old) - len(e.right)
		case at > e.at.start:
			at = e.at.start + e.offsetIn(at-e.at.start)
		}
	}
	return min(max(at, 0), len(r.whole.src))
}

// offsetIn gives the byte of the old piece that is at a byte of the new one: the one as far
// from the end of the same line, or at the same place from the beginning.
func (e textChange) offsetIn(at int) int {
	if i := strings.Index(e.right, e.old); i >= 0 {
		return min(max(at-i, 0), len(e.old))
	}
	old, right := strings.SplitAfter(e.old, "\n"), strings.SplitAfter(e.right, "\n")
	if len(old) != len(right) {
		return min(at, len(e.old))
	}
	before := 0
	for i, line := range right {
		if at < len(line) || i == len(right)-1 {
			return before + min(max(len(old[i])-len(line)+at, 0), len(old[i]))
		}
		at -= len(line)
		before += len(old[i])
	}
	return len(e.old)
}
