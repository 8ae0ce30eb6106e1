package intent

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/judge"
)

// Judgement is what a judge made of a line.
type Judgement struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside"; "" where the
	// judge gave no answer.
	Decision string
	// Rows are the transitions that hold, by index into Machine.Transitions.
	Rows []int
	// Probability is that of the decision, from 0 to 1.
	Probability float64
	// Choices are what the policy decided from, the aside last; nil where it did not decide.
	Choices []judge.Choice
	// Method is how the judge was asked.
	Method string
	// Why is the reason in one sentence.
	Why  string
	Took time.Duration
	// Read, Cached and Written are tokens; Cached is a part of Read.
	Read, Cached, Written int
	// Cost is in US dollars, or 0 if the provider does not report it.
	Cost float64
}

// Figures describe how well a judge decides the lines of a corpus. The zero value has measured
// nothing yet.
type Figures struct {
	// Lines were judged, Right of them as they want. Unanswered got no answer.
	Lines, Right, Unanswered int
	// Innocent lines want anything but a kick_out; KickedOut of them got one.
	Innocent, KickedOut int
	// Undeserved lines got a kick_out that they do not want, or a reject where they want
	// neither.
	Undeserved int
	// LostTries got a redirect where they want none, nor a reject or a kick_out; LostSmallTalk
	// of them want an aside.
	LostTries, LostSmallTalk int
	// Calibration compares the probability of the decisions with how often they are right.
	Calibration judge.Calibration
	// Read, Cached and Written are the tokens of all lines, Cost is in US dollars.
	Read, Cached, Written int
	Cost                  float64
	// Wrong are the other lines, in their order.
	Wrong []WrongLine
	// Weighed are the lines about which a policy decided.
	Weighed []judge.Line

	decisions [kindCount]DecisionFigures
	methods   []string
	states    map[*personas.State]bool
	// first are the times of the first line of each state, later those of the others.
	first, later []time.Duration
}

// WrongLine is a line that was not decided as it wants.
type WrongLine struct {
	Line *CorpusLine
	Made Judgement
}

// DecisionFigures describe how well one decision was made.
type DecisionFigures struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Wanted is how many lines want it, Made how often it was made, and Right how
	// often it was made where it is wanted.
	Wanted, Made, Right int
}

// MeasureByState has lines judged and counts what came of them, those of one state after another:
// what is prepared or cached for a state is then used by all of its lines. It ends with the first
// error of decide, and what was counted until then stays.
func (f *Figures) MeasureByState(lines []CorpusLine, decide func(*CorpusLine) (Judgement, error)) error {
	order := make([]*CorpusLine, len(lines))
	first := make(map[*personas.State]int)
	for i := range lines {
		order[i] = &lines[i]
		if _, known := first[lines[i].Place.State]; !known {
			first[lines[i].Place.State] = i
		}
	}
	slices.SortStableFunc(order, func(a, b *CorpusLine) int { return cmp.Compare(first[a.Place.State], first[b.Place.State]) })
	defer func() {
		slices.SortStableFunc(f.Wrong, func(a, b WrongLine) int { return cmp.Compare(a.Line.Number, b.Line.Number) })
	}()
	for _, l := range order {
		j, err := decide(l)
		if err != nil {
			return err
		}
		f.Add(l, j)
	}
	return nil
}

// Judge returns what the built-in judge makes of a line.
func (r *Reader) Judge(l *CorpusLine) Judgement {
	v := r.Decide(l.Place, l.Text)
	return Judgement{Decision: v.Decision, Rows: v.Rows, Probability: v.Confidence, Method: "offline", Why: v.Why}
}

// Add counts what a judge made of a line.
func (f *Figures) Add(l *CorpusLine, j Judgement) {
	isRight := l.IsRight(j.Decision, j.Rows)
	f.Lines++
	f.addCosts(l, &j)
	wanted := &f.decisions[slices.Index(kindNames[:], l.Label)]
	wanted.Wanted++
	if l.Label != string(personas.DecideKickOut) {
		f.Innocent++
	}
	if isRight {
		f.Right++
		wanted.Right++
	} else {
		f.Wrong = append(f.Wrong, WrongLine{l, j})
	}
	made := slices.Index(kindNames[:], j.Decision)
	if made < 0 {
		f.Unanswered++
		return
	}
	f.decisions[made].Made++
	f.Calibration.Add(j.Probability, isRight)
	f.addLosses(l, j.Decision)
	if len(j.Choices) > 0 {
		f.Weighed = append(f.Weighed, judge.Line{Choices: j.Choices, Wanted: l.Label, MayAsk: l.Place.FollowUpAllowed})
	}
}

// addLosses counts what a decision costs a player who does not deserve it.
func (f *Figures) addLosses(l *CorpusLine, made string) {
	if made == string(personas.DecideKickOut) && l.Label != made {
		f.KickedOut++
	}
	if judge.IsUndeserved(made, l.Label) {
		f.Undeserved++
	}
	if made != string(personas.DecideRedirect) {
		return
	}
	switch l.Label {
	case personas.AsideName:
		f.LostTries++
		f.LostSmallTalk++
	case personas.FollowUpName, string(personas.DecidePass):
		f.LostTries++
	}
}

// addCosts counts the time and the tokens of a line.
func (f *Figures) addCosts(l *CorpusLine, j *Judgement) {
	f.Read, f.Cached, f.Written, f.Cost = f.Read+j.Read, f.Cached+j.Cached, f.Written+j.Written, f.Cost+j.Cost
	if j.Method != "" && !slices.Contains(f.methods, j.Method) {
		f.methods = append(f.methods, j.Method)
	}
	if f.states == nil {
		f.states = make(map[*personas.State]bool)
	}
	if f.states[l.Place.State] {
		f.later = append(f.later, j.Took)
		return
	}
	f.states[l.Place.State] = true
	f.first = append(f.first, j.Took)
}

// Method returns how the judge was asked; with two ways, such as "letter; json", it was asked
// the second way for some of the lines.
func (f *Figures) Method() string {
	var names []string
	for _, name := range f.methods {
		isPart := func(other string) bool { return other != name && strings.HasPrefix(other, name+", ") }
		if !slices.ContainsFunc(f.methods, isPart) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "; ")
}

// Times returns the median and the 95th percentile of the time for a line. It skips the first line
// of each state if there are others, because servers read the state with it.
func (f *Figures) Times() (median, p95 time.Duration) {
	times := f.later
	if len(times) == 0 {
		times = f.first
	}
	if len(times) == 0 {
		return 0, 0
	}
	times = slices.Sorted(slices.Values(times))
	return times[(len(times)-1)/2], times[(len(times)*95+99)/100-1]
}

// Measure has the built-in judge decide a line and counts what came of it.
func (f *Figures) Measure(r *Reader, l *CorpusLine) { f.Add(l, r.Judge(l)) }

// Accuracy is the share of right lines, from 0 to 1; 0 without lines.
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

// Precision is how often the decision was right of all times that it was made, from 0 to 1; 0 if
// it was never made.
func (d *DecisionFigures) Precision() float64 { return share(d.Right, d.Made) }

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
