package service

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
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
		{name: "a profile that is chosen over it", project: server, user: "profiles: {p: {server: https://other.example.com}}",
			env: map[string]string{"PARLEY_PROFILE": "p"}},
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
			if !test.kept {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "PARLEY_TOKEN is not sent")
			assert.Equal(t, Explain(t.Context(), err).Code, cli.ExitUsage)
		})
	}
}

func TestThemesAgree(t *testing.T) {
	t.Parallel()
	d := assert.Value(settings.FindDefinition(string(settings.ChatTheme)))(t)
	for _, theme := range views.Themes() {
		assert.NoError(t, d.Check(string(theme)), theme)
		assert.Contains(t, d.Check("").Error(), string(theme))
	}
}

// TestNamesOfSessions: a session is found by id, label or the id's beginning, and ambiguous names list both.
func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	memory := settings.NewMemorySessions()
	for _, k := range []settings.Session{
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-1", Label: "Polite"},
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-2", Label: "01aaaa-1"},
		{PersonaID: "p2", PersonaName: "evil\x1b[31m", UserSessionID: "01aabb", Label: "rude"},
		{PersonaID: "p2", UserSessionID: "02cc", Label: "RUDE"},
		{PersonaID: "p2", UserSessionID: "mine"},
	} {
		assert.NoError(t, memory.Remember("", k))
	}
	s := &Service{Sessions: memory}
	for _, x := range []struct{ persona, named, want string }{
		{"", "01aaaa-1", "01aaaa-1"}, // an id before a label
		{"", "polite ", "01aaaa-1"},
		{"", "01aabb", "01aabb"},
		{"", "01AAB", "01aabb"},
		{"", "01aa", "3 sessions"},
		{"p1", "01aa", "2 sessions"},
		{"p2", "01aa", "01aabb"},
		{"", "rude", "2 sessions"},
		{"p1", "rude", ""},
		{"", "mine", "mine"},
		{"", "02c", ""}, // too short
		{"", "", ""},
	} {
		known, ok, err := recallNamed(s, x.persona, x.named)
		var f *cli.Failure
		switch {
		case errors.As(err, &f):
			assert.True(t, x.want != "", "%q of %q: %v", x.named, x.persona, err)
			assert.Contains(t, f.Error(), x.want, "%q of %q", x.named, x.persona)
			assert.Equal(t, f.Code, cli.ExitNo)
			assert.NotContains(t, f.Hint, "\x1b")
		case ok != (x.want != "") || known.UserSessionID != x.want:
			t.Errorf("%q of %q: %q, want %q", x.named, x.persona, known.UserSessionID, x.want)
		}
	}
}

// TestSameAddress: a second server on an address gets a hint.
func TestSameAddress(t *testing.T) {
	t.Parallel()
	first, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory})
	assert.NoError(t, err)
	defer func() { _ = first.Close() }()
	_, err = localserver.Start(t.Context(), localserver.Options{Listen: first.Addr(), Data: datafolder.Memory})
	assert.Must(t, err != nil, "two servers at %s", first.Addr())
	assert.Contains(t, formatStartHint(err), "--listen 127.0.0.1:0")
	_, err = localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, MetricsListen: first.Addr()})
	hint := formatStartHint(err)
	assert.True(t, strings.HasSuffix(hint, "--metrics-listen"), "metrics at the address of another server: %q of %v", hint, err)
}

// TestSaysOnce: a refusal with one detail equal to its message prints it once.
func TestSaysOnce(t *testing.T) {
	t.Parallel()
	details := []wire.Detail{{Path: "message", Message: "must not be empty"}, {Path: "name", Message: "is missing"}}
	e := &wire.Error{Message: "message: must not be empty", Details: details}
	assert.Equal(t, e.Error(), "message: must not be empty\n  name: is missing")
}
