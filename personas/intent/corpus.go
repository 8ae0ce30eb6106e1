package intent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Limits of a corpus.
const (
	// MaxCorpusSize is the maximum size of a corpus in bytes.
	MaxCorpusSize = 4 << 20
	// MaxLineText is the maximum length of a line's text in characters. It is the limit for a
	// message in docs/interface.md.
	MaxLineText = 8000
	// MaxCorpusLines is the maximum number of lines in a corpus.
	MaxCorpusLines = 10_000
	// maxCorpusRead limits the sum over all lines of the line's length in characters times the size
	// in bytes of its state's texts.
	maxCorpusRead   = 25_000_000_000
	lineCost        = 40
	maxCorpusFaults = 100
	maxShownName    = 60
)

// CorpusLine is a message of a player in a state, with the decision that an attentive person would
// make.
type CorpusLine struct {
	// Machine may be empty if only one machine has a state with the key State.
	Machine, State string
	// Text has 1 to MaxLineText characters.
	Text string
	// Label is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Label string
	// To is the target state of a pass, or empty if every pass is correct.
	To string
	// Style is the author's word for the style of the message, or empty.
	Style string
	// Number is the line number in the file, from 1.
	Number int
	// Place is the place of the state in the persona that was passed to ParseCorpus.
	Place Place
}

// isRight reports whether a decision is equal to the label and, if To is set, one of the
// transitions in rows leads to the state To.
func (l *CorpusLine) isRight(decision string, rows []int) bool {
	if decision != l.Label {
		return false
	}
	return l.To == "" || slices.ContainsFunc(rows, func(row int) bool { return l.Place.Machine.Transitions[row].To == l.To })
}

// ParseCorpus parses lines about a persona in the format JSON Lines. Each line is an object with
// "state", "text" and "label", and optionally "machine", "to" and "style" (docs/persona-file.md,
// "Measuring the offline model"). Empty lines are ignored. If there are faults, ParseCorpus returns
// only these. The persona must not be changed afterwards.
func ParseCorpus(p *personas.Persona, source []byte) ([]CorpusLine, []personas.Diagnostic) {
	c := corpusParser{places: listPlaces(p), texts: make(map[*personas.State]int)}
	if len(source) > MaxCorpusSize {
		c.number = 1
		c.addFault("the corpus has more than %d MiB", MaxCorpusSize>>20)
		return nil, c.faults
	}
	for text := range bytes.Lines(bytes.TrimPrefix(source, []byte("\ufeff"))) {
		c.number++
		if text = bytes.TrimSpace(text); len(text) > 0 && !c.addLine(text) {
			break
		}
	}
	if len(c.lines) == 0 && len(c.faults) == 0 {
		c.number = 1
		c.addFault("the corpus has no line")
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return c.lines, nil
}

type corpusParser struct {
	places map[string][]Place // by the key of the state
	lines  []CorpusLine
	faults []personas.Diagnostic
	number int
	read   int64 // the sum that maxCorpusRead limits
	texts  map[*personas.State]int
}

func (c *corpusParser) addFault(format string, values ...any) {
	at := personas.Position{Line: c.number, Column: 1, EndLine: c.number, EndColumn: 2}
	c.faults = append(c.faults, personas.Diagnostic{Position: at, Message: fmt.Sprintf(format, values...)})
}

// addLine returns false if parsing must stop.
func (c *corpusParser) addLine(text []byte) bool {
	if len(c.lines) == MaxCorpusLines {
		c.addFault("the corpus has more than %d lines", MaxCorpusLines)
		return false
	}
	l := CorpusLine{Number: c.number}
	err := l.readMembers(text)
	if err == nil {
		err = l.checkText()
	}
	if err == nil {
		err = l.findPlace(c.places[l.State])
	}
	if err == nil {
		err = l.checkLabel()
	}
	if err != nil {
		c.addFault("%v", err)
		return len(c.faults) < maxCorpusFaults
	}
	c.lines = append(c.lines, l)
	texts, known := c.texts[l.Place.State]
	if !known {
		texts = countPlaceTexts(&l.Place)
		c.texts[l.Place.State] = texts
	}
	if c.read += int64(utf8.RuneCountInString(l.Text)+lineCost) * int64(texts); c.read <= maxCorpusRead {
		return true
	}
	c.addFault("the lines up to here take too long to judge: each is compared with the examples, answers and criteria of its state, here with %d bytes; split the corpus", texts)
	return false
}

func (l *CorpusLine) readMembers(text []byte) error {
	var given map[string]any
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		return errors.New(`the line is not a JSON object; write {"state": "...", "text": "...", "label": "pass"} in one line`)
	}
	members := map[string]*string{"machine": &l.Machine, "state": &l.State, "text": &l.Text, "label": &l.Label, "to": &l.To, "style": &l.Style}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if members[name] == nil {
			return fmt.Errorf("unknown member %s; the members of a line are machine, state, text, label, to and style", quoteName(name))
		}
		value, isText := given[name].(string)
		if !isText {
			return fmt.Errorf("%s is not a string; put it in quotes", name)
		}
		*members[name] = value
	}
	return nil
}

