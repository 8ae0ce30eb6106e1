package check

import (
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
)

// findPersonas walks folders and globs for persona files, by the rule of lint:
// what is named is taken, of a folder what is a persona.
func findPersonas(a *cli.Streams, paths []string) ([]string, error) {
	found, err := personafiles.FindFiles(paths, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range found {
		if f.Named || holdsPersona(a, f.Path) {
			files = append(files, f.Path)
		}
	}
	if len(files) == 0 {
		return nil, cli.UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(paths, ", "), personafiles.PromptMember)
	}
	return files, nil
}

// holdsPersona tells whether a file in a folder is a persona. One that cannot be
// read is taken for one: reading it will say what is wrong.
func holdsPersona(a *cli.Streams, path string) bool {
	name, source, err := personafiles.ReadSource(a, path)
	if err != nil {
		return true
	}
	if !personafiles.MentionsPersona(source) {
		return false
	}
	_, places, _ := personas.Parse(name, source)
	f := lintedFile{File: &personafiles.File{Name: name, Source: source, Places: places}}
	return f.IsPersona()
}
