package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
)

func findNoMachines(s *checkContext, report reporter) {
	if len(s.p.Machines) == 0 {
		report("machines", "the persona has no machine; add at least one")
	}
}

func reportDuplicates(p *personas.Persona, report reporter, path func(i int) string, keys []string) {
	first := make(map[string]int, len(keys))
	for i, key := range keys {
		if before, twice := first[key]; twice {
			report(path(i), "%q is already the key of %s; keys have to differ", key, p.NameItem(path(before)))
			continue
		}
		first[key] = i
	}
}

func pathAt(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func keysOf[T any](all []T, key func(*T) string) []string {
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = key(&all[i])
	}
	return keys
}

func findDuplicateMachineKeys(s *checkContext, report reporter) {
	p := s.p
	keys := keysOf(p.Machines, func(m *personas.Machine) string { return m.Key })
	reportDuplicates(p, report, pathAt("machines[%d].machine_key"), keys)
}

func findDuplicateVariables(s *checkContext, report reporter) {
	p := s.p
	keys := keysOf(p.Variables, func(v *personas.Variable) string { return v.Key })
	reportDuplicates(p, report, pathAt("variables[%d].key"), keys)
	for i, m := range p.Machines {
		machine := machinePath(i) + "."
		outputs := keysOf(m.OutputVariables, func(v *personas.OutputVariable) string { return v.Key })
		reportDuplicates(p, report, pathAt(machine+"output_variables[%d].key"), outputs)
		inputs := keysOf(m.InputVariables, func(v *personas.InputVariable) string { return v.Key })
		reportDuplicates(p, report, pathAt(machine+"input_variables[%d].key"), inputs)
	}
}

func findUnknownLinkMachines(s *checkContext, report reporter) {
	p := s.p
	keys := keysOf(p.Machines, func(m *personas.Machine) string { return m.Key })
	exists := make(map[string]bool, len(keys))
	for _, key := range keys {
		exists[key] = true
	}
	type linkEnd struct{ member, key string }
	for i, l := range p.Links {
		for _, end := range []linkEnd{{"source_machine_key", l.Source}, {"target_machine_key", l.Target}} {
			if !exists[end.key] {
				path := fmt.Sprintf("machine_links[%d].%s", i, end.member)
				hint := suggestion{word: end.key, words: func() []string { return keys }}
				report(path, "there is no machine %q%s", end.key, hint).offerSuggestion(path, hint)
			}
		}
	}
}

func findLinkValueMismatches(s *checkContext, report reporter) {
	p := s.p
	for i, l := range p.Links {
		scored := l.Condition == personas.IfScoreGTE || l.Condition == personas.IfScoreLTE
		path := fmt.Sprintf("machine_links[%d].condition_value", i)
		switch {
		case l.Outcome != personas.NoOutcome && l.Condition != personas.IfOutcome:
			report(path, "condition_type %q does not use an outcome, but the value is %q", l.Condition, l.Outcome)
		case l.Score != 0 && !scored:
			report(path, "condition_type %q does not use a score, but the value is %d", l.Condition, l.Score)
		}
	}
}

func findEmptyTexts(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if t.mustSay && plaintext.IsBlank(t.value) {
			report(t.pathOf(), "%s is empty; write one", s.p.NamePath(t.pathOf()))
		}
	}
}

func findLongTexts(s *checkContext, report reporter) {
	findLongExpansions(s, report)
	for _, t := range s.allTexts() {
		if t.limit == 0 || len(t.value) <= t.limit {
			continue
		}
		if n := utf8.RuneCountInString(t.value); n > t.limit {
			report(t.pathOf(), "the text has %d characters, at most %d are allowed; shorten it", n, t.limit)
		}
	}
}

func findLongExpansions(s *checkContext, report reporter) {
	lengths := map[string]int{personas.VarPersonaName: utf8.RuneCountInString(strings.TrimSpace(s.p.Name))}
	for _, v := range slices.Backward(s.p.Variables) {
		lengths[v.Key] = utf8.RuneCountInString(v.Value)
	}
	lengths[personas.VarPlayerName], lengths[personas.VarPlayerGender] = 0, 0
	length := func(name string) (int, bool) { return lengths[name], s.variableTable().Knows(name) }
	for _, t := range s.allTexts() {
		expands := t.template || t.machine < 0 && t.pathOf() == "description"
		if !expands || len(t.value) > t.limit*utf8.UTFMax || !strings.Contains(t.value, "{{") {
			continue
		}
		n := personas.CountExpanded(t.value, length)
		if n > personas.MaxExpanded && utf8.RuneCountInString(t.value) <= t.limit {
			report(t.pathOf(), "the text has %d characters with the values of its variables, at most %d are allowed; "+
				"shorten it or the values",
				n, personas.MaxExpanded)
		}
	}
}

// PortraitCheck is the name of the check of portraits.
const PortraitCheck = "portrait-unusable"

