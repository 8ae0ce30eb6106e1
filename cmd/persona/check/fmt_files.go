package check

import (
	"context"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
)

// readPersonas reads the persona files of a command line by the rule of lint: a file that
// is named counts, in a folder only a file that is a persona.
func readPersonas(ctx context.Context, streams *cli.Streams, paths []string, check personafiles.CheckFunc) ([]personafiles.ReadResult, error) {
	found, err := personafiles.FindFiles(paths, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	files, err := personafiles.ReadAll(ctx, streams, found, check)
	if err == nil && len(files) == 0 {
		err = personafiles.NoPersonaError(paths)
	}
	return files, err
}
