package service

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/views"
)

// TestGuardToken: PARLEY_TOKEN is not sent if only a project's file has named the server.
func TestGuardToken(t *testing.T) {
	const server = "https://play.example.com"
	tests := []struct {
		name, user, project, flag string
		env                       map[string]string
		kept                      bool
	}{
		{name: "nobody names one"},
		{name: "the project", project: server, kept: true},
		{name: "the project, http", project: "http://192.0.2.1", kept: true},
		{name: "the project, a name like this machine's", project: "http://localhost.example.com", kept: true},
		{name: "the project, and no token", project: server, env: map[string]string{"PARLEY_TOKEN": " "}},
		{name: "the project, this machine", project: "http://localhost:1", kept: true},
		{name: "the project, this machine by its number", project: "http://127.0.0.1:1", kept: true},
		{name: "the project, this machine by IPv6", project: "http://[::1]:1", kept: true},
		{name: "the project, where parley localserver listens", project: settings.DefaultServer},
		{name: "the project and a profile, this machine", project: "http://localhost:1", user: "profiles: {p: {server: http://localhost:1}}"},
		{name: "both", project: server + "/", user: "server: " + server},
		{name: "a profile too", project: server, user: "profiles: {p: {server: " + server + "}}"},
		{name: "another profile", project: server, user: "profiles: {p: {server: https://other.example.com}}", kept: true},
		{name: "a profile that is chosen over it", project: server, user: "profiles: {p: {server: https://other.example.com}}", env: map[string]string{"PARLEY_PROFILE": "p"}},
		{name: "the environment", project: "https://evil.example.com", env: map[string]string{"PARLEY_SERVER": server}},
		{name: "a flag", project: "https://evil.example.com", flag: server},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home, folder := t.TempDir(), t.TempDir()
			t.Chdir(folder)
			put := func(path, text string) { assert.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
			put(filepath.Join(home, "config.yaml"), test.user+"\n")
			if test.project != "" {
				put(filepath.Join(folder, settings.ProjectFile), "server: '"+test.project+"'\n")
			}
			env := map[string]string{"PARLEY_CONFIG_DIR": home, "PARLEY_STATE_DIR": home, "PARLEY_DATA_DIR": home, "PARLEY_TOKEN": "of-mine"}
			for name, value := range test.env {
				env[name] = value
			}
			a := &Access{Environment: &Environment{Streams: &cli.Streams{Err: io.Discard}}}
			a.Server, a.Lookup = test.flag, func(name string) (string, bool) { v, ok := env[name]; return v, ok }
			_, err := a.Connect()
			if (err != nil) != test.kept || err != nil && (!strings.Contains(err.Error(), "PARLEY_TOKEN is not sent") || Explain(t.Context(), err).Code != cli.ExitUsage) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestThemesAgree: the setting takes the themes that the chat has.
func TestThemesAgree(t *testing.T) {
	t.Parallel()
	d := assert.Value(settings.FindDefinition(string(settings.ChatTheme)))(t)
	for _, theme := range views.Themes() {
		assert.NoError(t, d.Check(string(theme)), theme)
		assert.Contains(t, d.Check("").Error(), string(theme))
	}
}
