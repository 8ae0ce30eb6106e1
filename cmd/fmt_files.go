package cmd

import (
	"strings"

	"github.com/parley-npc/parley/personas"
)

// findPersonas walks folders and globs for persona files, by the rule of lint:
// what is named is taken, of a folder what is a persona.
func findPersonas(a *Streams, paths []string) ([]string, error) {
	found, err := findFiles(paths, mayBePersona)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range found {
		if f.named || holdsPersona(a, f.path) {
			files = append(files, f.path)
		}
	}
	if len(files) == 0 {
		return nil, UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(paths, ", "), promptMember)
	}
	return files, nil
}

// holdsPersona tells whether a file in a folder is a persona. One that cannot be
// read is taken for one: reading it will say what is wrong.
func holdsPersona(a *Streams, path string) bool {
	name, source, err := readSource(a, path)
	if err != nil {
		return true
	}
	if !mentionsPersona(source) {
		return false
	}
	_, places, _ := personas.Parse(name, source)
	f := lintedFile{File: &File{name: name, source: source, places: places}}
	return f.isPersona()
}
