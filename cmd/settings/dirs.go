package settings

import (
	"errors"
	"os"
	"path/filepath"
)

// Dirs finds Parley's directories. The variables PARLEY_*_DIR take precedence over the defaults of
// XDG, macOS and Windows.
type Dirs struct {
	OS     string
	Lookup func(string) (string, bool)
}

// ErrNoHome means that the home directory is unknown.
var ErrNoHome = errors.New("no home folder is known: " +
	"set HOME, or PARLEY_CONFIG_DIR, PARLEY_DATA_DIR and PARLEY_STATE_DIR")

// Config returns the directory of the user's settings.
func (d Dirs) Config() (string, error) {
	return d.findFolder("PARLEY_CONFIG_DIR", "XDG_CONFIG_HOME", "APPDATA", ".config")
}

// Data returns the directory of the local server's database.
func (d Dirs) Data() (string, error) {
	return d.findFolder("PARLEY_DATA_DIR", "XDG_DATA_HOME", "LOCALAPPDATA", filepath.Join(".local", "share"))
}

// State returns the directory of remembered sessions, sign-ins and locks.
func (d Dirs) State() (string, error) {
	return d.findFolder("PARLEY_STATE_DIR", "XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
}

func (d Dirs) findFolder(own, xdg, windows, below string) (string, error) {
	if v := d.envValue(own); v != "" {
		return v, nil
	}
	if d.OS == "windows" {
		return d.joinUnder(d.envValue(windows), "Parley")
	}
	if v := d.envValue(xdg); filepath.IsAbs(v) {
		return filepath.Join(v, "parley"), nil
	}
	if d.OS == "darwin" {
		below = filepath.Join("Library", "Application Support")
	}
	return d.joinUnder(d.envValue("HOME"), below, "parley")
}

func (d Dirs) joinUnder(base string, parts ...string) (string, error) {
	if base == "" {
		return "", ErrNoHome
	}
	return filepath.Join(append([]string{base}, parts...)...), nil
}

func (d Dirs) envValue(name string) string {
	v, _ := d.Lookup(name)
	return v
}

// ProjectFile is the name of the settings file in the top directory of a project.
const ProjectFile = ".parley.yaml"

// FindProjectTop returns the nearest directory with .git or else a project file, or else folder.
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

func parentFolder(folder string) string {
	if parent := filepath.Dir(folder); parent != folder {
		return parent
	}
	return ""
}
