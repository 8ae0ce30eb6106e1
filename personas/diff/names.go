package diff

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

type keyNames struct {
	machines  []pair
	states    map[pair][]pair // by the pair of their machines
	variables map[string]string
	machine   map[string]string            // later key by earlier key, for machines in both versions
	state     map[string]map[string]string // by the earlier machine's key
}

func findNames(before, after *personas.Persona) *keyNames {
	n := &keyNames{states: map[pair][]pair{}, machine: map[string]string{}, state: map[string]map[string]string{}}
	n.variables = renamedVariables(before, after)
	n.machines = matchMachines(before, after)
	for _, p := range n.machines {
		if p.before < 0 || p.after < 0 {
			continue
		}
		x, y := &before.Machines[p.before], &after.Machines[p.after]
		states := matchStates(x, y)
		n.states[p] = states
		n.machine[x.Key] = y.Key
		n.state[x.Key] = map[string]string{}
		for _, s := range states {
			if s.before >= 0 && s.after >= 0 {
				n.state[x.Key][x.States[s.before].Key] = y.States[s.after].Key
			}
		}
	}
	return n
}

// currentText replaces the variables in a text of the earlier version by their later names. It
// returns the text unchanged if the result would be too long.
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

func matchMachines(before, after *personas.Persona) []pair {
	m := matcher{roles: func(known []pair) ([][]string, [][]string) {
		x, y := tokensOf(known, func(i int) string { return before.Machines[i].Key }, func(j int) string { return after.Machines[j].Key })
		return machineRoles(before, x), machineRoles(after, y)
	}}
	for i := range before.Machines {
		m.before = append(m.before, machineEntry(&before.Machines[i]))
	}
	for j := range after.Machines {
		m.after = append(m.after, machineEntry(&after.Machines[j]))
	}
	return m.matchAll()
}

// tokensOf returns, for each version, a map that gives both keys of a known pair the same name.
func tokensOf(known []pair, before, after func(int) string) (x, y map[string]string) {
	x, y = map[string]string{}, map[string]string{}
	for _, p := range known {
		x[before(p.before)], y[after(p.after)] = after(p.after), after(p.after)
	}
	return x, y
}

func roleToken(tokens map[string]string, key string) string {
	if known, ok := tokens[key]; ok {
		return "=" + known
	}
	return "?"
}

func machineEntry(m *personas.Machine) entry {
	texts := []string{m.Name, m.Description, m.Objective, m.WinCondition, m.LoseCondition, m.ChatPrompt, m.EvaluationPrompt, m.SummarizationPrompt}
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
	return entry{m.Key, newWordBag(texts)}
}

func machineRoles(p *personas.Persona, tokens map[string]string) [][]string {
	roles, at := make([][]string, len(p.Machines)), make(map[string][]int, len(p.Machines))
	for i := range p.Machines {
		m := &p.Machines[i]
		at[m.Key] = append(at[m.Key], i)
		roles[i] = []string{string(m.Mode())}
		if m.IsEntry {
			roles[i] = append(roles[i], "entry")
		}
	}
	for j := range p.Links {
		l := &p.Links[j]
		for _, i := range at[l.Source] {
			roles[i] = append(roles[i], "from "+string(l.Condition)+roleToken(tokens, l.Target))
		}
		for _, i := range at[l.Target] {
			roles[i] = append(roles[i], "to "+string(l.Condition)+roleToken(tokens, l.Source))
		}
	}
	return roles
}

func matchStates(before, after *personas.Machine) []pair {
	m := matcher{roles: func(known []pair) ([][]string, [][]string) {
		x, y := tokensOf(known, func(i int) string { return before.States[i].Key }, func(j int) string { return after.States[j].Key })
		return stateRoles(before, x), stateRoles(after, y)
	}}
	for i := range before.States {
		m.before = append(m.before, entry{before.States[i].Key, newWordBag(stateTexts(&before.States[i]))})
	}
	for j := range after.States {
		m.after = append(m.after, entry{after.States[j].Key, newWordBag(stateTexts(&after.States[j]))})
	}
	return m.matchAll()
}

