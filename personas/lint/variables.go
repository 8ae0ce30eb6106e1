package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

type use struct {
	name, path string
	machine    int // index, or -1 for texts of the whole persona
	from, to   int // bytes, or 0 for an input variable
}

func (c *checkContext) listUses() []use {
	var all []use
	for _, t := range c.allTexts() {
		if !t.template || !strings.Contains(t.value, "{{") {
			continue
		}
		for _, x := range personas.Placeholders(t.value) {
			all = append(all, use{x.Name, t.pathOf(), t.machine, x.Offset, x.End()})
		}
	}
	for i := range c.p.Machines {
		for j, v := range c.p.Machines[i].InputVariables {
			all = append(all, use{v.Key, fmt.Sprintf("%s.input_variables[%d].key", machinePath(i), j), i, 0, 0})
		}
	}
	return all
}

func (c *checkContext) listSetters() map[string][]int {
	set := map[string][]int{}
	for i := range c.p.Machines {
		for _, v := range c.p.Machines[i].OutputVariables {
			set[v.Key] = append(set[v.Key], i)
		}
	}
	return set
}

func isBuiltIn(name string) bool {
	return name == personas.VarPlayerName || name == personas.VarPlayerGender || name == personas.VarPersonaName
}

var variableUndefined = Check{
	Name: "variable-undefined", Severity: Warning, mean: findUndefined,
	Summary: "Nothing gives this input variable a value.",
	Why: "It is neither a variable of the persona nor an output variable of a machine, so players see the " +
		"name in braces. Give it a default under variables, or an output_variables entry in the machine " +
		"where the player mentions it.",
	Good: "    input_variables:\n      - key: errand", Bad: "    input_variables:\n      - key: errands",
}

func findUndefined(s *checkContext, report reporter) {
	setters := s.listSetters()
	names := slices.Sorted(maps.Keys(setters))
	for i := range s.p.Variables {
		names = append(names, s.p.Variables[i].Key)
	}
	for i := range s.p.Machines {
		for j, v := range s.p.Machines[i].InputVariables {
			if _, ok := s.variableTable().Default(v.Key); !ok && setters[v.Key] == nil && !isBuiltIn(v.Key) && v.Key != "" {
				path := fmt.Sprintf("%s.input_variables[%d].key", machinePath(i), j)
				hint := suggestion{
					word: v.Key, words: func() []string { return names },
					none: "; add it to variables, or to the output_variables of the machine that learns it",
				}
				finding := report(path,
					"nothing gives the variable %q a value: it is neither in variables nor an output variable%s",
					v.Key, hint)
				finding.offerSuggestion(path, hint)
			}
		}
	}
}

var variableUnset = Check{
	Name: "variable-never-set-before-use", Severity: Warning, mean: findUnset,
	Summary: "This variable can be used before any machine has set it.",
	Why: "A player who has not finished the machine that learns it sees the name in braces. Give it a " +
		"default under variables, or keep this machine locked with a link.",
	Good: "machine_links:\n  - source_machine_key: gate\n    target_machine_key: yard\n    condition_type: outcome\n    condition_value: ACCEPT\n", Bad: "machine_links: []\n",
}

// maxFollowed limits the variables without a default. Following thousands would take minutes.
const maxFollowed = 500

func findUnset(s *checkContext, report reporter) {
	if s.report == nil || s.hasLostLinks() {
		return
	}
	setters := s.listSetters()
	type place struct {
		name    string
		machine int
	}
	reported, before := map[place]bool{}, map[string][]bool{}
	for _, u := range s.listUses() {
		if _, ok := s.variableTable().Default(u.name); ok || setters[u.name] == nil || isBuiltIn(u.name) {
			continue
		}
		if reported[place{u.name, u.machine}] || isSetByItself(u, setters) {
			continue
		}
		if before[u.name] == nil {
			if len(before) == maxFollowed {
				return
			}
			before[u.name] = s.startableWithout(setters[u.name])
		}
		i := u.machine
		if i < 0 {
			i = slices.Index(before[u.name], true)
		}
		if i >= 0 && before[u.name][i] {
			reported[place{u.name, u.machine}] = true
			setting := quoteKeys(s.machineKeys(setters[u.name]))
			finding := report(u.path, "{{%s}} can be used before it has a value: %s; add a default under variables",
				u.name, fmt.Sprintf("machine %q can be started before %s ends", s.p.Machines[i].Key, setting))
			if finding.markPiece(u.from, u.to) == nil {
				return
			}
		}
	}
}

var variableOfOwnMachine = Check{
	Name: "variable-of-own-machine", Severity: Warning, mean: findOwnVariables,
	Summary: "A machine's texts cannot use its own output variables.",
	Why: "The values are extracted when the machine has ended. Until then {{name}} is the value of an earlier " +
		"play, the default, or the name in braces, even in the last state's lines. Use the name in the next " +
		"machine, or give an example its own answer.",
	Good: "The player asks about the town.", Bad: "The player asks about {{errand}}.",
}

