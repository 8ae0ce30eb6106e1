// Package config is what Parley is told by its surroundings: settings from
// flags, environment, project file and user file, each with its origin, the
// folders where things are kept, and the client's memory of chat sessions. It
// never opens a connection and never prints.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"
)

// Key names a setting, in a file as it stands here and in the environment as
// PARLEY_ with upper case and underscores.
type Key string

// The settings.
const (
	Server       Key = "server"
	PlayerName   Key = "player_name"
	PlayerGender Key = "player_gender"
	Timeout      Key = "timeout"
	LLMModel     Key = "llm_model"
	ChatTheme    Key = "chat_theme"
	Issuer       Key = "issuer"
	ClientID     Key = "client_id"
)

// keys are all the settings with their defaults.
var keys = map[Key]string{
	Server:       "http://127.0.0.1:8787",
	PlayerName:   "",
	PlayerGender: "",
	Timeout:      "",
	LLMModel:     "",
	ChatTheme:    "auto",
	Issuer:       "",
	ClientID:     "",
}

// ProjectFile is the name of a project's settings file; it is looked for in
// the working folder and every folder above it.
const ProjectFile = ".parley.yaml"

// Setting is the value of a setting and where it came from.
type Setting struct {
	Value  string
	Origin string
}

// Settings are all the settings after precedence: flag, environment, project
// file, user file, default.
type Settings struct {
	values map[Key]Setting
	lint   []LintIgnore
}

// Get gives a setting.
func (s *Settings) Get(k Key) Setting { return s.values[k] }

// Sources is where settings are read from. Flags hold only the flags that were
// given. Lookup is os.LookupEnv, or a test's.
type Sources struct {
	Flags  map[Key]string
	Lookup func(string) (string, bool)
	Folder string
	Dirs   Dirs
}

// Load reads the settings. A file that cannot be read, does not parse, or has a
// member that is no setting is an error that names the file.
func Load(from Sources) (*Settings, error) {
	s := &Settings{values: make(map[Key]Setting, len(keys))}
	for k, v := range keys {
		s.values[k] = Setting{Value: v, Origin: "default"}
	}
	files := []string{}
	if dir, err := from.Dirs.Config(); err == nil {
		files = append(files, filepath.Join(dir, "config.yaml"))
	}
	if project := Project(from.Folder); project != "" {
		files = append(files, project)
	}
	for _, file := range files {
		if err := s.readFile(file); err != nil {
			return nil, err
		}
	}
	s.readEnvironment(from.Lookup)
	for k, v := range from.Flags {
		s.values[k] = Setting{Value: v, Origin: "flag"}
	}
	return s, nil
}

func (s *Settings) readEnvironment(lookup func(string) (string, bool)) {
	for k := range keys {
		name := "PARLEY_" + strings.ToUpper(string(k))
		if v, ok := lookup(name); ok && v != "" {
			s.values[k] = Setting{Value: v, Origin: name}
		}
	}
}

func (s *Settings) readFile(file string) error {
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	v.SetConfigFile(file)
	v.SetConfigType("yaml")
	err := v.ReadInConfig()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings file %s: %w", file, err)
	}
	for _, name := range slices.Sorted(slices.Values(v.AllKeys())) {
		if name == lintIgnore && filepath.Base(file) == ProjectFile {
			if err := s.readIgnores(file, v.Get(name)); err != nil {
				return err
			}
			continue
		}
		if _, ok := keys[Key(name)]; !ok {
			return fmt.Errorf("settings file %s: unknown setting %q (there are: %s)", file, strings.ReplaceAll(name, "::", "."), known())
		}
		s.values[Key(name)] = Setting{Value: v.GetString(name), Origin: file}
	}
	return nil
}

func known() string {
	names := append(make([]string, 0, len(keys)+1), "lint.ignore")
	for k := range keys {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Top is the top of the project in which a folder stands: the nearest folder
// above it with a .git or, without one, with a project file, else itself.
func Top(folder string) string {
	for _, mark := range []string{".git", ProjectFile} {
		for at := folder; at != ""; at = above(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at
			}
		}
	}
	return folder
}

// Project is the project file that counts in a folder, "" when there is none.
func Project(folder string) string { return findUp(folder, ProjectFile) }

// above is the folder above one, "" for the topmost.
func above(folder string) string {
	if parent := filepath.Dir(folder); parent != folder {
		return parent
	}
	return ""
}

// findUp looks for a file in a folder and in every folder above it.
func findUp(folder, name string) string {
	for ; folder != ""; folder = above(folder) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}
