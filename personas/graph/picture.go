// Package graph draws the machines of a persona with states, transitions and links. The formats are
// Mermaid, DOT, SVG, PNG and terminal text. The package contains a layered layout and runs no
// external programs. The output is deterministic, and all texts are escaped. The package reads no
// files.
package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// picture is the input of all formats. Texts are unescaped single lines without control characters.
type picture struct {
	name     string
	machines []*machine
	links    []machineLink
	legend   []Mark
}

type machine struct {
	key, title, rules string
	entry             bool
	states            []*state
	arrows            []*arrow
	selfLinks         []string // labels of links to the same machine
}

type state struct {
	key, title, ending string
	initial, terminal  bool
	sides              []*arrow // loops and endings
	mark               Mark
}

type destination int

const (
	leads   destination = iota // to another state
	stays                      // back to the same state
	ends                       // to the end of the machine
	nowhere                    // to a missing state
)

type arrow struct {
	from, to    int
	destination destination
	decision    personas.Decision
	labels      []string // score and priority of each transition, or ""
	tips        []string // conditions
	limit       int      // maximum number of redirects; -1 for no limit
	missing     string   // key of a missing target state
	mark        Mark
	marked      bool // coloured by marks
}

type machineLink struct {
	from, to int
	label    string
	advance  bool
}

func newPicture(persona *personas.Persona, options Options) *picture {
	pic := &picture{name: plainLine(persona.Name)}
	if options.Marks != nil {
		pic.legend = options.Marks.Legend
	}
	index := map[string]int{}
	for i := range persona.Machines {
		m := &persona.Machines[i]
		if _, twice := index[m.Key]; twice || options.Machine != "" && m.Key != options.Machine {
			continue
		}
		index[m.Key] = len(pic.machines)
		pic.machines = append(pic.machines, newMachine(m, options.Marks))
	}
	pic.addLinks(persona, index)
	return pic
}

// addLinks ignores is_auto_advance on a link to an entry machine. The flag works only for machines
// that a link unlocks.
func (p *picture) addLinks(doc *personas.Persona, index map[string]int) {
	entry := map[string]bool{}
	for i := range doc.Machines {
		entry[doc.Machines[i].Key] = doc.Machines[i].IsEntry
	}
	for i := range doc.Links {
		l := &doc.Links[i]
		from, ok := index[l.Source]
		to, exists := index[l.Target]
		if ok && exists {
			advance := l.AutoAdvance && !entry[l.Target]
			p.links = append(p.links, machineLink{from: from, to: to, label: linkLabel(l), advance: advance})
			if from == to {
				p.machines[from].selfLinks = append(p.machines[from].selfLinks, "unlocks itself: "+linkLabel(l))
			}
		}
	}
}

func linkLabel(l *personas.Link) string {
	switch l.Condition {
	case personas.IfOutcome:
		return plainLine(string(l.Outcome))
	case personas.IfScoreGTE:
		return fmt.Sprintf("score ≥ %d", l.Score)
	case personas.IfScoreLTE:
		return fmt.Sprintf("score ≤ %d", l.Score)
	}
	return "always"
}

func newMachine(doc *personas.Machine, marks *Marks) *machine {
	rules := fmt.Sprintf("ACCEPT from %d, REJECT at %d", doc.Threshold(), doc.FailBound())
	if doc.Mode() == personas.PassFail {
		rules = "pass or fail"
	}
	m := &machine{key: plainLine(doc.Key), title: plainLine(doc.Title()), rules: rules, entry: doc.IsEntry}
	b := &machineBuilder{doc: doc, marks: marks, m: m, index: map[string]int{}}
	for _, initial := range []bool{true, false} { // The layouts begin with the initial state.
		for i := range doc.States {
			if doc.States[i].IsInitial == initial {
				b.addState(&doc.States[i])
			}
		}
	}
	b.findFirstPasses()
	for _, i := range orderByPriority(doc.Transitions) {
		b.addTransition(i)
	}
	b.addLimits()
	return m
}