// findUnusablePortrait also reports a path. Programs replace the path of a readable picture by its
// data before the checks.
func findUnusablePortrait(s *checkContext, report reporter) {
	if s.p.Portrait == "" {
		return
	}
	_, err := portrait.DecodeURI(s.p.Portrait)
	if err == nil {
		_, err = portrait.StripURI(s.p.Portrait)
	}
	if err != nil {
		report("portrait", "the portrait cannot be shown: %v", err)
	}
}

func findUnknownPlaceholders(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if !t.template || !strings.Contains(t.value, "{{") {
			continue
		}
		names, path := s.placeholderNames(), t.pathOf()
		unknown := slices.DeleteFunc(personas.Placeholders(t.value), func(x personas.Placeholder) bool {
			return s.variableTable().Knows(x.Name)
		})
		respelled := sync.OnceValue(func() string { return respellPlaceholders(t.value, unknown, names) })
		for _, x := range unknown {
			finding := report(path, "{{%s}} is unknown: it is not player_name, player_gender, persona_name or the key of a "+
				"variable%s",
				x.Name, placeholderHint{x.Name, names})
			if finding == nil {
				return
			}
			finding.markPiece(x.Offset, x.End()).offerValue(path, respelled)
		}
	}
}

var cardMacros = map[string]string{
	"char": personas.VarPersonaName, "bot": personas.VarPersonaName, "character": personas.VarPersonaName,
	"user": personas.VarPlayerName, "player": personas.VarPlayerName,
}

type placeholderHint struct {
	name  string
	names []string
}

func (h placeholderHint) String() string {
	meant := cmp.Or(cardMacros[strings.ToLower(h.name)], personas.Nearest(h.name, h.names))
	if meant == "" || meant == h.name {
		return ""
	}
	return "; did you mean {{" + meant + "}}?"
}

const maxRespelled = 8

func respellPlaceholders(value string, unknown []personas.Placeholder, names []string) string {
	meant := map[string]string{}
	for _, placeholder := range unknown {
		if _, seen := meant[placeholder.Name]; seen {
			continue
		}
		name := cardMacros[strings.ToLower(placeholder.Name)]
		if name == "" || personas.Nearest(placeholder.Name, names) != "" {
			name = personas.OnlyNear(placeholder.Name, names)
		}
		if name == "" || len(meant) == maxRespelled {
			return ""
		}
		meant[placeholder.Name] = "{{" + name + "}}"
	}
	// Expand returns "" for a long result, and no fix is attached.
	right, _ := personas.Expand(value, func(name string) (string, bool) {
		written, ok := meant[name]
		return written, ok
	})
	return right
}

func findUnknownMembers(s *checkContext, report reporter) {
	for _, u := range s.unknownMembers() {
		if strings.HasPrefix(u.Name, "x-") || u.Path == "$schema" {
			continue
		}
		message, fix := explainUnknown(u)
		finding := report(u.Path, "%s", message)
		if finding == nil {
			return
		}
		finding.Fix = fix
	}
}

func explainUnknown(unknown personas.Unknown) (message string, fix *personas.Fix) {
	meant, certain := personas.NearestMember(unknown.Name, unknown.Known)
	homes := personas.MemberHomes(unknown.Name)
	switch {
	case personas.Nearest(unknown.Name, unknown.Known) == "" && len(homes) > 0 && !certain:
		return fmt.Sprintf("%q does not belong here: it belongs to %s", unknown.Name, strings.Join(homes, ", or to ")), nil
	case meant == "" && unknown.Name == "offline":
		return fmt.Sprintf("%q does not belong here: it belongs to a state, to a machine, or to the persona; "+
			"check its indentation", unknown.Name), nil
	case meant == "":
		return fmt.Sprintf("%q is not a member of a persona file and has no effect; "+
			"begin its name with x- if it is for your own tools", unknown.Name), nil
	}
	if certain {
		name := cmp.Or(personas.OnlyNear(unknown.Name, unknown.Known), meant)
		fix = &personas.Fix{Kind: personas.FixRename, Path: unknown.Path, Value: name}
	}
	return fmt.Sprintf("%q is not a member of a persona file; did you mean %q?", unknown.Name, meant), fix
}

// suggestion finds the most similar word only when printed, because most messages are never
// printed.
type suggestion struct {
	word  string
	words func() []string
	none  string
}

func (n suggestion) String() string {
	if nearest := personas.Nearest(n.word, n.words()); nearest != "" && nearest != n.word {
		if plaintext.Compose(nearest) == plaintext.Compose(n.word) {
			return fmt.Sprintf("; it looks like %q, but is written in another Unicode form: copy that one", nearest)
		}
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return n.none
}

func (f *finding) offerSuggestion(path string, n suggestion) {
	if f == nil {
		return
	}
	if word := personas.OnlyNear(n.word, n.words()); word != "" {
		f.Fix = &personas.Fix{Kind: personas.FixSet, Path: path, Value: word}
	}
}

func (f *finding) offerValue(path string, value func() string) {
	if f == nil {
		return
	}
	if v := value(); v != "" {
		f.Fix = &personas.Fix{Kind: personas.FixSet, Path: path, Value: v}
	}
}

func (f *finding) markPiece(from, to int) *finding {
	if f != nil {
		f.From, f.To = from, to
	}
	return f
}
