package settings

import (
	"os"
	"path/filepath"
)

// ProjectFile is the name of a project's settings file, which Parley searches in the working
// directory and in all directories above.
const ProjectFile = ".parley.yaml"

// FindProjectTop returns the top directory of the project around folder: the nearest directory with
// a .git, else with a project file, else folder.
func FindProjectTop(folder string) string {
	for _, mark := range []string{".git", ProjectFile} {
		for at := folder; at != ""; at = parentFolder(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at
			}
		}
	}
	return folder
}

// FindProjectFile returns the path of the project file that applies to a directory, or "".
func FindProjectFile(folder string) string {
	for ; folder != ""; folder = parentFolder(folder) {
		path := filepath.Join(folder, ProjectFile)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// parentFolder returns "" for the topmost directory.
func parentFolder(folder string) string {
	if parent := filepath.Dir(folder); parent != folder {
		return parent
	}
	return ""
}