func (l *CorpusLine) checkText() error {
	if strings.TrimSpace(l.Text) == "" {
		return errors.New("text is missing: it is the player's message")
	}
	if n := utf8.RuneCountInString(l.Text); n > MaxLineText {
		return fmt.Errorf("text has %d characters; at most %d are allowed", n, MaxLineText)
	}
	return nil
}

func (l *CorpusLine) findPlace(found []Place) error {
	if l.Machine != "" {
		found = slices.DeleteFunc(slices.Clone(found), func(at Place) bool { return at.Machine.Key != l.Machine })
	}
	switch {
	case l.State == "":
		return errors.New("state is missing: it is the state in which the player sends the message")
	case len(found) == 0 && l.Machine != "":
		return fmt.Errorf("machine %s has no state %s", quoteName(l.Machine), quoteName(l.State))
	case len(found) == 0:
		return fmt.Errorf("the persona has no state %s", quoteName(l.State))
	case len(found) > 1:
		return fmt.Errorf("several machines have a state %s; select one with machine", quoteName(l.State))
	case found[0].State.IsTerminal && !found[0].State.IsInitial:
		return fmt.Errorf("state %s is terminal: a player sends no message there", quoteName(l.State))
	}
	l.Place = found[0]
	return nil
}

func (l *CorpusLine) checkLabel() error {
	isTarget := func(row int) bool {
		t := &l.Place.Machine.Transitions[row]
		return t.Decision == personas.DecidePass && t.To == l.To
	}
	switch {
	case !slices.Contains(kindNames[:], l.Label):
		return fmt.Errorf("label is %s; it must be one of %s", quoteName(l.Label), strings.Join(kindNames[:], ", "))
	case l.To != "" && l.Label != string(personas.DecidePass):
		return fmt.Errorf("to is only allowed with the label pass, not with %s", l.Label)
	case l.To != "" && !slices.ContainsFunc(l.Place.Outgoing, isTarget):
		return fmt.Errorf("no pass of state %s leads to %s", quoteName(l.State), quoteName(l.To))
	}
	return nil
}

func quoteName(name string) string {
	return fmt.Sprintf("%q", plaintext.ClipWithin(name, maxShownName))
}

func listPlaces(p *personas.Persona) map[string][]Place {
	places := make(map[string][]Place)
	for i := range p.Machines {
		m := &p.Machines[i]
		outgoing := groupTransitions(m)
		for j := range m.States {
			key := m.States[j].Key
			places[key] = append(places[key], Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: outgoing[key], FollowUpAllowed: true})
		}
	}
	return places
}

// groupTransitions returns the indexes of a machine's transitions by source state, in the engine's
// order of evaluation (docs/persona-file.md, "What a message does").
func groupTransitions(m *personas.Machine) map[string][]int {
	rows := make(map[string][]int)
	for i := range m.Transitions {
		from := m.Transitions[i].From
		rows[from] = append(rows[from], i)
	}
	for _, of := range rows {
		slices.SortStableFunc(of, func(a, b int) int { return cmp.Compare(m.Transitions[a].Priority, m.Transitions[b].Priority) })
	}
	return rows
}