func stateTexts(s *personas.State) []string {
	texts := []string{s.PromptInstruction, s.Criteria.Pass, s.Criteria.Redirect, s.Criteria.Reject, s.Criteria.KickOut, s.Criteria.FollowUp}
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
			texts = slices.Concat(texts, o.Answers[i].Ask, o.Answers[i].Say)
		}
	}
	return texts
}

func stateRoles(m *personas.Machine, tokens map[string]string) [][]string {
	roles := make([][]string, len(m.States))
	at := map[string]int{}
	for i := range m.States {
		s := &m.States[i]
		at[s.Key] = i
		if s.IsInitial {
			roles[i] = append(roles[i], "initial")
		}
		if s.IsTerminal {
			roles[i] = append(roles[i], "terminal "+string(s.Ending()))
		}
	}
	for i := range m.Transitions {
		t := &m.Transitions[i]
		if from, ok := at[t.From]; ok {
			roles[from] = append(roles[from], "out "+string(t.Decision)+roleToken(tokens, t.To))
		}
		if to, ok := at[t.To]; ok {
			roles[to] = append(roles[to], "in "+string(t.Decision)+roleToken(tokens, t.From))
		}
	}
	return roles
}

// renamedVariables returns the later names of renamed variables. A variable may be declared in the
// persona, and as output and input of machines.
func renamedVariables(before, after *personas.Persona) map[string]string {
	x, y := listDeclarations(before), listDeclarations(after)
	m := matcher{before: x.entries, after: y.entries, roles: func([]pair) ([][]string, [][]string) { return x.roles, y.roles }}
	renamed := map[string]string{}
	for _, p := range m.matchAll() {
		if p.before >= 0 && p.after >= 0 && x.entries[p.before].key != y.entries[p.after].key {
			renamed[x.entries[p.before].key] = y.entries[p.after].key
		}
	}
	return renamed
}

type declarations struct {
	entries []entry
	roles   [][]string
	at      map[string]int
}

func listDeclarations(p *personas.Persona) *declarations {
	d := &declarations{at: map[string]int{}}
	for _, v := range p.Variables {
		d.addDeclaration(v.Key, "persona", v.Value, v.Description)
	}
	for i := range p.Machines {
		m := &p.Machines[i]
		for _, out := range m.OutputVariables {
			d.addDeclaration(out.Key, "out", out.ExtractionPrompt)
		}
		for _, in := range m.InputVariables {
			d.addDeclaration(in.Key, "in")
		}
	}
	d.addUses(p)
	return d
}

func (d *declarations) addDeclaration(key, role string, texts ...string) {
	i, ok := d.at[key]
	if !ok {
		i = len(d.entries)
		d.at[key] = i
		d.entries, d.roles = append(d.entries, entry{key: key}), append(d.roles, nil)
	}
	d.roles[i] = append(d.roles[i], role)
	for _, text := range texts {
		d.entries[i].words.addText(text)
	}
}

// addUses adds the word before each placeholder for a variable to the variable's words, because
// that word shows the variable's purpose.
func (d *declarations) addUses(p *personas.Persona) {
	all := []string{p.IdentityPrompt}
	for i := range p.Machines {
		m := &p.Machines[i]
		all = append(all, m.ChatPrompt, m.EvaluationPrompt, m.SummarizationPrompt, m.Objective, m.WinCondition, m.LoseCondition)
		for j := range m.States {
			all = append(all, stateTexts(&m.States[j])...)
		}
	}
	for _, text := range all {
		for _, use := range personas.Placeholders(text) {
			if i, ok := d.at[use.Name]; ok {
				d.roles[i] = append(d.roles[i], "after "+lastWord(text[:use.Offset]))
			}
		}
	}
}

func lastWord(text string) string {
	words := strings.Fields(text[max(0, len(text)-80):])
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
