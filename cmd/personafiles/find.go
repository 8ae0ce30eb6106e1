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

// FindFiles returns the files in paths, in order and without duplicates. For a directory it returns
// the files in it that are wanted. A malformed glob is a usage error.
func FindFiles(paths []string, wanted func(string) bool) ([]Found, error) {
	var all []Found
	at := map[string]int{} // by absolute path
	add := func(f Found) {
		whole, err := filepath.Abs(f.Path)
		if err != nil || f.Path == "-" {
			whole = f.Path
		}
		switch i, there := at[whole]; {
		case !there:
			at[whole] = len(all)
			f.Path = filepath.Clean(f.Path)
			all = append(all, f)
		case f.Below == "": // A file that is given by name and in a directory counts as named.
			all[i].Below = ""
		}
	}
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
			walkPath(match, below, wanted, add)
		}
	}
	return all, nil
}

// PlainPath changes a path so that a GitHub runner does not execute it as a command at the start of
// a line. The new path names the same file, unless the path contains ##[.
func PlainPath(file string) string {
	if strings.HasPrefix(strings.TrimSpace(file), "::") {
		file = "." + string(filepath.Separator) + file
	}
	return cli.BreakCommands(file)
}

// walkPath adds a file, or the wanted files of a directory. It adds an unreadable path too, so that
// reading the path later reports the error.
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

func isPassedOver(inside string) bool {
	folders := strings.Split(path.Dir(inside), "/")
	return slices.ContainsFunc(folders, func(name string) bool {
		return name != "." && strings.HasPrefix(name, ".") || name == "node_modules"
	})
}

// walkFolder visits files in the order of their names, and unreadable directories with an error. It
// skips hidden directories and node_modules.
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

// isGlobAlone reports whether a word is a glob and not an existing file. On Windows, Lstat returns
// a special error for names with *, so any error means a missing file.
func isGlobAlone(word string) bool {
	if !IsGlob(word) {
		return false
	}
	_, err := os.Lstat(word)
	return err != nil
}

// IsGlob reports whether a word contains glob characters.
func IsGlob(word string) bool { return strings.ContainsAny(word, "*?[") }

// ExpandGlob returns the files that match a glob, or the glob itself if there are none. ** matches
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

// MatchGlob reports whether glob matches a path, both with forward slashes. ** matches any number
// of directories.
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

// IsFile reports whether an argument is a persona file and not a persona's name. A file exists, is
// YAML or JSON, or has a path that is absolute or starts with a dot.
func IsFile(what string) bool {
	_, err := os.Stat(what)
	return hasEnding(what) || err == nil || strings.HasPrefix(what, ".") || filepath.IsAbs(what)
}

// A Found is a file that a command line selects. Named is false if the command line names only the
// file's directory. Below is that directory, or the start of a glob, or "".
type Found struct {
	Path  string
	Named bool
	Below string
}

// RefuseLink checks a file that was found in a directory. It returns an error if the file, or a
// directory above it, is a symbolic link. A link in a cloned repository could point to any of the
// user's files.
func (f Found) RefuseLink() error {
	if f.Below == "" {
		return nil
	}
	inside, err := filepath.Rel(f.Below, f.Path)
	if err != nil {
		return cli.AnswerNo("%s: cannot find out whether this file is a link: %w; use the path of the file itself", f.Path, err)
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
