package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
)

// The checks of the persona as a whole: its texts, variables and links.

func document(p *personas.Persona, report report) {
	for _, fault := range personas.Validate(p) {
		report(fault.Path, "%s", fault.Message)
	}
}

func noMachines(p *personas.Persona, report report) {
	if len(p.Machines) == 0 {
		report("machines", "the persona has no machine; give it at least one")
	}
}

// duplicates reports the keys that another one before them has.
func duplicates(report report, path func(i int) string, keys []string) {
	first := make(map[string]int, len(keys))
	for i, key := range keys {
		if before, twice := first[key]; twice {
			report(path(i), "%q is already the key of %s; keys have to differ", key, path(before))
			continue
		}
		first[key] = i
	}
}

func at(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func keysOf[T any](all []T, key func(*T) string) []string {
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = key(&all[i])
	}
	return keys
}

func duplicateMachineKey(p *personas.Persona, report report) {
	duplicates(report, at("machines[%d].machine_key"), keysOf(p.Machines, func(m *personas.Machine) string { return m.Key }))
}

func duplicateVariable(p *personas.Persona, report report) {
	duplicates(report, at("variables[%d].key"), keysOf(p.Variables, func(v *personas.Variable) string { return v.Key }))
	for i, m := range p.Machines {
		machine := fmt.Sprintf("machines[%d].", i)
		duplicates(report, at(machine+"output_variables[%d].key"), keysOf(m.OutputVariables, func(v *personas.OutputVariable) string { return v.Key }))
		duplicates(report, at(machine+"input_variables[%d].key"), keysOf(m.InputVariables, func(v *personas.InputVariable) string { return v.Key }))
	}
}

func unknownLinkMachine(p *personas.Persona, report report) {
	keys := keysOf(p.Machines, func(m *personas.Machine) string { return m.Key })
	for i, l := range p.Links {
		for _, end := range []struct{ member, key string }{{"source_machine_key", l.Source}, {"target_machine_key", l.Target}} {
			if p.Machine(end.key) == nil {
				report(fmt.Sprintf("machine_links[%d].%s", i, end.member), "there is no machine %q%s", end.key, suggest(end.key, keys))
			}
		}
	}
}

// linkValueMismatch guards links that were not read by Parse, which cannot make them.
func linkValueMismatch(p *personas.Persona, report report) {
	for i, l := range p.Links {
		scored := l.Condition == personas.IfScoreGTE || l.Condition == personas.IfScoreLTE
		path := fmt.Sprintf("machine_links[%d].condition_value", i)
		switch {
		case l.Outcome != personas.NoOutcome && l.Condition != personas.IfOutcome:
			report(path, "condition_type %q does not ask for an outcome, but the value is %q", l.Condition, l.Outcome)
		case l.Score != 0 && !scored:
			report(path, "condition_type %q does not ask for a score, but the value is %d", l.Condition, l.Score)
		}
	}
}

func emptyText(p *personas.Persona, report report) {
	eachText(p, func(t text) {
		if t.needed && strings.TrimSpace(t.value) == "" {
			report(t.path, "%s is empty; write one", t.path)
		}
	})
}

func textTooLong(p *personas.Persona, report report) {
	eachText(p, func(t text) {
		if n := utf8.RuneCountInString(t.value); n > t.most {
			report(t.path, "the text has %d characters, at most %d are allowed; shorten it", n, t.most)
		}
	})
}

func templateUnknown(p *personas.Persona, report report) {
	known := append(p.VariableKeys(), personas.VarPlayerName, personas.VarPlayerGender, personas.VarPersonaName)
	set := make(map[string]bool, len(known))
	for _, name := range known {
		set[name] = true
	}
	eachText(p, func(t text) {
		if !t.template {
			return
		}
		for _, x := range personas.Placeholders(t.value) {
			if !set[x.Name] {
				report(t.path, "{{%s}} is not known here: it is neither player_name, player_gender or persona_name nor the key of a variable%s", x.Name, suggest(x.Name, known))
			}
		}
	})
}

func unknownMember(p *personas.Persona, report report) {
	for _, u := range personas.UnknownMembers(p) {
		if strings.HasPrefix(u.Name, "x-") || u.Path == "$schema" {
			continue
		}
		hint := suggest(u.Name, u.Known)
		hint.none = "; it has no effect, begin its name with x- if it is your own"
		report(u.Path, "%q is not a member that a persona file knows%s", u.Name, hint)
	}
}

// near says "did you mean" if one of the words is near, else what is given
// for that case. It looks only when it is printed, since a report may not be.
type near struct {
	word  string
	words func() []string
	none  string
}

func (n near) String() string {
	if found := personas.Nearest(n.word, n.words()); found != "" && found != n.word {
		return fmt.Sprintf("; did you mean %q?", found)
	}
	return n.none
}

func suggest(word string, words []string) near {
	return near{word: word, words: func() []string { return words }}
}
