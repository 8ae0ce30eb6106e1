package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

func TestPut(t *testing.T) {
	tests := []struct{ before, path, value, after string }{
		{"", "server", "http://a", "server: http://a\n"},
		{"# mine\n", "server", "http://a", "# mine\nserver: http://a\n"},
		{"# mine", "player_name", "yes: no", "# mine\nplayer_name: \"yes: no\"\n"},
		{"", "player_name", "12", "player_name: \"12\"\n"},
		{"", "profiles work server", "http://a", "profiles:\n  work:\n    server: http://a\n"},
		{"server: b # why\n", "server", "http://a", "server: http://a # why\n"},
		{"server: 'b'\ntimeout: 3s\n", "server", "http://a", "server: 'http://a'\ntimeout: 3s\n"},
		{"player_name: 12\n", "player_name", "13", "player_name: \"13\"\n"},
		{"server:\n", "server", "http://a", "server: http://a\n"},
		{"server: b\n\n# end\n", "timeout", "3s", "server: b\ntimeout: 3s\n\n# end\n"},
		{"server: b", "timeout", "3s", "server: b\ntimeout: 3s\n"},
		{"server: b\r\n", "timeout", "3s", "server: b\r\ntimeout: 3s\r\n"},
		{"profiles:\n    work:\n        server: b # s\n# end\nserver: x\n", "profiles work issuer", "http://i",
			"profiles:\n    work:\n        server: b # s\n        issuer: http://i\n# end\nserver: x\n"},
		{"profiles:\n  work:\n    server: b\nserver: x\n", "profiles home server", "http://i",
			"profiles:\n  work:\n    server: b\n  home:\n    server: http://i\nserver: x\n"},
		{"profiles:\nserver: x\n", "profiles home server", "http://i", "profiles: {home: {server: \"http://i\"}}\nserver: x\n"},
		{"profiles: {work: {server: b}} # p\n", "profiles work issuer", "http://i", "profiles: {work: {server: b, issuer: \"http://i\"}} # p\n"},
		{"{}\n", "server", "http://a", "{\"server\": \"http://a\"}\n"},
		{"{\"server\": \"b\"}", "profiles work server", "http://a", "{\"server\": \"b\", \"profiles\": {\"work\":{\"server\":\"http://a\"}}}"},
		{"{\"server\": \"b\"}", "timeout", "3s", "{\"server\": \"b\", \"timeout\": \"3s\"}"},
		{"\ufeffserver: b\n", "timeout", "3s", "\ufeffserver: b\ntimeout: 3s\n"},
		{"profiles:\n  a.b:\n    server: b\n", "profiles a.b issuer", "http://i", "profiles:\n  a.b:\n    server: b\n    issuer: http://i\n"},
		{"profiles:\n  w:\n    server: |\n      b\ntimeout: 3s\n", "profiles w issuer", "c", "profiles:\n  w:\n    server: |\n      b\n    issuer: c\ntimeout: 3s\n"},
		{"server: &s b\nissuer: *s\n", "issuer", "http://i", "server: &s b\nissuer: http://i\n"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s in %q", test.path, test.before), func(t *testing.T) {
			got, err := settings.Put([]byte(test.before), test.value, strings.Fields(test.path)...)
			assert.NoError(t, err, "%q with %s: %s", test.before, test.path, test.value)
			assert.Equal(t, string(got), test.after, "%q with %s: %s", test.before, test.path, test.value)
		})
	}
	for _, text := range []string{"- a\n", "server: [\n", "profiles: x\n", "a\n"} {
		got, err := settings.Put([]byte(text), "b", "profiles", "work", "server")
		assert.True(t, err != nil, "%q became %q", text, got)
	}
}

func TestRemove(t *testing.T) {
	tests := []struct{ before, path, after string }{
		{"", "server", ""},
		{"# a\nserver: b\n# c\n", "server", "# a\n# c\n"},
		{"# a\nserver: b # s\ntimeout: 3s\n", "server", "# a\ntimeout: 3s\n"},
		{"server: b\n", "timeout", "server: b\n"},
		{"profiles:\n  work:\n    server: b\n# end\n", "profiles work server", "# end\n"},
		{"# a\nserver: |\n  b\n# c\n", "server", "# a\n# c\n"},
		{"profiles:\n  work:\n    server: b\nserver: x\n", "profiles work server", "server: x\n"},
		{"player_name: R\nprofiles:\n  work:\n    server: b\n", "profiles work", "player_name: R\n"},
		{"{\"server\": \"b\", \"timeout\": \"3s\"}", "timeout", "{\"server\": \"b\"}"},
		{"profiles:\n  work:\n    server: b\n  home:\n    server: c\n", "profiles work", "profiles:\n  home:\n    server: c\n"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s of %q", test.path, test.before), func(t *testing.T) {
			got := assert.Value(settings.Remove([]byte(test.before), strings.Fields(test.path)...))(t, "%q without %s", test.before, test.path)
			assert.Equal(t, string(got), test.after, "%q without %s", test.before, test.path)
		})
	}
}

// Twenty edits at once, through separate calls as of processes, all count.
func TestEditsAtOnce(t *testing.T) {
	path, marks := filepath.Join(t.TempDir(), "new", "config.yaml"), t.TempDir()
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			err := settings.Edit(path, marks, func(src []byte) ([]byte, error) {
				return settings.Put(src, "http://a", "profiles", fmt.Sprint("p", i), "server")
			})
			assert.True(t, err == nil, err)
		})
	}
	group.Wait()
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "server"); err != nil || n != 20 {
		t.Errorf("%d of 20 profiles are there: %v\n%s", n, err, text)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestEditKeepsLinks: a link to a settings file stays a link, and a project's file keeps its mode.
func TestEditKeepsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on Windows")
	}
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "parley-settings"), filepath.Join(dir, settings.ProjectFile)
	writeFile(t, target, "server: http://a\n")
	assert.NoError(t, os.Chmod(target, 0o640))
	assert.NoError(t, os.Symlink(target, link))
	err := settings.Edit(link, t.TempDir(), func(src []byte) ([]byte, error) { return settings.Put(src, "http://b", "server") })
	assert.NoError(t, err)
	text, _ := os.ReadFile(target)
	info, _ := os.Lstat(link)
	if string(text) != "server: http://b\n" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%q, %v", text, info.Mode())
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
}

// FuzzPut: any text keeps its members and gets the setting, and removing that again does not fail.
func FuzzPut(f *testing.F) {
	for _, text := range []string{"", "server: b # c\n", "{}", "profiles: {work: {server: b}}\n", "profiles:\n  work:\n    server: >-\n      b\n",
		"# a\r\nserver: b\r\n", "---\nserver: b\n...\n"} {
		f.Add(text, "http://a", "work")
	}
	f.Fuzz(func(t *testing.T, text, value, name string) {
		if settings.CheckProfileName(name) != nil || strings.ContainsFunc(value, unicode.IsControl) {
			t.Skip()
		}
		for _, path := range [][]string{{"player_name"}, {"profiles", name, "server"}} {
			got, err := settings.Put([]byte(text), value, path...)
			if err != nil {
				continue
			}
			again := assert.Value(settings.Put(got, value, path...))(t, "%q with %v: %q", text, path, value)
			assert.Equal(t, string(again), string(got), "%q with %v: %q", text, path, value)
			lostComment := strings.Count(string(got), "#") < strings.Count(text, "#")
			if lostComment && !strings.ContainsAny(text, "|>'\"") {
				t.Errorf("%q lost a comment: %q", text, got)
			}
		}
	})
}
