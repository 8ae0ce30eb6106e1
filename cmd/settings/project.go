package settings

import (
	"os"
	"path/filepath"
)

// ProjectFile is the name of a project's settings file. It is searched for in the working directory
// and every directory above it.
const ProjectFile = ".parley.yaml"

// FindProjectTop returns the top of the project that contains a directory: the nearest directory
// above with a .git or, without one, with a project file, else the directory itself.
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

// FindProjectFile returns the project file that applies to a directory, or "".
func FindProjectFile(folder string) string { return findUp(folder, ProjectFile) }

// parentFolder returns the folder above one, "" for the topmost.
func parentFolder(folder string) string {
	if parent := filepath.Dir(folder); parent != folder {
		return parent
	}
	return ""
}

// findUp looks for a file in a directory and in every directory above it.
func findUp(folder, name string) string {
	for ; folder != ""; folder = parentFolder(folder) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}
