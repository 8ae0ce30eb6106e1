package personafiles

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
)

// FindFiles returns the files of a command line in its order, without duplicates. It takes the
// wanted files of directories, and all named files and those of globs. A malformed glob is a usage
// error.
func FindFiles(paths []string, wanted func(string) bool) ([]Found, error) {
	list := foundList{at: map[string]int{}}
	for _, given := range paths {
		matches, below := []string{given}, ""
		if isGlobAlone(given) {
			var err error
			if matches, err = ExpandGlob(given); err != nil {
				return nil, err
			}
			below = GlobBase(given)
		}
		for _, match := range matches {
			walkPath(match, below, wanted, list.addFile)
		}
	}
	return list.all, nil
}

// PlainPath returns a path that a GitHub runner does not take for a command at the start of a line
// (cli.BreakCommands). It names the same file, unless ##[ is in it.
func PlainPath(file string) string {
	if strings.HasPrefix(strings.TrimSpace(file), "::") {
		file = "." + string(filepath.Separator) + file
	}
	return cli.BreakCommands(file)
}

// walkPath adds a file, or the wanted files of a directory. It also adds what it cannot look at, so
// that reading it reports the error. below is the directory that a glob began to search, ""
// without one.
func walkPath(given, below string, wanted func(string) bool, add func(Found)) {
	if info, err := os.Stat(given); err != nil || !info.IsDir() {
		add(Found{given, true, below})
		return
	}
	walkFolder(given, func(file string, err error) {
		if err != nil || wanted(file) {
			add(Found{file, err != nil, cmp.Or(below, given)})
		}
	})
}

// IsPassedOver reports whether a file is in a skipped directory: a hidden one or node_modules.
// inside is its relative path with forward slashes.
func IsPassedOver(inside string) bool {
	folders := strings.Split(path.Dir(inside), "/")
	return slices.ContainsFunc(folders, func(name string) bool {
		return name != "." && strings.HasPrefix(name, ".") || name == "node_modules"
	})
}

// walkFolder visits the files in and below a directory in the order of their names, and unreadable
// directories with the error. It skips hidden directories and node_modules.
func walkFolder(folder string, visit func(file string, err error)) {
	// Every error goes to visit, so that none comes back.
	_ = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			visit(file, err)
			return nil
		case !d.IsDir():
			visit(file, nil)
		case file != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		return nil
	})
}

// isGlobAlone reports whether a word is a glob and no file's name. Windows has an error of its
// own for a name with * in it, so that any will do.
func isGlobAlone(word string) bool {
	if !IsGlob(word) {
		return false
	}
	_, err := os.Lstat(word)
	return err != nil
}

// IsGlob reports whether a word has characters of globs.
func IsGlob(word string) bool { return strings.ContainsAny(word, "*?[") }

// ExpandGlob returns the files of a glob that no shell has expanded; ** matches any number of
// directories. A glob that matches nothing is returned itself, as the name of a missing file. A
// malformed glob is a usage error.
func ExpandGlob(glob string) ([]string, error) {
	slashed := filepath.ToSlash(glob)
	if err := checkGlob(slashed); err != nil {
		return nil, cli.UsageError("%s: %w", glob, err)
	}
	matches, err := filepath.Glob(glob)
	if strings.Contains(slashed, "**") {
		matches = nil
		walkFolder(GlobBase(glob), func(file string, err error) {
			if err == nil && MatchGlob(path.Clean(slashed), filepath.ToSlash(file)) {
				matches = append(matches, file)
			}
		})
	}
	if len(matches) == 0 {
		matches = []string{glob}
	}
	return matches, err
}

// GlobBase returns the directory where a glob begins to look.
func GlobBase(glob string) string {
	slashed := filepath.ToSlash(glob)
	return filepath.FromSlash(path.Dir(slashed[:strings.IndexAny(slashed, "*?[")] + "x"))
}

func checkGlob(glob string) error {
	_, err := path.Match(glob, "")
	return err
}

// MatchGlob reports whether a glob matches a whole path, both with forward slashes. ** matches any
// number of directories.
func MatchGlob(glob, file string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(file, "/"))
}

func matchParts(globs, parts []string) bool {
	switch {
	case len(globs) == 0:
		return len(parts) == 0
	case globs[0] == "**":
		return matchParts(globs[1:], parts) || len(parts) > 0 && matchParts(globs, parts[1:])
	case len(parts) == 0:
		return false
	}
	ok, err := path.Match(globs[0], parts[0])
	return err == nil && ok && matchParts(globs[1:], parts[1:])
}

// IsFile reports whether an argument means a persona file and not a persona's name: by its
// ending, or because there is such a file.
func IsFile(what string) bool {
	switch strings.ToLower(filepath.Ext(what)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	_, err := os.Stat(what)
	return err == nil || strings.HasPrefix(what, ".") || filepath.IsAbs(what)
}

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
