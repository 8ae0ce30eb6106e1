package personafiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
)

// endings are the extensions of persona files and play files.
var endings = []string{".yaml", ".yml", ".json"}

func hasEnding(path string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path)))
}

// CheckReference refuses a path in a file, unless the path and the target of its links have a
// persona file's extension. Otherwise the author of a file could have reports show lines of any
// file that he cannot read himself.
func CheckReference(path string) error {
	if !hasEnding(path) {
		return fmt.Errorf("%s is not read: the name of a persona file ends in .yaml, .yml or .json", path)
	}
	return checkLink("persona file", path)
}

// checkLink refuses a link with a persona file's extension to a file without one, for the same
// reason. A broken link is left to the reader of the file.
func checkLink(kind, path string) error {
	if !hasEnding(path) || !leadsElsewhere(path) {
		return nil
	}
	return cli.WrapTrouble(fmt.Errorf("%s %s is not read: it is a link to a file whose name does not end in .yaml, .yml or .json", kind, path), "put the file itself there, or name the one that is meant")
}

// leadsElsewhere reports whether a path is a link to a file that is not called as persona files
// are.
func leadsElsewhere(path string) bool {
	whole, err := filepath.EvalSymlinks(path)
	return err == nil && !hasEnding(whole)
}
