package intent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// corpusGate has states with the same key in two machines, and a pass with a target.
const corpusGate = `name: g
description: d
persona_identity_prompt: i
machines:
  - machine_key: gate
    states:
      - {state_key: outside, is_initial_state: true, offline: {examples: {pass: ["let me in please"], reject: ["go away"]}}}
      - {state_key: inside, is_terminal_state: true}
    transitions:
      - {from_state_key: outside, to_state_key: inside, decision_type: pass}
      - {from_state_key: outside, decision_type: reject}
  - machine_key: yard
    states:
      - {state_key: outside, is_initial_state: true}
      - {state_key: well}
      - {state_key: inside, is_terminal_state: true}
    transitions:
      - {from_state_key: outside, to_state_key: well, decision_type: pass, condition: "Goes to the well."}
      - {from_state_key: well, to_state_key: inside, decision_type: pass, condition: "Drinks."}
`

func parseCorpusGate(t testing.TB) *personas.Persona {
	t.Helper()
	return parsePersona(t, corpusGate)
}

func parsePersona(t testing.TB, source string) *personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse("g.yaml", []byte(source))
	assert.Empty(t, faults)
	return &p
}

func TestBadCorpora(t *testing.T) {
	t.Parallel()
	p := parseCorpusGate(t)
	good := `{"machine":"gate","state":"outside","text":"let me in please","label":"pass","to":"inside"}`
	const noObject = "a line is one JSON object with strings: "
	for _, c := range []struct{ want, corpus string }{
		{"1: " + noObject, "let me in"},
		{"2: " + noObject, good + "\n" + good + good},
		{"3: " + noObject, good + "\r\n\r\n[1]"},
		{"1: " + noObject, `{"state":"well","text":"x","lable":"pass"}`},
		{"1: " + noObject, `{"state":"well","text":1,"label":"pass"}`},
		{"1: " + noObject, strings.Repeat("x\n", 1<<20)},
		{"1: " + noObject, `{"` + strings.Repeat("x", 1<<20) + `":""}`},
		{"1: " + noObject, strings.Repeat(`{"a":`, 1<<19)},
		{"1: text is missing", `{"state":"well","text":" ","label":"pass"}`},
		{"1: text has 8001 characters; at most 8000 are allowed", `{"state":"well","text":"` + strings.Repeat("é", 8001) + `","label":"pass"}`},
		{"1: there is no state \"cellar\"", `{"state":"cellar","text":"x","label":"pass"}`},
		{"1: there is no state \"gate/well\"", `{"machine":"gate","state":"well","text":"x","label":"pass"}`},
		{"1: several machines have a state \"outside\"; select one", `{"state":"outside","text":"x","label":"pass"}`},
		{"1: state \"inside\" is terminal", `{"machine":"gate","state":"inside","text":"x","label":"pass"}`},
		{"1: label is \"accept\"; it must be one of pass, redirect", `{"state":"well","text":"x","label":"accept"}`},
		{"1: to is \"inside\", but no pass", `{"state":"well","text":"x","label":"aside","to":"inside"}`},
		{"1: to is \"outside\", but no pass of state \"well\"", `{"state":"well","text":"x","label":"pass","to":"outside"}`},
		{"1: the corpus has no line", "\n \n"},
		{"1: the corpus has more than 4 MiB", strings.Repeat(" ", MaxCorpusSize+1)},
		{fmt.Sprintf("%d: the corpus has more than", MaxCorpusLines+1), strings.Repeat(good+"\n", MaxCorpusLines+1)},
	} {
		lines, faults := ParseCorpus(p, []byte(c.corpus))
		assert.Must(t, lines == nil && len(faults) > 0 && len(faults) <= maxCorpusFaults, "%s: %d lines, %d faults", c.want, len(lines), len(faults))
		got := fmt.Sprintf("%d: %s", faults[0].Line, faults[0].Message)
		assert.True(t, strings.HasPrefix(got, c.want) && len(got) <= 300, "got  %s\nwant %s", got, c.want)
	}
}

