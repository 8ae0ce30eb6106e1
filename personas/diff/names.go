package diff

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
)

type keyNames struct {
	machines  []pair
	states    map[pair][]pair // by machine pair
	variables map[string]string
	machine   map[string]string            // later key by earlier key
	state     map[string]map[string]string // by earlier machine key
}

func findNames(before, after *personas.Persona) *keyNames {
	n := &keyNames{
		states: map[pair][]pair{}, machine: map[string]string{}, state: map[string]map[string]string{},
	}
	n.variables = renamedVariables(before, after)
	n.machines = matchEntries(machineEntries(before, after), machineEntries(after, before))
	for _, p := range n.machines {
		if p.after < 0 {
			continue
		}
		earlier, later := &personas.Machine{}, &after.Machines[p.after]
		if p.before >= 0 {
			earlier = &before.Machines[p.before]
			n.machine[earlier.Key], n.state[earlier.Key] = later.Key, map[string]string{}
		}
		n.states[p] = matchEntries(stateEntries(earlier, later), stateEntries(later, earlier))
		for _, s := range n.states[p] {
			if s.isKept() {
				n.state[earlier.Key][earlier.States[s.before].Key] = later.States[s.after].Key
			}
		}
	}
	return n
}

func (n *keyNames) currentText(text string) string {
	if len(n.variables) == 0 || !strings.Contains(text, "{{") {
		return text
	}
	current, fits := personas.Expand(text, func(name string) (string, bool) {
		now, ok := n.variables[name]
		return "{{" + now + "}}", ok
	})
	if !fits {
		return text
	}
	return current
}

func (n *keyNames) currentMember(_, text string) string { return n.currentText(text) }

func roleOf(kind, key string, other map[string]bool) string {
	if other[key] {
		return kind + "=" + key
	}
	return kind + "?"
}

func machineEntries(persona, other *personas.Persona) []entry {
	keys := map[string]bool{}
	for i := range other.Machines {
		keys[other.Machines[i].Key] = true
	}
	all, byKey := make([]entry, len(persona.Machines)), make(map[string]*entry, len(persona.Machines))
	for i := range persona.Machines {
		m := &persona.Machines[i]
		e := &all[i]
		e.key, byKey[m.Key] = m.Key, e
		for _, text := range machineTexts(m) {
			e.words.addText(text)
		}
		e.roles.add(string(m.Mode()))
		if m.IsEntry {
			e.roles.add("entry")
		}
	}
	for i := range persona.Links {
		l := &persona.Links[i]
		if e := byKey[l.Source]; e != nil {
			e.roles.add(roleOf("from "+string(l.Condition), l.Target, keys))
		}
		if e := byKey[l.Target]; e != nil {
			e.roles.add(roleOf("to "+string(l.Condition), l.Source, keys))
		}
	}
	return all
}

func machineTexts(m *personas.Machine) []string {
	texts := []string{
		m.Name, m.Description, m.Objective, m.WinCondition, m.LoseCondition,
		m.ChatPrompt, m.EvaluationPrompt, m.SummarizationPrompt,
	}
	for i := range m.States {
		texts = append(texts, m.States[i].Key)
		texts = append(texts, stateTexts(&m.States[i])...)
	}
	for i := range m.Transitions {
		texts = append(texts, m.Transitions[i].Condition)
	}
	for _, out := range m.OutputVariables {
		texts = append(texts, out.Key, out.ExtractionPrompt)
	}
	return texts
}

func stateEntries(machine, other *personas.Machine) []entry {
	keys := map[string]bool{}
	for i := range other.States {
		keys[other.States[i].Key] = true
	}
	all, byKey := make([]entry, len(machine.States)), make(map[string]*entry, len(machine.States))
	for i := range machine.States {
		s := &machine.States[i]
		e := &all[i]
		e.key, byKey[s.Key] = s.Key, e
		for _, text := range stateTexts(s) {
			e.words.addText(text)
		}
		if s.IsInitial {
			e.roles.add("initial")
		}
		if s.IsTerminal {
			e.roles.add("terminal " + string(s.Ending()))
		}
	}
	for i := range machine.Transitions {
		t := &machine.Transitions[i]
		if e := byKey[t.From]; e != nil {
			e.roles.add(roleOf("out "+string(t.Decision), t.To, keys))
		}
		if e := byKey[t.To]; e != nil {
			e.roles.add(roleOf("in "+string(t.Decision), t.From, keys))
		}
	}
	return all
}

func stateTexts(s *personas.State) []string {
	c := &s.Criteria
	texts := []string{s.PromptInstruction, c.Pass, c.Redirect, c.Reject, c.KickOut, c.FollowUp}
	if s.Label != s.Key {
		texts = append(texts, s.Label)
	}
	if o := s.Offline; o != nil {
		e, l := &o.Examples, &o.Lines
		texts = slices.Concat(texts, o.Opening, l.Pass, l.Redirect, l.Reject, l.KickOut, l.FollowUp, l.Enter, l.Unknown)
		for _, example := range slices.Concat(e.Pass, e.Redirect, e.Reject, e.KickOut, e.FollowUp) {
			texts = append(texts, example.Say, example.Answer)
		}
		for i := range o.Answers {
			texts = append(append(texts, o.Answers[i].Ask...), o.Answers[i].Say...)
		}
	}
	return texts
}

func renamedVariables(before, after *personas.Persona) map[string]string {
	x, y := listDeclarations(before), listDeclarations(after)
	renamed := map[string]string{}
	for _, p := range matchEntries(x.entries, y.entries) {
		if p.isKept() && x.entries[p.before].key != y.entries[p.after].key {
			renamed[x.entries[p.before].key] = y.entries[p.after].key
		}
	}
	return renamed
}

