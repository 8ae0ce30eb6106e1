package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

func checkSizes(p *personas.Persona) []personas.Diagnostic {
	states, transitions := 0, 0
	for i := range p.Machines {
		states += len(p.Machines[i].States)
		transitions += len(p.Machines[i].Transitions)
	}
	for _, x := range []struct {
		what      string
		has, most int
	}{{"machines", len(p.Machines), maxMachines}, {"states", states, maxStates}, {"transitions", transitions, maxTransitions}} {
		if x.has > x.most {
			return newFinding(checkSize, "machines", "the draft has %d %s, at most %d are taken: write a smaller one", x.has, x.what, x.most)
		}
	}
	return checkNumbers(p)
}

func checkNumbers(p *personas.Persona) []personas.Diagnostic {
	for i := range p.Machines {
		m := &p.Machines[i]
		numbers := []*int{m.PassThreshold, m.EarlyFailBound}
		for j := range m.States {
			numbers = append(numbers, m.States[j].MaxRedirects)
		}
		for j := range m.Transitions {
			numbers = append(numbers, &m.Transitions[j].ScoreDelta, &m.Transitions[j].Priority)
		}
		for _, n := range numbers {
			if n != nil && (*n > maxNumber || *n < -maxNumber) {
				return newFinding(checkSize, fmt.Sprintf("machines[%d]", i), "%d is out of measure: numbers go from -%d to %d", *n, maxNumber, maxNumber)
			}
		}
	}
	return nil
}

func findHidden(source []byte) []personas.Diagnostic {
	var value any
	if json.Unmarshal(source, &value) != nil {
		return nil
	}
	return findHiddenIn("", value, nil)
}

func findHiddenIn(path string, value any, found []personas.Diagnostic) []personas.Diagnostic {
	switch value := value.(type) {
	case string:
		if isHidden(value) {
			found = append(found, newFinding(checkForm, path, "the text has control characters in it, or marks that turn the direction of writing: leave them out")...)
		}
	case []any:
		for i, item := range value {
			found = findHiddenIn(fmt.Sprintf("%s[%d]", path, i), item, found)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = findHiddenIn(strings.TrimPrefix(path+"."+name, "."), value[name], found)
		}
	}
	return found
}

// isHidden reports whether a text contains characters that no author types. It allows joiners,
// because some scripts and emoji need them.
func isHidden(text string) bool {
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200B, r == 0xFEFF, r == 0x2028, r == 0x2029:
			return true
		}
	}
	return false
}

// findImpossible proves a persona that has no other errors. It returns a finding for each part that
// is impossible, and for each state in which a player can be stuck.
func findImpossible(p *personas.Persona) []personas.Diagnostic {
	report, err := prove.Persona(p)
	if errors.Is(err, prove.ErrTooWide) {
		return newFinding(checkSize, "machines", "the machines are too large to prove: write smaller ones")
	}
	if err != nil {
		return newFinding(checkProof, "machines", "%v", err)
	}
	var found []personas.Diagnostic
	for i := range report.Machines {
		found = append(found, findImpossibleIn(i, &report.Machines[i])...)
	}
	for _, l := range report.Links {
		if !l.CanOpen {
			found = append(found, newFinding(checkProof, fmt.Sprintf("machine_links[%d]", l.Index), "this link can never open: %s", l.Reason)...)
		}
	}
	for _, s := range report.Stuck {
		found = append(found, newFinding(checkProof, pathOf(p, s.Machine, s.State), "a player can be stuck here: %s", s.Reason)...)
	}
	return found
}

func findImpossibleIn(i int, m *prove.Machine) []personas.Diagnostic {
	var found []personas.Diagnostic
	path := fmt.Sprintf("machines[%d]", i)
	if !m.Available {
		found = append(found, newFinding(checkProof, path, "nobody can ever start this machine: %s", m.Reason)...)
	}
	for j, s := range m.States {
		if !s.Reachable {
			found = append(found, newFinding(checkProof, fmt.Sprintf("%s.states[%d]", path, j), "nobody can ever reach the state %q: %s", s.Key, s.Reason)...)
		}
	}
	for _, t := range m.Transitions {
		if !t.Fires {
			found = append(found, newFinding(checkProof, fmt.Sprintf("%s.transitions[%d]", path, t.Index), "this transition can never fire: %s", t.Reason)...)
		}
	}
	for _, o := range m.Outcomes {
		if o.Meant && !o.Reachable {
			found = append(found, newFinding(checkProof, path, "the ending %s can never come: %s", o.Outcome, o.Reason)...)
		}
	}
	return found
}

func pathOf(p *personas.Persona, machine, state string) string {
	i := slices.IndexFunc(p.Machines, func(m personas.Machine) bool { return m.Key == machine })
	if i < 0 {
		return "machines"
	}
	path := fmt.Sprintf("machines[%d]", i)
	if j := slices.IndexFunc(p.Machines[i].States, func(s personas.State) bool { return s.Key == state }); j >= 0 {
		path += fmt.Sprintf(".states[%d]", j)
	}
	return path
}
