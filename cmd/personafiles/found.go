package personafiles

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
)

// Found is a file of a command line. Named means that the file itself was given, by name or by a
// glob, and not only a directory above it. Below is the directory that a walk or a glob began at,
// or "" if the command line names the file.
type Found struct {
	Path  string
	Named bool
	Below string
}

// foundList gathers files, none twice.
type foundList struct {
	all []Found
	at  map[string]int // by their whole paths
}

// addFile adds a file unless it is already there. A file that is both found in a directory and
// named on the command line counts as named.
func (l *foundList) addFile(f Found) {
	whole, err := filepath.Abs(f.Path)
	if err != nil || f.Path == "-" {
		whole = f.Path
	}
	i, there := l.at[whole]
	switch {
	case !there:
		l.at[whole] = len(l.all)
		f.Path = filepath.Clean(f.Path)
		l.all = append(l.all, f)
	case f.Below == "":
		l.all[i].Below = ""
	}
}

// RefuseLink returns why a found file must not be written: it is a link, or is behind one. A link
// in a checked-out repository could lead to any file of the user. Files that the command line names
// are written.
func (f Found) RefuseLink() error {
	if f.Below == "" {
		return nil
	}
	inside, err := filepath.Rel(f.Below, f.Path)
	if err != nil {
		return cli.AnswerNo("%s: whether it is a link is not known: %w; name the file itself", f.Path, err)
	}
	at := f.Below
	for part := range strings.SplitSeq(inside, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if err := RefuseLinkAt(at); err != nil {
			return err
		}
	}
	return nil
}

// RefuseLinkAt returns an error if path is a link, because nothing is written through it.
func RefuseLinkAt(path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return nil //nolint:nilerr // it is no link
	}
	return cli.AnswerNo("%s is a link to %s: nothing was written there; name the file itself", path, target)
}
