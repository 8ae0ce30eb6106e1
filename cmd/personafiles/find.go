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

// FindFiles returns the files that paths select, in order and without duplicates. wanted filters
// the files of directories. A malformed glob is a usage error.
func FindFiles(paths []string, wanted func(string) bool) ([]Found, error) {
	var all []Found
	indexByPath := map[string]int{}
	add := func(f Found) {
		whole, err := filepath.Abs(f.Path)
		if err != nil || f.Path == "-" {
			whole = f.Path
		}
		switch i, there := indexByPath[whole]; {
		case !there:
			indexByPath[whole] = len(all)
			f.Path = filepath.Clean(f.Path)
			all = append(all, f)
		case f.Below == "":
			all[i].Below = ""
		}
	}
	for _, given := range paths {
		matches, below := []string{given}, ""
		if isGlobNotFile(given) {
			var err error
			if matches, err = ExpandGlob(given); err != nil {
				return nil, err
			}
			below = GlobBase(given)
		}
		for _, match := range matches {
			walkPath(match, below, wanted, add)
		}
	}
	return all, nil
}

// PlainPath returns a path that a GitHub runner does not execute as a command. The new path names
// the same file unless the path contains "##[".
func PlainPath(file string) string {
	if strings.HasPrefix(strings.TrimSpace(file), "::") {
		file = "." + string(filepath.Separator) + file
	}
	return cli.BreakCommands(file)
}

// walkPath also adds an unreadable path, because the later read reports the error.
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

func isInSkippedFolder(inside string) bool {
	folders := strings.Split(path.Dir(inside), "/")
	return slices.ContainsFunc(folders, func(name string) bool {
		return name != "." && strings.HasPrefix(name, ".") || name == "node_modules"
	})
}

func walkFolder(folder string, visit func(file string, err error)) {
	// visit receives every error, so WalkDir returns none.
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

// isGlobNotFile treats any error as a missing file, because Windows returns a special error for *.
func isGlobNotFile(word string) bool {
	if !IsGlob(word) {
		return false
	}
	_, err := os.Lstat(word)
	return err != nil
}

// IsGlob reports whether a word contains *, ? or [.
func IsGlob(word string) bool { return strings.ContainsAny(word, "*?[") }

// ExpandGlob returns the files that match a glob, or the glob itself without a match. ** matches
// any number of directories. A malformed glob is a usage error.
func ExpandGlob(glob string) ([]string, error) {
	slashed := filepath.ToSlash(glob)
	if _, err := path.Match(slashed, ""); err != nil {
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

// GlobBase returns the directory where the search for a glob starts.
func GlobBase(glob string) string {
	slashed := filepath.ToSlash(glob)
	return filepath.FromSlash(path.Dir(slashed[:strings.IndexAny(slashed, "*?[")] + "x"))
}

// MatchGlob reports whether a glob matches a path. Both have forward slashes.
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

// IsFile reports whether an argument is the path of a file rather than a persona's name.
func IsFile(argument string) bool {
	_, err := os.Stat(argument)
	return err == nil || hasEnding(argument) || strings.HasPrefix(argument, ".") || filepath.IsAbs(argument)
}

// A Found is a file that a command line selects. Named is false for a file found in a directory.
// Below is the searched directory, the base of a glob, or "".
type Found struct {
	Path  string
	Named bool
	Below string
}

// RefuseLink returns an error if the path from Below to the file contains a symbolic link. Links in
// a cloned repository could lead to any file of the user.
func (f Found) RefuseLink() error {
	if f.Below == "" {
		return nil
	}
	inside, err := filepath.Rel(f.Below, f.Path)
	if err != nil {
		return cli.AnswerNo(
			"%s: cannot find out whether this file is a link: %w; use the path of the file itself", f.Path, err)
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

// RefuseLinkAt returns an error if path is a symbolic link.
func RefuseLinkAt(path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return nil //nolint:nilerr // it is no link
	}
	return cli.AnswerNo("%s is a link to %s: nothing was written; use the path of the file itself", path, target)
}
