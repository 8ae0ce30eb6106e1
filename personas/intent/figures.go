package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas"
)

// Judgement is a judge's decision about a line.
type Judgement struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside", or "" if the
	// judge did not answer.
	Decision string
	// Rows are the indexes in Machine.Transitions of the matching transitions.
	Rows []int
	// Probability is the probability of the decision, from 0 to 1.
	Probability float64
	// Choices are the input of the policy, with the aside last, or nil if a rule decided.
	Choices []Choice
	// Method is the judging method.
	Method string
	// Why explains the decision in one sentence.
	Why  string
	Took time.Duration
	// Read, Cached and Written are numbers of tokens; Cached are included in Read.
	Read, Cached, Written int
	// Cost is the cost in US dollars, or 0 if the provider does not report it.
	Cost float64
}

// Figures are the results of a judge on the lines of a corpus. The zero value is ready to use.
type Figures struct {
	// Lines is the number of judged lines, Right the number judged correctly, and Unanswered the
	// number without an answer.
	Lines, Right, Unanswered int
	// Innocent is the number of lines with a label other than kick_out, and KickedOut the number of
	// these that were judged as kick_out.
	Innocent, KickedOut int
	// Undeserved is the number of lines with a wrong kick_out, or with a reject although the label
	// is neither reject nor kick_out.
	Undeserved int
	// LostTries is the number of lines that were judged as redirect although the label is pass,
	// follow_up or aside. LostSmallTalk is the number of these with the label aside.
	LostTries, LostSmallTalk int
	// Calibration compares the probabilities of the decisions with the share of correct ones.
	Calibration Calibration
	// Read, Cached and Written are the numbers of tokens of all lines, and Cost is in US dollars.
	Read, Cached, Written int
	Cost                  float64
	// Wrong contains the lines that were not judged correctly, in their order.
	Wrong []WrongLine
	// Weighed contains the lines that the policy decided.
	Weighed []Line

	decisions [kindCount]DecisionFigures
	methods   []string
	states    []*personas.State
	// first contains the times of the first line in each state, later those of the other lines.
	first, later []time.Duration
}

// WrongLine is a line with a wrong decision.
type WrongLine struct {
	Line *CorpusLine
	Made Judgement
}

// DecisionFigures are the results for one decision.
type DecisionFigures struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Wanted is the number of lines with the decision as their label, Made the number of lines that
	// got the decision, and Right the number of lines with both.
	Wanted, Made, Right int
}

// MeasureByState judges lines with decide and adds the results. It judges all lines in a state
// together, so that they use what was prepared or cached for the state. It stops at the first error
// of decide and retains the results so far.
func (f *Figures) MeasureByState(lines []CorpusLine, decide func(*CorpusLine) (Judgement, error)) error {
	byState, states := make(map[*personas.State][]*CorpusLine), []*personas.State{}
	for i := range lines {
		state := lines[i].Place.State
		if byState[state] == nil {
			states = append(states, state)
		}
		byState[state] = append(byState[state], &lines[i])
	}
	defer func() {
		slices.SortStableFunc(f.Wrong, func(a, b WrongLine) int { return cmp.Compare(a.Line.Number, b.Line.Number) })
	}()
	for _, state := range states {
		for _, l := range byState[state] {
			j, err := decide(l)
			if err != nil {
				return err
			}
			f.Add(l, j)
		}
	}
	return nil
}

// Judge returns the built-in judge's decision about a line.
func (r *Reader) Judge(l *CorpusLine) Judgement {
	v := r.Decide(l.Place, l.Text)
	return Judgement{Decision: v.Decision, Rows: v.Rows, Probability: v.Confidence, Method: "offline", Why: v.Why}
}

