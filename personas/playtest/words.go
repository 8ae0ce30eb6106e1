package playtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// titleOf describes the value at a path: `expect of the third step of play "By night"` for
// `plays[0].steps[2].expect`.
func (r *playReader) titleOf(path string) string {
	title, rest := "", path
	for _, list := range []struct{ member, noun string }{{"plays", "play"}, {"steps", "step"}, {"variants", "variant"}} {
		index, behind, ok := cutItem(rest, list.member)
		if !ok {
			continue
		}
		item := "the " + personas.Ordinal(index) + " " + list.noun
		if name := r.playName(index); list.noun == "play" && name != "" {
			item = "play " + strconv.Quote(name)
		}
		if title != "" {
			item += " of " + title
		}
		title, rest = item, behind
	}
	rest = nameItem(rest)
	switch {
	case path == "":
		return "the play file"
	case title == "":
		return rest
	case rest == "":
		return title
	}
	return rest + " of " + title
}

func cutItem(path, list string) (index int, rest string, ok bool) {
	digits, ok := strings.CutPrefix(path, list+"[")
	if !ok {
		return 0, path, false
	}
	digits, rest, _ = strings.Cut(digits, "]")
	index, err := strconv.Atoi(digits)
	return index, strings.TrimPrefix(rest, "."), err == nil
}

// nameItem describes a path that ends with a list item, such as "the second item of unlocked".
func nameItem(path string) string {
	list, digits, ok := strings.Cut(strings.TrimSuffix(path, "]"), "[")
	index, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return path
	}
	return "the " + personas.Ordinal(index) + " item of " + list
}

func (r *playReader) playName(index int) string {
	plays, _ := value{v: r.root}.findMember("plays")
	items, _ := plays.v.([]any)
	if index >= len(items) {
		return ""
	}
	name, _ := valueAt(items[index], "").findMember("name")
	text, _ := name.v.(string)
	return text
}

func didYouMean(word string, words []string) string {
	near := personas.Nearest(word, words)
	if near == "" || near == word {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// explainFailure returns a text about an expected name that does not exist in the persona, or "".
func (s *Subject) explainFailure(f *Failure, machine string) string {
	switch f.Member {
	case ExpectState:
		return explainName("state", f.Want, s.listStates(machine))
	case ExpectVariable: // A game may set other variables.
		if didYouMean(f.expected.Variable, s.listVariables()) != "" {
			return explainName("variable", f.expected.Variable, s.listVariables())
		}
	case ExpectUnlocked:
		for _, key := range f.expected.List {
			if said := explainName("machine", key, s.listMachines()); said != "" {
				return said
			}
		}
	}
	return ""
}

func explainName(what, name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	return fmt.Sprintf("; there is no %s %q%s", what, name, didYouMean(name, known))
}

func (s *Subject) listMachines() []string {
	keys := make([]string, len(s.Doc.Machines))
	for i := range s.Doc.Machines {
		keys[i] = s.Doc.Machines[i].Key
	}
	return keys
}

func (s *Subject) listStates(machine string) []string {
	m := s.Doc.Machine(machine)
	if m == nil {
		return nil
	}
	keys := make([]string, len(m.States))
	for i := range m.States {
		keys[i] = m.States[i].Key
	}
	return keys
}

func (s *Subject) listVariables() []string {
	var keys []string
	for i := range s.Doc.Variables {
		keys = append(keys, s.Doc.Variables[i].Key)
	}
	for i := range s.Doc.Machines {
		for _, v := range s.Doc.Machines[i].OutputVariables {
			keys = append(keys, v.Key)
		}
	}
	return keys
}
