package lint

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Second is a persona in the same project as Example. Both files together have no project findings.
// Project checks use parts of Second as their good examples.
//
//go:embed second.yaml
var Second string

// ProjectFile is a parsed file of a project. Findings print the Name.
type ProjectFile struct {
	Name    string
	Persona *personas.Persona
}

type fileReporter func(file int, path, format string, args ...any)

// KeepCompared copies the parts of a persona that Project compares. The rest of the document can
// then be freed.
func KeepCompared(p *personas.Persona) personas.Persona {
	copied := personas.Persona{Name: strings.Clone(p.Name)}
	for i := range p.Variables {
		v := &p.Variables[i]
		copied.Variables = append(copied.Variables, personas.Variable{
			Key: strings.Clone(v.Key), Value: strings.Clone(v.Value), Description: strings.Clone(v.Description),
		})
	}
	return copied
}

// Project runs the checks that compare files. Findings are in the order of the files, each in the
// last file concerned. Each check has at most MaxFindings findings.
func Project(files []ProjectFile) []personas.Diagnostic {
	byFile := make([][]personas.Diagnostic, len(files))
	for i := range Checks {
		c := &Checks[i]
		if c.between == nil {
			continue
		}
		count := 0
		c.between(files, func(file int, path, format string, args ...any) {
			if count++; count > MaxFindings+1 {
				return
			}
			if count == MaxFindings+1 {
				format, args = MoreFindings, nil
			}
			byFile[file] = append(byFile[file], c.newDiagnostic(path, format, args))
		})
	}
	var all []personas.Diagnostic
	for i := range files {
		for _, f := range sortFindings(byFile[i]) {
			f.File = files[i].Name
			all = append(all, f)
		}
	}
	return all
}

var duplicatePersonaName = Check{
	Name: "duplicate-persona-name", Severity: Warning, Project: true, between: findSameNames,
	Summary: "Two persona files have the same name.",
	Why: "Lists show the name twice, and commands such as `parley chat NAME` must ask which one is meant. " +
		"Usually one file is a copy. Rename one.",
	Good: "name: The smith", Bad: "name: The guard",
}

func findSameNames(files []ProjectFile, tell fileReporter) {
	first := map[string]int{}
	for i, f := range files {
		name := foldName(f.Persona.Name)
		before, twice := first[name]
		switch {
		case name == "":
		case twice:
			tell(i, "name", "the persona in %s is called %q too; give each its own name", files[before].Name, f.Persona.Name)
		default:
			first[name] = i
		}
	}
}

var variableDiffers = Check{
	Name: "variable-differs", Severity: Info, Project: true, between: findDiffering,
	Summary: "A variable has another meaning or value in another file.",
	Why: "Both files work, but a line that is copied to the other file gets another meaning. Use the same " +
		"value and description, or different names. If each persona needs its own value, describe the " +
		"variable differently in each file.",
	Good: "  - key: mood\n    value: tired\n", Bad: "  - key: mood\n    value: cheerful\n",
}

func findDiffering(files []ProjectFile, tell fileReporter) {
	type place struct{ file, index int }
	first := map[string]place{}
	for i, f := range files {
		for j, v := range f.Persona.Variables {
			earlier, twice := first[v.Key]
			if !twice {
				first[v.Key] = place{i, j}
				continue
			}
			before := &files[earlier.file].Persona.Variables[earlier.index]
			if difference := describeDifference(before, &f.Persona.Variables[j]); difference != "" && earlier.file != i {
				tell(i, fmt.Sprintf("variables[%d].key", j), "%q has another %s here than in %s; use the same in both, or "+
					"rename one of the variables",
					v.Key, difference, files[earlier.file].Name)
			}
		}
	}
}

func describeDifference(a, b *personas.Variable) string {
	described := normalizeText(a.Description) != "" && normalizeText(b.Description) != ""
	switch {
	case described && normalizeText(a.Description) != normalizeText(b.Description):
		return "description"
	case a.Value != b.Value && described == (normalizeText(a.Description)+normalizeText(b.Description) != ""):
		return "value"
	}
	return ""
}

var variableMisspelled = Check{
	Name: "variable-misspelled", Severity: Info, Project: true, between: findMisspelled,
	Summary: "Two variables in different files differ by one letter.",
	Why: "Each file is correct, but a text that is copied to the other file has an unknown variable. Use " +
		"the same name, or names that differ more.",
	Good: "    value: tired\n", Bad: "    value: tired\n  - key: pasword\n    value: swordfish\n",
}

const maxCompared = 1000

func findMisspelled(files []ProjectFile, tell fileReporter) {
	type place struct {
		key  string
		file int
	}
	var candidates []place
	seen := map[string]bool{}
	for i, f := range files {
		for j, v := range f.Persona.Variables {
			if seen[v.Key] || len(v.Key) > 64 || utf8.RuneCountInString(v.Key) < 5 || len(candidates) == maxCompared {
				continue
			}
			seen[v.Key] = true
			if k := slices.IndexFunc(candidates, func(p place) bool { return p.file != i && isOneSlip(p.key, v.Key) }); k >= 0 {
				tell(i, fmt.Sprintf("variables[%d].key", j), "%q is nearly %q in %s; if they are the same, use one name",
					v.Key, candidates[k].key, files[candidates[k].file].Name)
			}
			candidates = append(candidates, place{v.Key, i})
		}
	}
}

func isOneSlip(a, b string) bool {
	letters := func(s string) string {
		return strings.TrimSuffix(strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s), "s")
	}
	if max(len(a), len(b))-min(len(a), len(b)) > utf8.UTFMax || letters(a) == letters(b) {
		return false
	}
	return plaintext.EditDistance(a, b) == 1
}