func findOwnVariables(s *checkContext, report reporter) {
	setters := s.listSetters()
	for _, u := range s.listUses() {
		if !isSetByItself(u, setters) || isBuiltIn(u.name) {
			continue
		}
		finding := report(u.path,
			"{{%s}} has no value yet: machine %q learns it only when it ends; use it in a later machine",
			u.name, s.p.Machines[u.machine].Key)
		if finding.markPiece(u.from, u.to) == nil {
			return
		}
	}
}

func isSetByItself(u use, setters map[string][]int) bool {
	machines := setters[u.name]
	return len(machines) == 1 && machines[0] == u.machine
}

func (c *checkContext) hasLostLinks() bool {
	return slices.ContainsFunc(c.unknownMembers(), func(u personas.Unknown) bool { return u.Name == "machine_links" })
}

func (c *checkContext) startableWithout(others []int) []bool {
	open := make([]bool, len(c.p.Machines))
	var wait []int
	start := func(i int) {
		if !open[i] {
			open[i] = true
			wait = append(wait, i)
		}
	}
	c.indexLinks()
	for i := range c.p.Machines {
		if c.p.Machines[i].IsEntry || len(c.leading[i]) == 0 {
			start(i)
		}
	}
	for len(wait) > 0 {
		i := wait[0]
		wait = wait[1:]
		if slices.Contains(others, i) {
			continue
		}
		for _, j := range c.leaving[i] {
			if c.report.Links[j].CanOpen {
				start(c.machineByKey(c.p.Links[j].Target).position)
			}
		}
	}
	return open
}

func (c *checkContext) machineKeys(machines []int) []string {
	var keys []string
	for _, i := range machines {
		keys = append(keys, c.p.Machines[i].Key)
	}
	return keys
}

var variableUnused = Check{
	Name: "variable-never-used", Severity: Warning, mean: findUnused,
	Summary: "No text uses this variable.",
	Why: "Often the name is misspelt in the text, or the text is gone. Use, rename or remove the variable. " +
		"A variable with a description may be for a game, so it gets only an info.",
	Good: "Answer in a {{mood}} voice.", Bad: "Answer in a tired voice.",
}

func findUnused(s *checkContext, report reporter) {
	if len(s.p.Variables) == 0 {
		return
	}
	used, setters := s.usedNames(), s.listSetters()
	for i, v := range s.p.Variables {
		if v.Key != "" && !used[v.Key] && setters[v.Key] == nil && !isBuiltIn(v.Key) && isPlaceable(v.Key) {
			path := fmt.Sprintf("variables[%d].key", i)
			if strings.TrimSpace(v.Description) == "" {
				report(path, "no text uses the variable %q; write {{%s}} where it belongs, or remove it; if a game uses it, "+
					"add a description",
					v.Key, v.Key)
				continue
			}
			finding := report(path, "no text uses the variable %q; that is fine if a game uses it", v.Key)
			if finding != nil {
				finding.Severity = Info
			}
		}
	}
}

// usedNames includes variables similar to an unknown placeholder, because another check reports the
// misspelling.
func (c *checkContext) usedNames() map[string]bool {
	var keys []string
	defined, used := map[string]bool{}, map[string]bool{}
	for i := range c.p.Variables {
		keys = append(keys, c.p.Variables[i].Key)
		defined[c.p.Variables[i].Key] = true
	}
	slips, setters := 0, c.listSetters()
	for _, u := range c.listUses() {
		ok := defined[u.name] || setters[u.name] != nil || isBuiltIn(u.name)
		if !ok && !used[u.name] && slips < MaxFindings {
			slips++
			used[personas.Nearest(u.name, keys)] = true
		}
		used[u.name] = true
	}
	return used
}

var variableUnusable = Check{
	Name: "variable-unusable", Severity: Warning, mean: findUnusable,
	Summary: "No {{name}} can refer to this variable.",
	Why: "{{player_name}}, {{player_gender}} and {{persona_name}} are built in, and names with braces, " +
		"line breaks or outer spaces cannot be written. Rename the variable.",
	Good: "      - key: errand\n        extraction_prompt:", Bad: "      - key: player_name\n        extraction_prompt: Who the player is.\n      - key: errand\n        extraction_prompt:",
}

func findUnusable(s *checkContext, report reporter) {
	look := func(path, key string) {
		switch {
		case isBuiltIn(key):
			report(path, "{{%s}} always has its built-in meaning, so a variable of that name is never read; give it "+
				"another name",
				key)
		case !isPlaceable(key):
			report(path, "no text can use a variable called %q; use a name in one line without braces or spaces around it", key)
		}
	}
	for i, v := range s.p.Variables {
		look(fmt.Sprintf("variables[%d].key", i), v.Key)
	}
	for i := range s.p.Machines {
		for j, v := range s.p.Machines[i].OutputVariables {
			look(fmt.Sprintf("%s.output_variables[%d].key", machinePath(i), j), v.Key)
		}
	}
}

func isPlaceable(key string) bool {
	return !strings.ContainsAny(key, "{}\r\n") && strings.TrimSpace(key) == key
}