func orderByPriority(ts []personas.Transition) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ts[a].Priority, ts[b].Priority) })
	return order
}

type machineBuilder struct {
	doc    *personas.Machine
	marks  *Marks
	m      *machine
	index  map[string]int
	pass   map[int]string // target of the first pass by state
	arrows map[arrowKey]*arrow
}

type arrowKey struct {
	from, to    int
	destination destination
	decision    personas.Decision
	missing     string
}

func (b *machineBuilder) addState(s *personas.State) {
	if _, twice := b.index[s.Key]; twice {
		return
	}
	b.index[s.Key] = len(b.m.states)
	b.m.states = append(b.m.states, &state{
		key: plainLine(s.Key), title: plainLine(s.Title()), initial: s.IsInitial, terminal: s.IsTerminal,
		ending: b.endingText(s), mark: b.marks.stateMark(b.doc.Key, s.Key),
	})
}

func (b *machineBuilder) endingText(s *personas.State) string {
	if !s.IsTerminal {
		return ""
	}
	text := fmt.Sprintf("ACCEPT from %d", b.doc.Threshold())
	if b.doc.Mode() == personas.PassFail {
		text = plainLine(string(s.Ending()))
	}
	if s.EndingName != "" {
		text += ", " + plainLine(s.EndingName)
	}
	return text
}

func (b *machineBuilder) findFirstPasses() {
	b.pass = map[int]string{}
	for _, i := range orderByPriority(b.doc.Transitions) {
		t := &b.doc.Transitions[i]
		from, ok := b.index[t.From]
		if _, isSet := b.pass[from]; ok && !isSet && t.Decision == personas.DecidePass {
			b.pass[from] = t.To
		}
	}
}

// addTransition draws the effect (docs/persona-file.md, "What a message does"). The arrow of a
// reject may lead to another state than to_state_key.
func (b *machineBuilder) addTransition(i int) {
	t := &b.doc.Transitions[i]
	from, ok := b.index[t.From]
	if !ok {
		return
	}
	v := &arrow{from: from, to: from, decision: t.Decision, limit: -1, mark: b.marks.transitionMark(b.doc.Key, i)}
	v.labels = []string{b.transitionLabel(t)}
	if t.Condition != "" {
		v.tips = []string{plainLine(t.Condition)}
	}
	b.setTarget(v, t)
	b.addArrow(v)
}

func (b *machineBuilder) setTarget(arrow *arrow, t *personas.Transition) {
	target := t.To
	switch {
	case t.Decision == personas.DecideKickOut, t.Decision == personas.DecideReject && b.doc.Mode() == personas.PassFail:
		arrow.destination = ends
		return
	case t.Decision == personas.DecideRedirect:
		target = t.From
	case t.Decision == personas.DecideReject && (target == "" || target == t.From):
		if target = t.From; b.pass[arrow.from] != "" {
			target = b.pass[arrow.from]
		}
	}
	to, ok := b.index[target]
	switch {
	case !ok:
		arrow.destination, arrow.missing = nowhere, plainLine(target)
	case to == arrow.from:
		arrow.destination = stays
	}
	if ok {
		arrow.to = to
	}
}

func (b *machineBuilder) transitionLabel(t *personas.Transition) string {
	var parts []string
	if t.ScoreDelta != 0 && b.doc.Mode() == personas.Scoring {
		parts = append(parts, strings.Replace(fmt.Sprintf("%+d", t.ScoreDelta), "-", "−", 1))
	}
	if t.Priority != 0 {
		parts = append(parts, fmt.Sprintf("p%d", t.Priority))
	}
	if t.EndingName != "" {
		parts = append(parts, "“"+plainLine(t.EndingName)+"”")
	}
	return strings.Join(parts, " ")
}

