package intent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	MaxCorpusSize  = 4 << 20 // bytes
	MaxLineText    = 8000    // characters, the limit for a message in docs/interface.md
	MaxCorpusLines = 10_000
	// maxCorpusWork limits the work for all lines. A line's work is its characters times the bytes
	// of the state's texts.
	maxCorpusWork   = 25_000_000_000
	lineCost        = 40 // characters
	maxCorpusFaults = 100
	maxShownName    = 60
)

// CorpusLine is a player's message in a state with the correct decision.
type CorpusLine struct {
	// Machine may be empty if only one machine has the state.
	Machine, State string
	// Text has 1 to MaxLineText characters.
	Text string
	// Label is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Label string
	// To is the target state of a pass, or empty if every pass is correct.
	To string
	// Style is a free label of the author, or empty.
	Style string
	// Number is the line number in the file, from 1.
	Number int
	Place  Place
}

func (line *CorpusLine) isRight(decision string, rows []int) bool {
	return decision == line.Label && (line.To == "" || slices.ContainsFunc(rows, line.leadsTo))
}

// ParseCorpus parses a persona's corpus in JSON Lines (docs/persona-file.md, "Measuring the offline
// model"). The result contains either lines or faults. The persona must not be changed afterwards.
func ParseCorpus(p *personas.Persona, source []byte) ([]CorpusLine, []personas.Diagnostic) {
	var lines []CorpusLine
	var faults []personas.Diagnostic
	places, texts, number := listPlaces(p), make(map[*personas.State]int), 0
	work := int64(0)
	addFault := func(err error) {
		position := personas.Position{Line: max(1, number), Column: 1, EndLine: max(1, number), EndColumn: 2}
		faults = append(faults, personas.Diagnostic{Position: position, Message: err.Error()})
	}
	if len(source) > MaxCorpusSize {
		addFault(fmt.Errorf("the corpus has more than %d MiB", MaxCorpusSize>>20))
		return nil, faults
	}
	for text := range bytes.Lines(bytes.TrimPrefix(source, []byte("\ufeff"))) {
		number++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if len(lines) == MaxCorpusLines {
			addFault(fmt.Errorf("the corpus has more than %d lines", MaxCorpusLines))
			break
		}
		line, err := parseCorpusLine(text, places)
		if err != nil {
			if addFault(err); len(faults) == maxCorpusFaults {
				break
			}
			continue
		}
		line.Number = number
		lines = append(lines, line)
		size, ok := texts[line.Place.State]
		if !ok {
			size = countPlaceTexts(&line.Place)
			texts[line.Place.State] = size
		}
		work += int64(utf8.RuneCountInString(line.Text)+lineCost) * int64(size)
		if work > maxCorpusWork {
			addFault(fmt.Errorf("the lines up to here take too long to judge: each is compared with the examples, "+
				"answers and criteria of its state, here with %d bytes; split the corpus", size))
			break
		}
	}
	if len(lines) == 0 && len(faults) == 0 {
		number = 1
		addFault(errors.New("the corpus has no line"))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return lines, nil
}

func parseCorpusLine(text []byte, places map[string][]Place) (line CorpusLine, err error) {
	var members struct{ Machine, State, Text, Label, To, Style string }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&members); err != nil || decoder.Decode(&members) != io.EOF {
		return line, errors.New(`a line is one JSON object with strings: ` +
			`{"state": "...", "text": "...", "label": "pass"}, and optionally machine, to and style`)
	}
	line = CorpusLine{
		Machine: members.Machine, State: members.State, Text: members.Text,
		Label: members.Label, To: members.To, Style: members.Style,
	}
	candidates := slices.DeleteFunc(slices.Clone(places[line.State]), func(place Place) bool {
		return line.Machine != "" && place.Machine.Key != line.Machine
	})
	switch n := utf8.RuneCountInString(line.Text); {
	case strings.TrimSpace(line.Text) == "":
		return line, errors.New("text is missing: it is the player's message")
	case n > MaxLineText:
		return line, fmt.Errorf("text has %d characters; at most %d are allowed", n, MaxLineText)
	case len(candidates) == 0:
		return line, fmt.Errorf("there is no state %s", quoteName(strings.Trim(line.Machine+"/"+line.State, "/")))
	case len(candidates) > 1:
		return line, fmt.Errorf("several machines have a state %s; select one with machine", quoteName(line.State))
	case candidates[0].State.IsTerminal && !candidates[0].State.IsInitial:
		return line, fmt.Errorf("state %s is terminal: a player sends no message there", quoteName(line.State))
	case !slices.Contains(kindNames[:], line.Label):
		return line, fmt.Errorf("label is %s; it must be one of %s", quoteName(line.Label), strings.Join(kindNames[:], ", "))
	}
	line.Place = candidates[0]
	isTarget := func(row int) bool { return line.Label == kindNames[pass] && line.leadsTo(row) }
	if line.To != "" && !slices.ContainsFunc(line.Place.Outgoing, isTarget) {
		return line, fmt.Errorf("to is %s, but no pass of state %s leads to it", quoteName(line.To), quoteName(line.State))
	}
	return line, nil
}

