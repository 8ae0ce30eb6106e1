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
	if path == "" {
		return "the play file"
	}
	title := (*personas.Persona)(nil).NamePath(path)
	var play int
	if _, err := fmt.Sscanf(path, "plays[%d]", &play); err != nil || r.playName(play) == "" {
		return title
	}
	return strings.Replace(title, "the "+personas.Ordinal(play)+" play", "play "+strconv.Quote(r.playName(play)), 1)
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
