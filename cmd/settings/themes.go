package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

// A ThemeFile is one of the player's own themes.
type ThemeFile struct {
	Name, Path string
	Light      bool // Missing colours come from the built-in light theme.
	Background string
	Colours    map[string]string // "#rrggbb" or "0" to "255", by ThemeColours
	Err        error
}

// ThemeColours returns the names of the colours in a theme file.
func ThemeColours() []string {
	return []string{"text", "faint", "rule", "character", "player", "good", "bad", "warn", "code"}
}

const (
	maxThemes    = 100
	maxThemeFile = 16 << 10 // bytes
)

var themeName = plaintext.Pattern(`^[a-z0-9][a-z0-9-]{0,39}$`)

// ThemeFolder returns the directory of the player's themes, or ErrNoHome.
func (d Dirs) ThemeFolder() (string, error) {
	dir, err := d.Config()
	return filepath.Join(dir, "themes"), err
}

// ReadThemes reads the player's themes, sorted by file name. An unusable theme has Err.
func ReadThemes(d Dirs, builtIn []string) []ThemeFile {
	folder, err := d.ThemeFolder()
	if err != nil {
		return nil
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var list []ThemeFile
	for _, f := range files {
		ending := filepath.Ext(f.Name())
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, ending) || len(list) == maxThemes {
			continue
		}
		path := filepath.Join(folder, f.Name())
		t := readTheme(path)
		t.Name, t.Path = strings.TrimSuffix(f.Name(), ending), path
		switch {
		case slices.Contains(builtIn, t.Name):
			t.Err = fmt.Errorf("theme %s: %s is the name of a built-in theme: rename the file", path, t.Name)
		case !themeName().MatchString(t.Name):
			t.Err = fmt.Errorf("theme %s: invalid name: use 1 to 40 lower-case letters, digits and hyphens", path)
		case slices.ContainsFunc(list, func(other ThemeFile) bool { return other.Name == t.Name }):
			t.Err = fmt.Errorf("theme %s: another file in the folder defines a theme with this name", path)
		}
		list = append(list, t)
	}
	return list
}

func readTheme(path string) ThemeFile {
	src, err := atomicfile.ReadUpTo(path, maxThemeFile)
	if err == nil && len(src) > maxThemeFile {
		err = fmt.Errorf("theme %s is larger than %d KiB, the maximum", path, maxThemeFile>>10)
	} else if err != nil {
		err = fmt.Errorf("theme %w", err)
	}
	if err != nil {
		return ThemeFile{Err: err}
	}
	t, err := ParseTheme(path, src)
	t.Err = err
	return t
}

// ParseTheme parses a theme file. The error lists all mistakes with their lines.
func ParseTheme(path string, src []byte) (ThemeFile, error) {
	theme := ThemeFile{Colours: map[string]string{}}
	value, places, faults := personas.Values(path, src)
	var wrong []error
	for _, f := range faults {
		wrong = append(wrong, fmt.Errorf("theme %s:%d: %s", path, f.Line, f.Message))
	}
	var members map[string]json.RawMessage
	if len(wrong) == 0 && (json.Unmarshal(value, &members) != nil || len(members) == 0) {
		wrong = append(wrong, fmt.Errorf("theme %s:1: expected colours, such as character: \"#f5c2e7\"", path))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := theme.readMember(name, members[name]); err != nil {
			wrong = append(wrong, fmt.Errorf("theme %s:%d: %w", path, places.Key(personas.JoinPath("", name)).Line, err))
		}
	}
	return theme, errors.Join(wrong...)
}

func (t *ThemeFile) readMember(name string, value json.RawMessage) error {
	text := strings.Trim(string(value), `"`)
	switch {
	case name == "base" && (text == "dark" || text == "light"):
		t.Light = text == "light"
	case name == "base":
		return errors.New("base must be dark or light: the built-in theme that supplies the colours not set here")
	case name != "background" && !slices.Contains(ThemeColours(), name):
		return fmt.Errorf("unknown colour %q (%s)", name, suggestName(name, append(ThemeColours(), "base", "background")))
	default:
		colour, err := parseColour(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == "background" {
			t.Background = colour
		} else {
			t.Colours[name] = colour
		}
	}
	return nil
}

func parseColour(text string) (string, error) {
	if regexp.MustCompile(`^#[0-9a-fA-F]{6}$`).MatchString(text) {
		return strings.ToLower(text), nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 255 && len(text) <= 3 {
		return strconv.Itoa(n), nil
	}
	return "", errors.New(`a colour must be "#rrggbb", in quotes, or the number of a terminal colour, 0 to 255`)
}

// CheckTheme returns an error unless the theme is built in or a valid file of the player.
func CheckTheme(d Dirs, name string) error {
	def, err := FindDefinition(string(ChatTheme))
	if err != nil {
		return err
	}
	if err = def.Check(name); err == nil {
		return nil
	}
	for _, t := range ReadThemes(d, nil) {
		if t.Name == name {
			return t.Err
		}
	}
	if folder, missing := d.ThemeFolder(); missing == nil {
		return fmt.Errorf("%w, or the name of a file in %s", err, folder)
	}
	return err
}
