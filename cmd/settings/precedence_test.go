package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

// places are the sources of a setting, from lowest to highest precedence. A profile ranks right
// below the place that chose it; in the user's file, right above it.
var places = []string{
	"default", "user", "profile by user", "profile by project", "project",
	"profile by environment", "environment", "profile by flag", "flag",
}

// TestPrecedenceOfAll sets server and profile in every combination of places: the last of the list wins.
func TestPrecedenceOfAll(t *testing.T) {
	setters, choosers := []string{"user", "project", "environment", "flag"}, []string{"user", "project", "environment", "flag"}
	tried := 0
	for set := range 1 << len(setters) {
		for chosen := range 1 << len(choosers) {
			given := []string{"default"}
			has := func(mask int, i int) bool { return mask>>i&1 == 1 }
			by := ""
			for i, who := range choosers {
				if has(chosen, i) {
					by = who // the last one chooses
				}
			}
			if by != "" {
				given = append(given, "profile by "+by)
			}
			for i, who := range setters {
				if has(set, i) {
					given = append(given, who)
				}
			}
			want := slices.MaxFunc(given, func(a, b string) int { return slices.Index(places, a) - slices.Index(places, b) })
			s := assert.Value(settings.Load(newSources(t, given, func(who string) bool { return has(chosen, slices.Index(choosers, who)) })))(t)
			got := s.Get(settings.Server)
			assert.Equal(t, got.Value, describePlace(want), "given %v: %+v, want that of %s", given, got, want)
			tried++
		}
	}
	assert.Equal(t, tried, 256, "combinations")
}

// describePlace returns the server that a place names.
func describePlace(place string) string {
	if place == "default" {
		return settings.DefaultServer
	}
	return "http://" + strings.ReplaceAll(place, " ", "-")
}

// newSources returns sources in which the given places name a server, and some of them choose the profile.
func newSources(t *testing.T, given []string, chooses func(string) bool) settings.Sources {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	env := map[string]string{"PARLEY_CONFIG_DIR": home}
	from := settings.Sources{Lookup: newLookup(env), Folder: project, Dirs: settings.Dirs{OS: "linux", Lookup: newLookup(env)}, Flags: map[settings.Key]string{}}
	texts := map[string]string{"user": "profiles:\n"}
	for _, who := range []string{"user", "project", "environment", "flag"} {
		texts["user"] += fmt.Sprintf("  by-%s: {server: %s}\n", who, describePlace("profile by "+who))
	}
	put := func(who string, key settings.Key, value string) {
		switch who {
		case "environment":
			env[key.Variable()] = value
		case "flag":
			from.Flags[key] = value
		default:
			texts[who] += fmt.Sprintf("%s: %s\n", key, value)
		}
	}
	for _, who := range []string{"user", "project", "environment", "flag"} {
		if slices.Contains(given, who) {
			put(who, settings.Server, describePlace(who))
		}
		if chooses(who) {
			put(who, settings.ProfileName, "by-"+who)
		}
	}
	writeFile(t, filepath.Join(home, "config.yaml"), texts["user"])
	writeFile(t, filepath.Join(project, settings.ProjectFile), texts["project"])
	return from
}

// The profile local, chosen by name, is the local server; by default it yields to the rest of the user's file.
func TestLocalProfile(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"PARLEY_CONFIG_DIR": home}
	from := settings.Sources{Lookup: newLookup(env), Dirs: settings.Dirs{OS: "linux", Lookup: newLookup(env)}}
	writeFile(t, filepath.Join(home, "config.yaml"), "server: http://mine\n")
	for profile, want := range map[string]string{"": "http://mine", "local": settings.DefaultServer} {
		t.Run(fmt.Sprintf("%q", profile), func(t *testing.T) {
			env["PARLEY_PROFILE"] = profile
			assert.Equal(t, assert.Value(settings.Load(from))(t).Get(settings.Server).Value, want, "%q", profile)
		})
	}
	env["PARLEY_PROFILE"] = "nosuch"
	_, err := settings.Load(from)
	assert.ErrorContains(t, err, `unknown profile "nosuch"`)
	from.AnyProfile = true
	assert.Equal(t, assert.Value(settings.Load(from))(t).Get(settings.Server).Value, "http://mine")
}

// A settings file may have as many bytes as the limit says, and no more.
func TestFileLimit(t *testing.T) {
	home := t.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	from := settings.Sources{Lookup: env, Dirs: settings.Dirs{OS: "linux", Lookup: env}}
	text := "server: http://a\n#"
	for _, over := range []int{0, 1} {
		writeFile(t, filepath.Join(home, "config.yaml"), text+strings.Repeat("x", settings.MaxFile-len(text)+over))
		s, err := settings.Load(from)
		if over == 0 && (err != nil || s.Get(settings.Server).Value != "http://a") || over == 1 && err == nil {
			t.Errorf("%d bytes over: %v", over, err)
		}
	}
}