func TestCorpusIsMeasured(t *testing.T) {
	t.Parallel()
	corpus := "\ufeff" + `{"machine":"gate","state":"outside","text":"let me in please","label":"pass","to":"inside","style":"plain"}` + "\r\n\n" +
		`{"machine":"gate","state":"outside","text":"go away","label":"kick_out"}` + "\n" +
		`{"machine":"gate","state":"outside","text":"go away","label":"reject"}`
	lines, faults := ParseCorpus(parseCorpusGate(t), []byte(corpus))
	assert.Must(t, len(faults) == 0 && len(lines) == 3, "%v: %v", faults, lines)
	assert.Equal(t, lines[1].Number, 3, "number of the second line")
	assert.Equal(t, lines[0].Style, "plain")
	assert.EqualSlices(t, lines[2].Place.Outgoing, []int{0, 1}, "outgoing")
	r, f := NewReader(), &Figures{}
	for i := range lines {
		f.Add(&lines[i], r.Judge(&lines[i]))
	}
	reject := f.decisions[reject]
	assert.Equal(t, f.Lines, 3, "lines")
	assert.Equal(t, f.Right, 2, "right")
	assert.Equal(t, f.Innocent, 2, "innocent")
	assert.Equal(t, f.KickedOut, 0, "kicked out")
	assert.Must(t, len(f.Wrong) == 1, "wrong: %+v", f.Wrong)
	assert.Equal(t, f.Wrong[0].Line.Number, 3, "number of the wrong line")
	assert.Equal(t, f.Wrong[0].Made.Decision, "reject")
	assert.Equal(t, reject.Wanted, 1, "wanted")
	assert.Equal(t, reject.Made, 2, "made")
	assert.Equal(t, reject.Recall(), 1, "recall")
	assert.Equal(t, reject.Precision(), 0.5, "precision")
	lines[0].To = "nowhere"
	v := r.Decide(lines[0].Place, lines[0].Text)
	assert.True(t, !lines[0].isRight(v.Decision, v.Rows), "a pass to another state is right")
}

func FuzzParseCorpus(f *testing.F) {
	f.Add([]byte(`{"state":"well","text":"I drink","label":"pass","to":"inside"}`))
	f.Add([]byte("{\"machine\":\"gate\",\"state\":\"outside\",\"text\":\"hi\",\"label\":\"aside\"}\n\nnull\n{\"a\":[]}"))
	f.Add([]byte("\ufeff{\"state\":\"\\u0000\\ud800\",\"TEXT\":\"\xff\"}"))
	p, r := parseCorpusGate(f), NewReader()
	f.Fuzz(func(t *testing.T, source []byte) {
		lines, faults := ParseCorpus(p, source)
		assert.Must(t, (len(lines) == 0) == (len(faults) > 0) && len(faults) <= maxCorpusFaults && len(lines) <= MaxCorpusLines, "%d lines, %d faults", len(lines), len(faults))
		for _, fault := range faults {
			assert.Must(t, fault.Line >= 1 && fault.Message != "", "%+v", fault)
		}
		figures := &Figures{}
		for i := range lines[:min(len(lines), 3)] {
			figures.Add(&lines[i], r.Judge(&lines[i]))
		}
	})
}

func TestCorpusReadingIsBounded(t *testing.T) {
	t.Parallel()
	p := parseCorpusGate(t)
	state := &p.Machines[0].States[0]
	for i := range 4 * maxTexts {
		state.Offline.Examples.Pass = append(state.Offline.Examples.Pass, personas.Example{Say: fmt.Sprint(i, strings.Repeat(" herring", 50))})
	}
	texts := countPlaceTexts(&listPlaces(p)["outside"][0])
	line := `{"machine":"gate","state":"outside","text":"` + strings.Repeat("é", MaxLineText) + `","label":"pass"}` + "\n"
	most := maxCorpusWork / texts / (MaxLineText + lineCost)
	if lines, faults := ParseCorpus(p, []byte(strings.Repeat(line, most))); len(faults) > 0 || len(lines) != most || most < 2 {
		t.Errorf("%d lines: %v", most, faults)
	}
	_, faults := ParseCorpus(p, []byte(strings.Repeat(line, most+3)))
	assert.Must(t, len(faults) == 1, "%d lines and more: %v", most, faults)
	assert.Equal(t, faults[0].Line, most+1, "line of the fault")
	assert.Contains(t, faults[0].Message, fmt.Sprintf("here with %d bytes; split the corpus", texts))
}

func TestMeasureByStateGroupsStates(t *testing.T) {
	t.Parallel()
	corpus := `{"machine":"gate","state":"outside","text":"qwertz","label":"reject"}` + "\n" + `{"state":"well","text":"qwertz","label":"reject"}` + "\n"
	lines, faults := ParseCorpus(parseCorpusGate(t), []byte(strings.Repeat(corpus, 3)))
	assert.Empty(t, faults)
	var f Figures
	var judged, wrong []int
	err := f.MeasureByState(lines, func(l *CorpusLine) (Judgement, error) {
		judged = append(judged, l.Number)
		return Judgement{Decision: "aside"}, nil
	})
	for _, w := range f.Wrong {
		wrong = append(wrong, w.Line.Number)
	}
	assert.NoError(t, err)
	assert.EqualSlices(t, judged, []int{1, 3, 5, 2, 4, 6}, "judged")
	assert.EqualSlices(t, wrong, []int{1, 2, 3, 4, 5, 6}, "wrong")
}
