package persona

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/plaintext"
)

// checkDuplicates refuses files that would overwrite each other, and reports personas with the same
// name.
func (o *saveOptions) checkDuplicates(files []*saveJob) {
	same := groupByPersona(files)
	for _, f := range files {
		if names := same[f.target.id]; f.err == nil && f.lock != nil && names != nil {
			f.err = &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %s are all the persona %s by parley.lock", f.name, listFirst(names), f.target.id),
				Hint: fmt.Sprintf("save one of them as a persona of its own: `parley persona save --new %s`", plaintext.ShellFile(names[len(names)-1]))}
		}
	}
	for _, names := range groupByName(files) {
		if !slices.ContainsFunc(files, func(f *saveJob) bool { return f.err != nil && f.name == names[0] }) {
			o.Say("%s: personas of one name, commands know them apart by their ids only", listFirst(names))
		}
	}
}

// groupByPersona maps the id of a persona to its files according to parley.lock. It omits personas
// with one file.
func groupByPersona(files []*saveJob) map[string][]string {
	by := map[string][]string{}
	for _, f := range files {
		if f.err == nil && f.lock != nil && f.target.id != "" {
			by[f.target.id] = append(by[f.target.id], f.name)
		}
	}
	maps.DeleteFunc(by, func(_ string, names []string) bool { return len(names) < 2 })
	return by
}

// groupByName returns the files of personas that have the same name, a sorted group for each
// such name.
func groupByName(files []*saveJob) [][]string {
	by := map[string][]string{}
	for _, f := range files {
		if f.err == nil {
			by[f.doc.Name] = append(by[f.doc.Name], f.name)
		}
	}
	maps.DeleteFunc(by, func(_ string, names []string) bool { return len(names) < 2 })
	groups := slices.Collect(maps.Values(by))
	slices.SortFunc(groups, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return groups
}
