// Package settings reads and changes Parley's settings. Each setting has its origin. The package
// also finds Parley's directories, and stores sessions and secrets. The package never opens a
// connection and never prints.
//
// Viper holds the values, but cannot record origins. The package therefore merges the sources in
// their order of precedence.
package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/parley-npc/parley/personas"
)

// A Source is the kind of origin of a setting, such as a flag.
type Source string

// FromDefault and the other sources are sorted from lowest to highest precedence.
const (
	FromDefault     Source = "default"
	FromUser        Source = "user"
	FromProfile     Source = "profile"
	FromProject     Source = "project"
	FromEnvironment Source = "environment"
	FromFlag        Source = "flag"
)

// A Setting is a value with its source. Origin describes the source to users.
type Setting struct {
	Value  string
	Origin string
	Source Source
}

// Settings holds the effective settings. The sources are the flags, the environment, the project's
// file, the user's file and the defaults.
type Settings struct {
	values     *viper.Viper
	origins    map[Key]Setting
	profiles   []Profile
	server     string
	lint       []LintIgnore
	severities []LintSeverity
}

// Get returns a setting.
func (s *Settings) Get(k Key) Setting {
	setting := s.origins[k]
	setting.Value = s.values.GetString(string(k))
	return setting
}

// ChatKeys returns the player's own keys for the chat, by action.
func (s *Settings) ChatKeys() map[string]Setting {
	table := map[string]Setting{}
	for k := range s.origins {
		if action := k.ChatAction(); action != "" {
			table[action] = s.Get(k)
		}
	}
	return table
}

// IsNamedByUser reports whether the user's file or the built-in profile contains an address.
func (s *Settings) IsNamedByUser(address string) bool {
	same := func(own string) bool { return strings.TrimRight(own, "/") == strings.TrimRight(address, "/") }
	return same(s.server) || slices.ContainsFunc(s.Profiles(), func(p Profile) bool {
		return same(p.Values[Server].Value)
	})
}

// Sources specifies the sources of settings. Lookup is os.LookupEnv or equivalent.
type Sources struct {
	Flags  map[Key]string
	Lookup func(string) (string, bool)
	Folder string
	Dirs   Dirs
	// AnyProfile accepts a missing profile, for commands without a server.
	AnyProfile bool
}

const userFile = "config.yaml"

// UserFile returns the path of the user's settings file, or ErrNoHome.
func (d Dirs) UserFile() (string, error) {
	dir, err := d.Config()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, userFile), nil
}

// Load reads the settings. An error in a file contains the file's name and the line.
func Load(from Sources) (*Settings, error) {
	user, project := &settingsFile{}, &settingsFile{}
	var err error
	if path, missing := from.Dirs.UserFile(); missing == nil {
		if user, err = readFile(path, false); err != nil {
			return nil, err
		}
	}
	if path := FindProjectFile(from.Folder); path != "" {
		if project, err = readFile(path, true); err != nil {
			return nil, err
		}
	}
	s := &Settings{values: viper.NewWithOptions(viper.KeyDelimiter("::")), origins: map[Key]Setting{}}
	s.profiles, s.server = user.profiles, user.values[Server].Value
	s.lint, s.severities = project.ignores, project.severities
	return s, s.mergeSources(from, user.values, project.values)
}

func (s *Settings) mergeSources(from Sources, user, project map[Key]Setting) error {
	layers := []map[Key]Setting{defaultValues(), user, project, from.environmentValues(), from.flagValues()}
	var chosen Setting
	place := 0
	for i, layer := range layers {
		if setting, ok := layer[ProfileName]; ok {
			chosen, place = setting, i
		}
	}
	profile, err := s.chosenProfile(chosen)
	if err != nil && !from.AnyProfile {
		return err
	}
	if chosen.Source == FromUser {
		place++ // after the rest of the user's file
	}
	for _, layer := range slices.Insert(layers, place, profile) {
		if err := s.addLayer(layer); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) addLayer(values map[Key]Setting) error {
	merged := make(map[string]any, len(values))
	for k, v := range values {
		switch v.Source {
		case FromDefault:
			s.values.SetDefault(string(k), v.Value)
		case FromFlag:
			s.values.Set(string(k), v.Value)
		default:
			merged[string(k)] = v.Value
		}
		s.origins[k] = Setting{Origin: v.Origin, Source: v.Source}
	}
	return s.values.MergeConfigMap(merged)
}

func defaultValues() map[Key]Setting {
	values := make(map[Key]Setting, len(definitions))
	for _, d := range definitions {
		values[d.Key] = Setting{Value: d.Default, Origin: "default", Source: FromDefault}
	}
	return values
}

func (from Sources) environmentValues() map[Key]Setting {
	values := map[Key]Setting{}
	for _, d := range definitions {
		name := d.Key.Variable()
		if v, ok := from.Lookup(name); ok && v != "" {
			values[d.Key] = Setting{Value: v, Origin: name, Source: FromEnvironment}
		}
	}
	return values
}

func (from Sources) flagValues() map[Key]Setting {
	values := make(map[Key]Setting, len(from.Flags))
	for k, v := range from.Flags {
		values[k] = Setting{Value: v, Origin: "flag --" + strings.ReplaceAll(string(k), "_", "-"), Source: FromFlag}
	}
	return values
}

func suggestName(name string, names []string) string {
	if near := personas.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "there are: " + strings.Join(names, ", ")
}
