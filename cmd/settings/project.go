package settings

import (
	"os"
	"path/filepath"
)

// ProjectFile is the name of a project's settings file. Parley searches for it in the working
// directory and in all directories above.
const ProjectFile = ".parley.yaml"

// FindProjectTop returns the top directory of the project that contains folder. It is the nearest
// directory at or above folder with a .git or, if there is none, with a project file, or else
// folder itself.
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
func FindProjectFile(folder string) string { return findUp(folder, ProjectFile) }

// parentFolder returns "" for the topmost directory.
func parentFolder(folder string) string {
	if parent := filepath.Dir(folder); parent != folder {
		return parent
	}
	return ""
}

func findUp(folder, name string) string {
	for ; folder != ""; folder = parentFolder(folder) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}
