package settings_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

func TestLintIgnores(t *testing.T) {
	top := t.TempDir()
	home := t.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	from := settings.Sources{Lookup: env, Folder: filepath.Join(top, "a", "b"), Dirs: settings.Dirs{OS: "linux", Lookup: env}}
	writeFile(t, filepath.Join(top, "a", "b", "x"), "")
	file := filepath.Join(top, settings.ProjectFile)
	tests := []struct{ text, fault string }{
		{"server: http://a\nlint:\n  ignore:\n    - {check: a, files: [x/**], reason: r}\n    - check: b\n", ""},
		{"lint: {ignore: []}\n", ""},
		{"lint: {ignore: a}\n", "is not a list"},
		{"lint: {ignore: [a]}\n", "is not a list"},
		{"lint: {ignore: [{check: a, file: b}]}\n", `unknown field "file"`},
		{"lint: {ignore: [{check: a, files: b}]}\n", "is not a list"},
		{"lint: {ignore: [{files: [b]}]}\n", "lint.ignore[0]: the name of the check is missing"},
		{"lint: {ignore: [{check: a}, {check: a, files: ['[']}]}\n", "lint.ignore[1]"},
		{"lint: {ignored: []}\n", `unknown setting "lint.ignored"`},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%q", test.text), func(t *testing.T) {
			writeFile(t, file, test.text)
			s, err := settings.Load(from)
			if test.fault != "" {
				assert.True(t, err != nil && strings.Contains(err.Error(), test.fault) && strings.Contains(err.Error(), file),
					"%q: %v", test.text, err)
				return
			}
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
				return
			}
			all := s.LintIgnores()
			if i == 0 && (len(all) != 2 || all[0].Check != "a" || all[0].Files[0] != "x/**" || all[0].Reason != "r" || all[0].Folder != top || all[1].Origin != file) {
				t.Errorf("read %+v", all)
			}
		})
	}
	writeFile(t, file, "")
	writeFile(t, filepath.Join(home, "config.yaml"), tests[0].text)
	_, err := settings.Load(from)
	assert.ErrorContains(t, err, "lint.ignore", "lint.ignore in the user's file")
}

// TestLintSeverities: members of lint.severity have a place, and come only from a project's file.
func TestLintSeverities(t *testing.T) {
	top, home := t.TempDir(), t.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	from := settings.Sources{Lookup: env, Folder: top, Dirs: settings.Dirs{OS: "linux", Lookup: env}}
	file := filepath.Join(top, settings.ProjectFile)
	writeFile(t, file, "lint:\n  severity:\n    todo-left: error\n    dead-end: off\n    stuck-loop: \"off\"\n")
	s, err := settings.Load(from)
	assert.NoError(t, err)
	want := []settings.LintSeverity{{"todo-left", "error", file + ":3"}, {"dead-end", "off", file + ":4"}, {"stuck-loop", "off", file + ":5"}}
	assert.EqualSlices(t, s.LintSeverities(), want)
	for text, fault := range map[string]string{
		"lint: {severity: {todo-left: grave}}\n": ":1: lint.severity.todo-left must be error, warning, info or off",
		"lint: {severity: {todo-left: 2}}\n":     "must be error, warning, info or off",
		"lint: {severity: [todo-left]}\n":        "expected settings",
		"lint: {severities: {}}\n":               "did you mean lint.severity?",
	} {
		writeFile(t, file, text)
		_, err := settings.Load(from)
		assert.ErrorContains(t, err, fault, "%q", text)
	}
	writeFile(t, file, "")
	writeFile(t, filepath.Join(home, "config.yaml"), "lint: {severity: {todo-left: off}}\n")
	_, err = settings.Load(from)
	assert.ErrorContains(t, err, "lint.severity belongs in a project's", "lint.severity in the user's file")
}

// TestTop: the repository's top wins over the project file, which wins over the folder itself.
func TestTop(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "a", "b", "c")
	writeFile(t, filepath.Join(folder, "x"), "")
	assert.Equal(t, settings.FindProjectTop(folder), folder, "alone")
	writeFile(t, filepath.Join(top, "a", "b", settings.ProjectFile), "")
	assert.Equal(t, settings.FindProjectTop(folder), filepath.Join(top, "a", "b"), "with a project file")
	writeFile(t, filepath.Join(top, "a", ".git", "HEAD"), "")
	assert.Equal(t, settings.FindProjectTop(folder), filepath.Join(top, "a"), "with a repository")
}