func (b *machineBuilder) addArrow(v *arrow) {
	v.marked = b.marks != nil
	list := &b.m.arrows
	if v.destination != leads {
		list = &b.m.states[v.from].sides
	}
	key := arrowKey{v.from, v.to, v.destination, v.decision, v.missing}
	if existing := b.arrows[key]; existing != nil {
		existing.labels = append(existing.labels, v.labels...)
		existing.tips = append(existing.tips, v.tips...)
		existing.mark = existing.mark.combineWith(v.mark)
		return
	}
	if b.arrows == nil {
		b.arrows = map[arrowKey]*arrow{}
	}
	b.arrows[key] = v
	*list = append(*list, v)
}

func (b *machineBuilder) addLimits() {
	for i := range b.doc.States {
		s := &b.doc.States[i]
		index := b.index[s.Key]
		if s.MaxRedirects == nil || b.m.states[index].key != plainLine(s.Key) || s.IsTerminal && !s.IsInitial {
			continue
		}
		b.addArrow(&arrow{from: index, to: index, destination: stays, decision: personas.DecideRedirect, limit: -1})
		for _, v := range b.m.states[index].sides {
			if v.decision == personas.DecideRedirect {
				v.limit = *s.MaxRedirects
			}
		}
	}
}

func (v *arrow) numbersLine() string {
	shown := slices.DeleteFunc(slices.Clone(v.labels), func(s string) bool { return s == "" })
	return strings.Join(shown, ", ")
}

func (v *arrow) labelText() string {
	var parts []string
	if v.decision != personas.DecidePass || v.destination != leads {
		parts = append(parts, decisionName(v.decision))
	}
	if n := v.numbersLine(); n != "" {
		parts = append(parts, n)
	}
	if v.limit >= 0 {
		parts = append(parts, fmt.Sprintf("at most %d", v.limit))
	}
	if v.missing != "" {
		parts = append(parts, "to "+v.missing+", which does not exist")
	}
	text := strings.Join(parts, " ")
	if v.mark.Note != "" && text != "" {
		text += " · "
	}
	return text + v.mark.Note
}

func decisionName(d personas.Decision) string {
	if d == personas.DecideKickOut {
		return "kick out"
	}
	return plainLine(string(d))
}

// Options select the content of a picture. The zero value draws all machines, coloured by decision.
type Options struct {
	Machine string // key of the only machine, or "" for all
	Marks   *Marks // colours by mark, or by decision if nil
}

// Bounds of SVG and PNG. A larger picture would be unreadable.
const (
	MaxStates        = 1000 // per machine
	MaxMachineArrows = 2000 // per machine
	MaxBoxes         = 2000 // states and machines in total
	MaxArrows        = 4000 // arrows in total
	MaxLinks         = 500
)

// Errors of the drawing functions.
var (
	// ErrMachine means that the persona does not contain the machine of Options.
	ErrMachine = errors.New("the persona has no such machine")
	// ErrTooLarge means that a machine or the persona exceeds the bounds.
	ErrTooLarge = errors.New("too large for a picture; use the format mermaid, dot or terminal")
)

func choosePicture(p *personas.Persona, options Options) (*picture, error) {
	pic := newPicture(p, options)
	if options.Machine != "" && len(pic.machines) == 0 {
		return nil, fmt.Errorf("%w: %q", ErrMachine, options.Machine)
	}
	return pic, nil
}

func (p *picture) checkSize() error {
	boxes, arrows := len(p.machines), 0
	for _, m := range p.machines {
		boxes, arrows = boxes+len(m.states), arrows+len(m.arrows)
		if len(m.states) > MaxStates || len(m.arrows) > MaxMachineArrows {
			return fmt.Errorf("machine %q has %d states and %d arrows, but a picture can show at most %d and %d: %w",
				m.key, len(m.states), len(m.arrows), MaxStates, MaxMachineArrows, ErrTooLarge)
		}
	}
	if boxes > MaxBoxes || arrows > MaxArrows || len(p.links) > MaxLinks {
		return fmt.Errorf("the persona has %d machines and states, %d arrows and %d links, but a picture can show at most %d, %d and %d; choose a machine with --machine: %w",
			boxes, arrows, len(p.links), MaxBoxes, MaxArrows, MaxLinks, ErrTooLarge)
	}
	return nil
}
