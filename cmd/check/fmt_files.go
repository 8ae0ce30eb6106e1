package check

import (
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
)

// findPersonas gives the paths of the persona files of a command line by the rule of
// lint: a file that is named counts, in a folder only a file that is a persona.
func findPersonas(streams *cli.Streams, paths []string) ([]string, error) {
	found, err := personafiles.FindFiles(paths, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range found {
		if f.Named || holdsPersona(streams, f.Path) {
			files = append(files, f.Path)
		}
	}
	if len(files) == 0 {
		return nil, personafiles.NoPersonaError(paths)
	}
	return files, nil
}

// holdsPersona tells whether a file in a folder is a persona. One that cannot be
// read counts as one, so that reading it again says what is wrong.
func holdsPersona(streams *cli.Streams, path string) bool {
	name, source, err := personafiles.ReadSource(streams, path)
	if err != nil {
		return true
	}
	if !personafiles.MentionsPersona(source) {
		return false
	}
	_, places, _ := personas.Parse(name, source)
	f := personafiles.File{Name: name, Source: source, Places: places}
	return f.IsPersona()
}