// TestProfileNames: names at the limit, past it, and ambiguous ones.
func TestProfileNames(t *testing.T) {
	long := strings.Repeat("a", 64)
	for name, good := range map[string]bool{"a": true, "a.b-c_1": true, long: true, long + "a": false, "": false, "A": false, "-a": false, "a b": false,
		"local": false, "ä": false, "a\n": false} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			err := settings.CheckProfileName(name)
			assert.Equal(t, err == nil, good, "%q: %v", name, err)
		})
	}
}

// Values at the limit of each setting and past it.
func TestValues(t *testing.T) {
	tests := map[settings.Key][2][]string{
		settings.Server:      {{"http://a", "https://a.example.com:8443/p"}, {"", "a", "ftp://a", "http://", "http://a?b", "http://a#b", "http://u:p@a"}},
		settings.ProfileName: {{"a", "local"}, {"A", ""}},
		settings.ClientID:    {{"parley"}, {"", "a b", "a\n"}},
		settings.Audience:    {{"parley", "https://npc.example.com", "none"}, {"", "a b"}},
		settings.Resource: {
			{"https://npc.example.com/api", "urn:example:npc", "api://parley", "none"},
			{"", "parley", "npc.example.com", "https://a#b", "https://a/#", "https://u:p@a", "urn:", "https://", "https://a b"},
		},
		settings.PlayerName:    {{"Robin", strings.Repeat("猫", 80)}, {"", " ", "a\x1b", strings.Repeat("猫", 81)}},
		settings.PlayerGender:  {{"female", "male", "non-binary"}, {"", "Female"}},
		settings.Timeout:       {{"1ns", "30s", "2m"}, {"", "0s", "-1s", "30"}},
		settings.LLMModel:      {{"ollama/llama3.2", "together/a/b"}, {"", "offline", "a/", "/a", "a b/c"}},
		settings.LLMEvalMethod: {{"auto", "letter", "decisions", "json"}, {"", "Letter", "logprobs"}},
		settings.LLMTimeout:    {{"1s", "90s", "10m"}, {"", "0s", "-1s", "90"}},
		settings.ChatTheme:     {{"auto", "none"}, {"", "pink"}},
		settings.ChatPanel:     {{"on", "off"}, {"", "yes"}},
		settings.ChatMouse:     {{"on", "off"}, {"", "yes", "On"}},
		settings.ChatPreset:    {{"usual", "vim"}, {"", "emacs"}},
		settings.Issuer:        {{"https://id"}, {"id"}},
	}
	for _, d := range settings.Definitions() {
		values, ok := tests[d.Key]
		assert.True(t, ok, "%s has no test", d.Key)
		for i, list := range values {
			for _, v := range list {
				err := d.Check(v)
				assert.Equal(t, err == nil, i == 0, "%s %q: %v", d.Key, v, err)
			}
		}
		assert.True(t, d.Default == "" || d.Check(d.Default) == nil, "%s: its default is refused", d.Key)
	}
}

// FuzzSettings: any settings give no panic, complaints name file and line, and no secret is taken or repeated.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		"server: http://a\nprofiles: {p: {server: x, timeout: 3s}}\nprofile: p\n", "{\"server\": 1}", "- a", "lint: {ignore: [{check: a}]}", "token: abc",
		"server: https://a:swordfish@b\n", "a: &a [*a]\n", "? {a: b}\n: c\n",
		"# ghp_0123456789abcdefghij0123456789abcdef\n", "server: null\nSERVER: a\n", "\ufeffserver: b\r\n",
	} {
		f.Add(text)
	}
	home, project := f.TempDir(), f.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{filepath.Join(home, "config.yaml"), filepath.Join(project, settings.ProjectFile)} {
			writeFile(t, path, text)
			s, err := settings.Load(settings.Sources{Lookup: env, Folder: project, Dirs: settings.Dirs{OS: "linux", Lookup: env}, AnyProfile: true})
			assert.True(t, err == nil || strings.Contains(err.Error(), path+":"), "%q: %v", text, err)
			assert.True(t, err == nil || !strings.Contains(err.Error(), "swordfish"),
				"%q: a password is repeated: %v", text, err)
			for _, d := range settings.Definitions() {
				assert.True(t, err != nil || settings.CheckSecret(s.Get(d.Key).Value) == nil, "%q: a secret is taken", text)
			}
			assert.NoError(t, os.Remove(path))
		}
	})
}