func (line *CorpusLine) leadsTo(row int) bool {
	t := &line.Place.Machine.Transitions[row]
	return string(t.Decision) == line.Label && t.To == line.To
}

func quoteName(name string) string {
	return fmt.Sprintf("%q", plaintext.ClipWithin(name, maxShownName))
}

// Judgement is a judge's decision about a line.
type Judgement struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside", or "" if the
	// judge did not answer.
	Decision string
	// Rows contains indexes in Machine.Transitions.
	Rows []int
	// Probability is the decision's probability, from 0 to 1.
	Probability float64
	// Choices is the policy's input with the aside last, or nil if a rule decided.
	Choices []Choice
	Method  string
	Why     string
	Took    time.Duration
	// Read, Cached and Written count tokens. Read includes Cached.
	Read, Cached, Written int
	// Cost is in US dollars, or 0 if the provider reports none.
	Cost float64
}

// Figures contains a judge's results on a corpus. The zero value is ready to use.
type Figures struct {
	// Lines counts the judged lines. Right counts the correct lines, and Unanswered counts the lines
	// without an answer.
	Lines, Right, Unanswered int
	// Innocent counts lines with a label other than kick_out. KickedOut counts the innocent lines
	// judged as kick_out.
	Innocent, KickedOut int
	// Undeserved counts endings that a player did not deserve: innocent lines judged as kick_out,
	// and lines with a milder label judged as reject.
	Undeserved int
	// LostTries counts redirects of lines labelled pass, follow_up or aside. LostSmallTalk counts
	// only the lines labelled aside.
	LostTries, LostSmallTalk int
	Calibration              Calibration
	// Read, Cached and Written count tokens. Cost is in US dollars.
	Read, Cached, Written int
	Cost                  float64
	// Wrong contains the lines judged incorrectly.
	Wrong []WrongLine
	// Weighed contains the lines that the policy decided.
	Weighed []Line

	decisions    [kindCount]DecisionFigures
	methods      []string
	states       []*personas.State
	first, later []time.Duration // of the first line in each state, and of the others
}

// WrongLine is a line with its wrong decision.
type WrongLine struct {
	Line *CorpusLine
	Made Judgement
}

// DecisionFigures contains the results for one decision.
type DecisionFigures struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Wanted counts lines labelled with the decision. Made counts lines that got the decision.
	// Right counts lines with both.
	Wanted, Made, Right int
}

// MeasureByState adds decide's judgements of all lines, grouped by state. Grouping reuses the texts
// that decide prepared for a state. The first error of decide ends the measurement and keeps
// earlier results.
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
		for _, line := range byState[state] {
			j, err := decide(line)
			if err != nil {
				return err
			}
			f.Add(line, j)
		}
	}
	return nil
}

// Judge returns the offline model's decision about a line.
func (r *Reader) Judge(line *CorpusLine) Judgement {
	v := r.Decide(line.Place, line.Text)
	return Judgement{Decision: v.Decision, Rows: v.Rows, Probability: v.Confidence, Method: "offline", Why: v.Why}
}