type declarations struct {
	entries []entry
	indexes map[string]int
	path    map[string]string // path of the first declaration by key
}

func listDeclarations(persona *personas.Persona) *declarations {
	d := &declarations{indexes: map[string]int{}, path: map[string]string{}}
	for i, v := range persona.Variables {
		d.add(v.Key, itemPath("variables", i), "persona", v.Value, v.Description)
	}
	for i := range persona.Machines {
		m := &persona.Machines[i]
		path := itemPath("machines", i)
		for j, out := range m.OutputVariables {
			d.add(out.Key, itemPath(path+".output_variables", j), "out", out.ExtractionPrompt)
		}
		for j, variable := range m.InputVariables {
			d.add(variable.Key, itemPath(path+".input_variables", j), "in")
		}
	}
	d.addUses(persona)
	return d
}

func (d *declarations) add(key, path, role string, texts ...string) {
	i, ok := d.indexes[key]
	if !ok {
		i = len(d.entries)
		d.indexes[key], d.path[key] = i, path+".key"
		d.entries = append(d.entries, entry{key: key})
	}
	d.entries[i].roles.add(role)
	for _, text := range texts {
		d.entries[i].words.addText(text)
	}
}

func (d *declarations) addUses(p *personas.Persona) {
	all := []string{p.IdentityPrompt}
	for i := range p.Machines {
		all = append(all, machineTexts(&p.Machines[i])...)
	}
	for _, text := range all {
		for _, use := range personas.Placeholders(text) {
			if i, ok := d.indexes[use.Name]; ok {
				before := text[max(0, use.Offset-80):use.Offset]
				words := append([]string{""}, strings.Fields(before)...)
				d.entries[i].roles.add("after " + words[len(words)-1])
			}
		}
	}
}

const (
	alike       = 0.6
	wordsWeight = 0.6
	roleWeight  = 0.4
)

const (
	maxPairs = 1 << 18 // pairs
	maxWords = 1 << 23 // words looked up for all pairs together
)

type pair struct{ before, after int }

func (p pair) isKept() bool { return p.before >= 0 && p.after >= 0 }

type entry struct {
	key          string
	words, roles wordBag
}

type wordBag struct {
	count map[string]int
	size  int
}

func (b *wordBag) add(word string) {
	if b.count == nil {
		b.count = map[string]int{}
	}
	b.count[word]++
	b.size++
}

// addText counts each word with its predecessor. Common short words then do not make texts similar.
func (b *wordBag) addText(text string) {
	last := ""
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), isSeparator) {
		b.add(last + " " + word)
		last = word
	}
}

// likenessTo returns the Dice coefficient, or 1 for two empty bags.
func (b *wordBag) likenessTo(other *wordBag) float64 {
	if b.size+other.size == 0 {
		return 1
	}
	shared := 0
	for word, n := range b.count {
		shared += min(n, other.count[word])
	}
	return float64(2*shared) / float64(b.size+other.size)
}

func (e *entry) likenessTo(other *entry) float64 {
	role := e.roles.likenessTo(&other.roles)
	if e.words.size+other.words.size == 0 {
		return role
	}
	return wordsWeight*e.words.likenessTo(&other.words) + roleWeight*role
}

type matcher struct {
	pairs                 []pair
	usedBefore, usedAfter []bool
}

func newMatcher(before, after int) *matcher {
	return &matcher{usedBefore: make([]bool, before), usedAfter: make([]bool, after)}
}

func matchEntries(before, after []entry) []pair {
	m := newMatcher(len(before), len(after))
	m.pairByKey(func(i int) string { return before[i].key }, func(j int) string { return after[j].key })
	m.pairByLikeness(before, after)
	return m.completePairs()
}

func (m *matcher) addPair(p pair) {
	m.usedBefore[p.before], m.usedAfter[p.after] = true, true
	m.pairs = append(m.pairs, p)
}

func (m *matcher) pairByKey(before, after func(int) string) {
	unmatched := map[string][]int{}
	for _, i := range listUnused(m.usedBefore) {
		unmatched[before(i)] = append(unmatched[before(i)], i)
	}
	for _, j := range listUnused(m.usedAfter) {
		key := after(j)
		if matches := unmatched[key]; len(matches) > 0 {
			m.addPair(pair{matches[0], j})
			unmatched[key] = matches[1:]
		}
	}
}

func (m *matcher) pairByLikeness(before, after []entry) {
	x, y := listUnused(m.usedBefore), listUnused(m.usedAfter)
	words := 0
	for _, i := range x {
		words += len(before[i].words.count) + len(before[i].roles.count)
	}
	if len(x)*len(y) > maxPairs || words*len(y) > maxWords {
		return
	}
	type candidate struct {
		pair
		likeness float64
	}
	var candidates []candidate
	for _, i := range x {
		for _, j := range y {
			if likeness := before[i].likenessTo(&after[j]); likeness >= alike {
				candidates = append(candidates, candidate{pair{i, j}, likeness})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.likeness, a.likeness) })
	for _, c := range candidates {
		if !m.usedBefore[c.before] && !m.usedAfter[c.after] {
			m.addPair(c.pair)
		}
	}
}

func listUnused(used []bool) []int {
	var unused []int
	for i, u := range used {
		if !u {
			unused = append(unused, i)
		}
	}
	return unused
}

func (m *matcher) completePairs() []pair {
	for _, j := range listUnused(m.usedAfter) {
		m.pairs = append(m.pairs, pair{-1, j})
	}
	slices.SortFunc(m.pairs, func(a, b pair) int { return cmp.Compare(a.after, b.after) })
	for _, i := range listUnused(m.usedBefore) {
		m.pairs = append(m.pairs, pair{i, -1})
	}
	return m.pairs
}
