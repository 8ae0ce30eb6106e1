package lint

import (
	"strings"
)

// The checks of what a state is called and begins with.

// foldName is a name as a reader takes it: letters of one size, one space between words.
func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

var openingNotSpoken = Check{
	Name: "opening-not-spoken", Severity: Warning, wording: true, mean: findIdleOpenings,
	Summary: "An opening is spoken in the initial state only.",
	Why: "The opening is what the character says before the player has said anything, and that happens once, in the state in which the machine begins. In any other state nobody ever reads these lines. " +
		"What the character says on coming into a state stands under lines.enter.",
	Good: "        label: Inside the walls\n", Bad: "        label: Inside the walls\n        offline: {opening: [\"Welcome.\"]}\n",
}

func findIdleOpenings(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		for j := range s.p.Machines[i].States {
			if st := &s.p.Machines[i].States[j]; !st.IsInitial && st.Offline != nil && len(st.Offline.Opening) > 0 {
				report(statePath(i, j)+".offline.opening", "state %q is not the initial one, so that its opening is never spoken; put these lines under offline.lines.enter, or remove them", st.Key)
			}
		}
	}
}

var duplicateLabel = Check{
	Name: "duplicate-label", Severity: Warning, wording: true, mean: findSameLabels,
	Summary: "Two states of a machine with one label cannot be told apart.",
	Why: "Players see the label as the place where they are, and so does whoever reads a graph, a report or a test. With two of one name nobody knows which is meant; a state without a label is shown by its key. " +
		"Mostly a state was copied. Give each its own label.",
	Good: "label: Inside the walls", Bad: "label: outside",
}

func findSameLabels(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		first := map[string]string{}
		for j := range s.p.Machines[i].States {
			st := &s.p.Machines[i].States[j]
			title := foldName(st.Title())
			before, twice := first[title]
			switch {
			case !twice:
				first[title] = st.Key
			case before != st.Key:
				path := statePath(i, j) + ".label"
				if st.Label == "" {
					path = statePath(i, j) + ".state_key"
				}
				report(path, "state %q is shown as %q, and so is state %q; give each its own label", st.Key, clip(st.Title()), before)
			}
		}
	}
}