// Add records the judgement of a line.
func (f *Figures) Add(line *CorpusLine, judgement Judgement) {
	isRight := line.isRight(judgement.Decision, judgement.Rows)
	f.Lines++
	f.addCosts(line, &judgement)
	wanted := &f.decisions[slices.Index(kindNames[:], line.Label)]
	wanted.Wanted++
	if line.Label != kindNames[kickOut] {
		f.Innocent++
	}
	if isRight {
		f.Right++
		wanted.Right++
	} else {
		f.Wrong = append(f.Wrong, WrongLine{line, judgement})
	}
	index := slices.Index(kindNames[:], judgement.Decision)
	if index < 0 {
		f.Unanswered++
		return
	}
	f.decisions[index].Made++
	f.Calibration.Add(judgement.Probability, isRight)
	if len(judgement.Choices) > 0 {
		weighed := Line{Choices: judgement.Choices, Wanted: line.Label, MayAsk: line.Place.FollowUpAllowed}
		f.Weighed = append(f.Weighed, weighed)
	}
	if isUndeserved(judgement.Decision, line.Label) {
		f.Undeserved++
	}
	switch {
	case kind(index) == kickOut && line.Label != judgement.Decision:
		f.KickedOut++
	case kind(index) == redirect && line.Label == kindNames[aside]:
		f.LostTries++
		f.LostSmallTalk++
	case kind(index) == redirect && (line.Label == kindNames[pass] || line.Label == kindNames[followUp]):
		f.LostTries++
	}
}

func (f *Figures) addCosts(line *CorpusLine, j *Judgement) {
	f.Read += j.Read
	f.Cached += j.Cached
	f.Written += j.Written
	f.Cost += j.Cost
	if j.Method != "" && !slices.Contains(f.methods, j.Method) {
		f.methods = append(f.methods, j.Method)
	}
	if slices.Contains(f.states, line.Place.State) {
		f.later = append(f.later, j.Took)
		return
	}
	f.states, f.first = append(f.states, line.Place.State), append(f.first, j.Took)
}

// Method returns the names of the judging methods used, for example "letter; json".
func (f *Figures) Method() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.methods), func(name string) bool {
		return slices.ContainsFunc(f.methods, func(other string) bool { return strings.HasPrefix(other, name+", ") })
	}), "; ")
}

// Times returns the median and the 95th percentile of the time per line. The first line in each
// state is excluded if possible, because a server prepares the state then.
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

// Accuracy returns the share of correct lines from 0 to 1, or 0 without lines.
func (f *Figures) Accuracy() float64 { return share(f.Right, f.Lines) }

// Decisions returns the results for each decision, from pass to aside.
func (f *Figures) Decisions() []DecisionFigures {
	all := slices.Clone(f.decisions[:])
	for i := range all {
		all[i].Decision = kindNames[i]
	}
	return all
}

// Recall returns the correct share of lines with this label, or 0 without lines.
func (d *DecisionFigures) Recall() float64 { return share(d.Right, d.Wanted) }

// Precision returns the correct share of lines with this decision, or 0 without lines.
func (d *DecisionFigures) Precision() float64 { return share(d.Right, d.Made) }

func share(part, total int) float64 { return float64(part) / float64(max(1, total)) }

const binCount = 10

// A Calibration compares predicted probabilities with the share of correct decisions. The zero
// value is empty.
type Calibration [binCount]Bin

// A Bin contains the decisions with probabilities between From and To.
type Bin struct {
	From, To float64
	Lines    int
	// Probability is the mean probability, and Right the share of correct decisions.
	Probability, Right float64
}

// Add records a decision. Probabilities outside 0 to 1 are clamped.
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

// Bins returns the nonempty bins in increasing order.
func (c *Calibration) Bins() []Bin {
	return slices.DeleteFunc(slices.Clone(c[:]), func(b Bin) bool { return b.Lines == 0 })
}

// Error returns the expected calibration error, from 0 to 1. Bins are weighted by their number of
// decisions.
func (c *Calibration) Error() float64 {
	lines, sum := 0, 0.0
	for _, b := range c {
		lines += b.Lines
		sum += float64(b.Lines) * math.Abs(b.Probability-b.Right)
	}
	return sum / float64(max(lines, 1))
}
