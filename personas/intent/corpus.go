package intent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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

func (l *CorpusLine) isRight(decision string, rows []int) bool {
	return decision == l.Label && (l.To == "" || slices.ContainsFunc(rows, l.leadsTo))
}

// ParseCorpus parses a persona's corpus in JSON Lines (docs/persona-file.md, "Measuring the offline
// model"). The result contains either lines or faults. The persona must not be changed afterwards.
func ParseCorpus(p *personas.Persona, source []byte) ([]CorpusLine, []personas.Diagnostic) {
	var lines []CorpusLine
	var faults []personas.Diagnostic
	places, texts, number := listPlaces(p), make(map[*personas.State]int), 0
	work := int64(0)
	addFault := func(err error) {
		at := personas.Position{Line: max(1, number), Column: 1, EndLine: max(1, number), EndColumn: 2}
		faults = append(faults, personas.Diagnostic{Position: at, Message: err.Error()})
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
		l, err := parseCorpusLine(text, places)
		if err != nil {
			if addFault(err); len(faults) == maxCorpusFaults {
				break
			}
			continue
		}
		l.Number = number
		lines = append(lines, l)
		size, known := texts[l.Place.State]
		if !known {
			size = countPlaceTexts(&l.Place)
			texts[l.Place.State] = size
		}
		work += int64(utf8.RuneCountInString(l.Text)+lineCost) * int64(size)
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
	found := slices.DeleteFunc(slices.Clone(places[line.State]), func(at Place) bool {
		return line.Machine != "" && at.Machine.Key != line.Machine
	})
	switch n := utf8.RuneCountInString(line.Text); {
	case strings.TrimSpace(line.Text) == "":
		return line, errors.New("text is missing: it is the player's message")
	case n > MaxLineText:
		return line, fmt.Errorf("text has %d characters; at most %d are allowed", n, MaxLineText)
	case len(found) == 0:
		return line, fmt.Errorf("there is no state %s", quoteName(strings.Trim(line.Machine+"/"+line.State, "/")))
	case len(found) > 1:
		return line, fmt.Errorf("several machines have a state %s; select one with machine", quoteName(line.State))
	case found[0].State.IsTerminal && !found[0].State.IsInitial:
		return line, fmt.Errorf("state %s is terminal: a player sends no message there", quoteName(line.State))
	case !slices.Contains(kindNames[:], line.Label):
		return line, fmt.Errorf("label is %s; it must be one of %s", quoteName(line.Label), strings.Join(kindNames[:], ", "))
	}
	line.Place = found[0]
	isTarget := func(row int) bool { return line.Label == kindNames[pass] && line.leadsTo(row) }
	if line.To != "" && !slices.ContainsFunc(line.Place.Outgoing, isTarget) {
		return line, fmt.Errorf("to is %s, but no pass of state %s leads to it", quoteName(line.To), quoteName(line.State))
	}
	return line, nil
}

func (l *CorpusLine) leadsTo(row int) bool {
	t := &l.Place.Machine.Transitions[row]
	return string(t.Decision) == l.Label && t.To == l.To
}

func quoteName(name string) string {
	return fmt.Sprintf("%q", plaintext.ClipWithin(name, maxShownName))
}

func listPlaces(p *personas.Persona) map[string][]Place {
	places := make(map[string][]Place)
	for i := range p.Machines {
		m := &p.Machines[i]
		rows := make(map[string][]int)
		for k, t := range m.Transitions {
			rows[t.From] = append(rows[t.From], k)
		}
		for j := range m.States {
			key := m.States[j].Key
			slices.SortStableFunc(rows[key], func(a, b int) int {
				return cmp.Compare(m.Transitions[a].Priority, m.Transitions[b].Priority)
			})
			at := Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: rows[key], FollowUpAllowed: true}
			places[key] = append(places[key], at)
		}
	}
	return places
}
