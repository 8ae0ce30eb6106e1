package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

func loadText(t testing.TB, text string) (*settings.Settings, string, error) {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "config.yaml")
	assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	s, err := settings.Load(settings.Sources{Lookup: env, Dirs: settings.Dirs{OS: "linux", Lookup: env}})
	return s, path, err
}

// TestChatSettings: the members of chat are settings with their lines, in YAML's words too.
func TestChatSettings(t *testing.T) {
	t.Parallel()
	s, path, err := loadText(t, "chat:\n  mouse: off\n  keys:\n    preset: vim\n    search: ctrl+f, f7\n    copy: null\n")
	assert.NoError(t, err)
	mouse := s.Get(settings.ChatMouse)
	assert.Equal(t, mouse.Value, "off")
	assert.Equal(t, mouse.Origin, path+":2")
	keys := s.ChatKeys()
	assert.Equal(t, len(keys), 1, "keys")
	assert.Equal(t, keys["search"].Value, "ctrl+f, f7")
	assert.Equal(t, keys["search"].Origin, path+":5")
	assert.Equal(t, s.Get(settings.ChatPreset).Value, "vim")
	if s, _, err := loadText(t, "{\"chat\": {\"mouse\": true}}"); err != nil || s.Get(settings.ChatMouse).Value != "on" {
		t.Errorf("true is not on: %v", err)
	}
}

// TestRefusedChatSettings: an error names its line and the correct value.
func TestRefusedChatSettings(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"chat: vim\n":                          ":1: expected settings",
		"chat:\n  keys: vim\n":                 ":2: expected settings",
		"chat:\n  mice: off\n":                 `:2: unknown setting "chat.mice" (did you mean chat.mouse?)`,
		"chat.mouse: \"off\"\n":                ":1: write chat.mouse with nested members: chat: {mouse: …}",
		"chat.keys.search: f7\n":               ":1: write chat.keys.search with nested members: chat: {keys: {search: …}}",
		"chat:\n  keys:\n    search: [f7]\n":   ":3: chat.keys.search must be a text",
		"chat:\n  mouse: 1\n":                  ":2: chat.mouse must be a text",
		"profiles:\n  a:\n    chat.mouse: x\n": `unknown setting "chat.mouse" in profile a`,
	} {
		_, path, err := loadText(t, text)
		assert.ErrorContains(t, err, says, "%q", text)
		assert.ErrorContains(t, err, path, "%q", text)
	}
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, settings.ProjectFile), "chat:\n  keys:\n    leave: none\n")
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": t.TempDir()})
	_, err := settings.Load(settings.Sources{Lookup: env, Folder: folder, Dirs: settings.Dirs{OS: "linux", Lookup: env}})
	assert.ErrorContains(t, err, "chat belongs in the user's file", "a project takes keys")
}

// TestThemeFiles: valid themes are read; for others every mistake is reported with its line.
func TestThemeFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "themes")
	assert.NoError(t, os.Mkdir(folder, 0o700))
	for name, text := range map[string]string{
		"dusk.yaml": "base: light\nbackground: \"#EEE8D5\"\ncharacter: 215\nfaint: \"#586e75\"\n", "dawn.json": `{"text": "7"}`,
		"dark.yaml": "text: 1\n", "Big Name.yaml": "text: 1\n", "dusk.yml": "text: 1\n", "huge.yaml": "#" + strings.Repeat("x", 20<<10), "empty.yaml": "",
		"wrong.yaml": "base: dim\nfant: 1\ntext: red\nrule: 256\ncode: \"#12345\"\ngood: -1\nbad: [1]\nwarn: 1.5\ngröße: 1\n", "notes.txt": "text: 1\n",
	} {
		writeFile(t, filepath.Join(folder, name), text)
	}
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	dirs := settings.Dirs{OS: "linux", Lookup: env}
	read := map[string]settings.ThemeFile{}
	for _, theme := range settings.ReadThemes(dirs, []string{"dark"}) {
		read[filepath.Base(theme.Path)] = theme
	}
	dusk := read["dusk.yaml"]
	got := fmt.Sprint(dusk.Name, dusk.Light, dusk.Background, dusk.Colours, dusk.Err)
	assert.Equal(t, got, "dusk"+"true#eee8d5"+"map[character:215 faint:#586e75]"+" <nil>", "dusk")
	assert.NoError(t, read["dawn.json"].Err)
	assert.Equal(t, read["dawn.json"].Colours["text"], "7", "dawn is %+v", read["dawn.json"])
	for name, says := range map[string][]string{
		"dark.yaml": {"dark is the name of a built-in theme"}, "Big Name.yaml": {"lower-case letters"},
		"dusk.yml": {"a theme with this name"}, "huge.yaml": {"larger than 16 KiB"},
		"empty.yaml": {":1: the document is empty"},
		"wrong.yaml": {":1: base must be dark or light", `:2: unknown colour "fant" (did you mean faint?)`,
			`:3: text: a colour must be "#rrggbb"`, ":4: rule:", ":5: code:", ":6: good:", ":7: bad:", ":8: warn:",
			":9: unknown colour"},
	} {
		for _, part := range says {
			assert.ErrorContains(t, read[name].Err, part, name)
			assert.ErrorContains(t, read[name].Err, name)
		}
	}
	_, ok := read["notes.txt"]
	assert.True(t, !ok, "notes.txt is read")
	assert.Equal(t, len(read), 8, "themes")
	for name, good := range map[string]bool{"auto": true, "dusk": true, "wrong": false, "mauve": false} {
		err := settings.CheckTheme(dirs, name)
		assert.Equal(t, err == nil, good, "%s: %v", name, err)
	}
}

// FuzzTheme: any theme file yields valid colours, and an error names the file and a line.
func FuzzTheme(f *testing.F) {
	for _, text := range []string{"text: \"#cdd6f4\"\nbase: light\n", `{"faint": 240}`, "text: &a 1\nrule: *a\n", "- 1", "text: 0x10",
		"a: {b: c}", "\ufefftext: 1\r\n", "text: \"\\\"1\"", "text: null"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		theme, err := settings.ParseTheme("themes/a.yaml", []byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\ntheme ") {
				assert.True(t, strings.Contains("theme "+line, "theme themes/a.yaml:") || strings.HasPrefix(line, "themes/a.yaml:"),
					"%q: %v", text, err)
			}
			return
		}
		for name, colour := range theme.Colours {
			assert.True(t, colour != "" && len(colour) <= 7, "%q: %s is %q", text, name, colour)
			assert.Equal(t, strings.Trim(colour, "#0123456789abcdef"), "", "%q: %s", text, name)
		}
	})
}
