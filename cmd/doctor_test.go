package cmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
)

func examineAt(t *testing.T, now time.Time, token string, answer http.HandlerFunc) []doctorResult {
	t.Helper()
	s := httptest.NewServer(answer)
	defer s.Close()
	env := map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_TOKEN": token, "PARLEY_DATA_DIR": t.TempDir()}
	a := &service.Access{Environment: &service.Environment{Streams: &cli.Streams{Out: &cli.CheckedWriter{Writer: &bytes.Buffer{}}, Err: &bytes.Buffer{},
		Now: func() time.Time { return now }, Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}}, NewID: service.NewID}
	o := &doctorOptions{Access: a}
	return o.examineServer(context.Background())
}

// TestDoctorOnServers: server, clock and token problems differ, and only a Parley server gets the token.
func TestDoctorOnServers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	jwt := func(expiry string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":`+expiry+`}`)) + ".c2ln"
	}
	answers := func(date time.Time, list string, me int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
			switch r.URL.Path {
			case "/api/v1/personas":
				_, _ = w.Write([]byte(list))
			case "/api/v1/auth/me":
				w.WriteHeader(me)
				_, _ = w.Write([]byte(`{"email":"mara@example.com"}`))
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		}
	}
	const later = "1767326645" // an hour after now
	for name, x := range map[string]struct {
		token  string
		answer http.HandlerFunc
		want   []string
	}{
		"all is well": {jwt(later), answers(now, "[]", 200), []string{"ok server", "ok clock: agrees",
			"ok sign-in: mara@example.com, with a token kept in PARLEY_TOKEN, ends: in 60 minutes"}},
		"nobody":         {"", answers(now, "[]", 200), []string{"ok server", "ok clock", "warning sign-in: nobody"}},
		"clock ahead":    {"", answers(now.Add(-time.Minute), "[]", 200), []string{"warning clock: differs from the server's clock by 1m0s"}},
		"clock behind":   {"", answers(now.Add(time.Hour), "[]", 200), []string{"failed clock: differs from the server's clock by -1h0m0s"}},
		"a little":       {"", answers(now.Add(5*time.Second), "[]", 200), []string{"ok clock: differs"}},
		"refused":        {jwt(later), answers(now, "[]", 401), []string{"failed sign-in: the server refuses the token kept in PARLEY_TOKEN"}},
		"me fails":       {jwt(later), answers(now, "[]", 500), []string{"warning sign-in: the server did not return the user"}},
		"soon over":      {jwt("1767323105"), answers(now, "[]", 200), []string{"warning sign-in: mara@example.com"}},
		"no JWT":         {"opaque", answers(now, "[]", 200), []string{"ok sign-in: mara@example.com"}},
		"something else": {jwt(later), answers(now, "{}", 200), []string{"failed server"}},
	} {
		called := false
		got := examineAt(t, now, x.token, func(w http.ResponseWriter, r *http.Request) {
			called = called || r.Header.Get("Authorization") != ""
			x.answer(w, r)
		})
		for _, want := range x.want {
			assert.True(t, slices.ContainsFunc(got, func(e doctorResult) bool { return strings.HasPrefix(told(e), want) }),
				"%s: %q is not among %q", name, want, got)
		}
		for _, e := range got {
			if (e.Remedy == "") != (e.Verdict == verdictOK) || x.token != "" && strings.Contains(told(e)+e.Remedy, x.token) {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if name == "something else" && (called || len(got) > 1) {
			t.Errorf("%s gets the token, or is asked more: %v", name, got)
		}
	}
}

// told returns a result with its message, for tests.
func told(e doctorResult) string { return e.Verdict + " " + e.Check + ": " + e.Message }

func widen(t *testing.T, home string) (files []string) {
	t.Helper()
	for _, file := range []string{
		".config/parley/config.yaml", ".local/state/parley/tokens.json", ".local/state/parley/signins.json", ".local/state/parley/sessions.json",
		".local/share/parley/signin.json", ".local/share/parley/dev-key.json", ".local/share/parley/dev-signins.json", ".local/share/parley/parley.db",
	} {
		path := filepath.Join(home, filepath.FromSlash(file))
		assert.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NoError(t, os.WriteFile(path, nil, 0o644))
		for at, mode := range map[string]os.FileMode{path: 0o644, filepath.Dir(path): 0o755} {
			assert.NoError(t, os.Chmod(at, mode))
		}
		files = append(files, path)
	}
	return files
}

// TestRightsAreToldAndMended: files that others can read are reported once, by name, and fixed.
func TestRightsAreToldAndMended(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of a home are named here as Linux has them")
	}
	for _, command := range [][]string{{"auth", "status"}, {"doctor"}} {
		t.Run(command[0], func(t *testing.T) {
			home := t.TempDir()
			files := widen(t, home)
			env := map[string]string{"HOME": home, "PARLEY_CONFIG_DIR": "", "PARLEY_DATA_DIR": "", "PARLEY_STATE_DIR": ""}
			look := func() string {
				a, out, talk := cmdtest.NewAccess(t, env)
				cmdtest.Run(t.Context(), a, command, newAuthCmd(a), newDoctorCmd(a))
				return out.String() + talk.String()
			}
			said := look()
			for _, file := range files {
				for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
					assert.True(t, assert.Value(os.Stat(path))(t).Mode().Perm() == mode, path)
					assert.Contains(t, said, "had access to "+path+" (", "nothing is said of %s", path)
				}
			}
			assert.NotContains(t, look(), "had access to")
		})
	}
}

// TestSharedFolderKeepsItsRights: directories of variables and targets of links keep their rights.
func TestSharedFolderKeepsItsRights(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "settings.yaml")
	assert.NoError(t, os.Chmod(folder, 0o777))
	assert.NoError(t, os.WriteFile(elsewhere, nil, 0o644))
	assert.NoError(t, os.Symlink(elsewhere, filepath.Join(folder, "config.yaml")))
	a, _, talk := cmdtest.NewAccess(t, map[string]string{"PARLEY_CONFIG_DIR": folder})
	cmdtest.Run(t.Context(), a, []string{"auth", "status"}, newAuthCmd(a))
	assert.True(t, assert.Value(os.Stat(folder))(t).Mode().Perm() == 0o777, "the folder")
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o644 || strings.Contains(talk.String(), "had access to") {
		t.Errorf("the file behind the link is %v, %v: %s", info.Mode(), err, talk)
	}
}

// TestServerNarrowsItsFiles: the start of a server takes others' rights away, and says so.
func TestServerNarrowsItsFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	dir := t.TempDir()
	_, err := identity.OpenDev(dir, nil)
	assert.NoError(t, err)
	key := filepath.Join(dir, "dev-key.json")
	assert.NoError(t, os.Chmod(key, 0o644))
	a, _, talk := cmdtest.NewAccess(t, nil)
	server := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: dir, Log: a.NewLogger()}))(t)
	defer func() { _ = server.Close() }()
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(talk.String(), "dev-key.json") {
		t.Errorf("%v, %v: %s", info.Mode(), err, talk)
	}
}
