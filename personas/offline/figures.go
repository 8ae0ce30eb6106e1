package offline

import (
	"cmp"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Figures describe how well the offline model decides the lines of a corpus. The zero
// value has measured nothing yet.
type Figures struct {
	// Lines were decided, Right of them as they want.
	Lines, Right int
	// Innocent lines want anything but a kick_out; KickedOut of them got one.
	Innocent, KickedOut int
	// Wrong are the other lines, in their order.
	Wrong []WrongLine

	decisions [kindCount]DecisionFigures
}

// WrongLine is a line that was not decided as it wants.
type WrongLine struct {
	Line    *CorpusLine
	Verdict Verdict
}

// DecisionFigures describe how well one decision was made.
type DecisionFigures struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Wanted is how many lines want it, Made how often it was made, and Right how
	// often it was made where it is wanted.
	Wanted, Made, Right int
}

// MeasureByState decides lines as Measure does, those of one state after another: a state
// with many texts is kept ready alone, and would else be made ready for every line. It
// ends when more says so, before a line.
func (f *Figures) MeasureByState(r *Reader, lines []CorpusLine, more func() error) error {
	order := make([]*CorpusLine, len(lines))
	first := make(map[*personas.State]int)
	for i := range lines {
		order[i] = &lines[i]
		if _, known := first[lines[i].Place.State]; !known {
			first[lines[i].Place.State] = i
		}
	}
	slices.SortStableFunc(order, func(a, b *CorpusLine) int { return cmp.Compare(first[a.Place.State], first[b.Place.State]) })
	for _, l := range order {
		if err := more(); err != nil {
			return err
		}
		f.Measure(r, l)
	}
	slices.SortStableFunc(f.Wrong, func(a, b WrongLine) int { return cmp.Compare(a.Line.Number, b.Line.Number) })
	return nil
}

// Measure decides a line and counts what came of it.
func (f *Figures) Measure(r *Reader, l *CorpusLine) {
	v := r.Decide(l.Place, l.Text)
	wanted, made := slices.Index(kindNames[:], l.Label), slices.Index(kindNames[:], v.Decision)
	f.Lines++
	f.decisions[wanted].Wanted++
	f.decisions[made].Made++
	if l.IsRight(&v) {
		f.Right++
		f.decisions[wanted].Right++
	} else {
		f.Wrong = append(f.Wrong, WrongLine{l, v})
	}
	if l.Label != string(personas.DecideKickOut) {
		f.Innocent++
		if v.Decision == string(personas.DecideKickOut) {
			f.KickedOut++
		}
	}
}

// Accuracy is the share of right lines, from 0 to 1; 0 where there is no line.
func (f *Figures) Accuracy() float64 { return share(f.Right, f.Lines) }

// Decisions returns the figures of each decision, pass first and aside last.
func (f *Figures) Decisions() []DecisionFigures {
	all := slices.Clone(f.decisions[:])
	for i := range all {
		all[i].Decision = kindNames[i]
	}
	return all
}

// Recall is the share of the lines that want the decision for which it was made,
// from 0 to 1; 0 where none wants it.
func (d *DecisionFigures) Recall() float64 { return share(d.Right, d.Wanted) }

// Precision is the share of the times the decision was made in which it was wanted,
// from 0 to 1; 0 where it was never made.
func (d *DecisionFigures) Precision() float64 { return share(d.Right, d.Made) }

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