// Add adds a judgement of a line.
func (f *Figures) Add(l *CorpusLine, j Judgement) {
	isRight := l.isRight(j.Decision, j.Rows)
	f.Lines++
	f.addCosts(l, &j)
	wanted := &f.decisions[slices.Index(kindNames[:], l.Label)]
	wanted.Wanted++
	if l.Label != kindNames[kickOut] {
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
	if len(j.Choices) > 0 {
		f.Weighed = append(f.Weighed, Line{Choices: j.Choices, Wanted: l.Label, MayAsk: l.Place.FollowUpAllowed})
	}
	if isUndeserved(j.Decision, l.Label) {
		f.Undeserved++
	}
	switch {
	case kind(made) == kickOut && l.Label != j.Decision:
		f.KickedOut++
	case kind(made) == redirect && l.Label == kindNames[aside]:
		f.LostTries++
		f.LostSmallTalk++
	case kind(made) == redirect && (l.Label == kindNames[pass] || l.Label == kindNames[followUp]):
		f.LostTries++
	}
}

func (f *Figures) addCosts(l *CorpusLine, j *Judgement) {
	f.Read, f.Cached, f.Written, f.Cost = f.Read+j.Read, f.Cached+j.Cached, f.Written+j.Written, f.Cost+j.Cost
	if j.Method != "" && !slices.Contains(f.methods, j.Method) {
		f.methods = append(f.methods, j.Method)
	}
	if slices.Contains(f.states, l.Place.State) {
		f.later = append(f.later, j.Took)
		return
	}
	f.states, f.first = append(f.states, l.Place.State), append(f.first, j.Took)
}

// Method returns the judging methods that were used, for example "letter; json" if some lines were
// judged by the second method.
func (f *Figures) Method() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.methods), func(name string) bool {
		return slices.ContainsFunc(f.methods, func(other string) bool { return strings.HasPrefix(other, name+", ") })
	}), "; ")
}

// Times returns the median and the 95th percentile of the times for a line. It excludes the first
// line in each state if there are others, because a server prepares the state for that line.
func (f *Figures) Times() (median, p95 time.Duration) {
	times := slices.Sorted(slices.Values(f.later))
	if len(times) == 0 {
		times = slices.Sorted(slices.Values(f.first))
	}
	if len(times) == 0 {
		return 0, 0
	}
	return times[(len(times)-1)/2], times[(len(times)*95+99)/100-1]
}

// Accuracy returns the share of lines judged correctly, from 0 to 1, or 0 without lines.
func (f *Figures) Accuracy() float64 { return share(f.Right, f.Lines) }

// Decisions returns the results for each decision, with pass first and aside last.
func (f *Figures) Decisions() []DecisionFigures {
	all := slices.Clone(f.decisions[:])
	for i := range all {
		all[i].Decision = kindNames[i]
	}
	return all
}

// Recall returns the share of the lines with this label that were judged correctly, from 0 to 1, or
// 0 without such lines.
func (d *DecisionFigures) Recall() float64 { return share(d.Right, d.Wanted) }

// Precision returns the share of correct ones among the lines that got the decision, from 0 to 1,
// or 0 without such lines.
func (d *DecisionFigures) Precision() float64 { return share(d.Right, d.Made) }

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

const binCount = 10

// A Calibration compares the probabilities of a judge's decisions with the share of correct ones.
// The zero Calibration is empty.
type Calibration [binCount]Bin

// A Bin contains the decisions with probabilities from From up to To.
type Bin struct {
	From, To float64
	Lines    int
	// Probability is the mean probability of the decisions, Right the share of correct ones.
	Probability, Right float64
}

// Add adds a decision with its probability. A probability outside of 0 to 1 is clamped.
func (c *Calibration) Add(probability float64, right bool) {
	if math.IsNaN(probability) {
		probability = 0
	}
	probability = min(max(probability, 0), 1)
	i := min(int(probability*binCount), binCount-1)
	b := &c[i]
	b.From, b.To = float64(i)/binCount, float64(i+1)/binCount
	b.Lines++
	b.Probability += (probability - b.Probability) / float64(b.Lines)
	b.Right += (asNumber(right) - b.Right) / float64(b.Lines)
}

// Bins returns the bins that contain decisions, in increasing order of probability.
func (c *Calibration) Bins() []Bin {
	return slices.DeleteFunc(slices.Clone(c[:]), func(b Bin) bool { return b.Lines == 0 })
}

// Error returns the expected calibration error, from 0 to 1. In each bin it takes the difference
// between the probability and the share of correct decisions. The result is the mean of the
// differences, weighted by the number of decisions.
func (c *Calibration) Error() float64 {
	lines, sum := 0, 0.0
	for _, b := range c {
		lines += b.Lines
		sum += float64(b.Lines) * math.Abs(b.Probability-b.Right)
	}
	return sum / float64(max(lines, 1))
}
