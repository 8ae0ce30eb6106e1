package cmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// examineAt makes the doctor examine a server with the given answer, at the given time.
func examineAt(t *testing.T, now time.Time, token string, answer http.HandlerFunc) []doctorResult {
	t.Helper()
	s := httptest.NewServer(answer)
	defer s.Close()
	env := map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_TOKEN": token, "PARLEY_DATA_DIR": t.TempDir()}
	a := &service.Access{Environment: &service.Environment{Streams: &cli.Streams{Out: &cli.CheckedWriter{Writer: &bytes.Buffer{}}, Err: &bytes.Buffer{}, Now: func() time.Time { return now }, Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}}, NewID: service.NewID}
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
		"all is well":    {jwt(later), answers(now, "[]", 200), []string{"ok server", "ok clock: agrees", "ok sign-in: mara@example.com, by PARLEY_TOKEN, for 1 h 0 min"}},
		"nobody":         {"", answers(now, "[]", 200), []string{"ok server", "ok clock", "warning sign-in: nobody"}},
		"clock ahead":    {"", answers(now.Add(-time.Minute), "[]", 200), []string{"warning clock: is 1m0s ahead"}},
		"clock behind":   {"", answers(now.Add(time.Hour), "[]", 200), []string{"failed clock: is 1h0m0s behind"}},
		"a little":       {"", answers(now.Add(5*time.Second), "[]", 200), []string{"ok clock: is 5s behind"}},
		"expired":        {jwt("1767323000"), answers(now, "[]", 401), []string{"failed sign-in: the token of PARLEY_TOKEN expired at 2026-01-02 03:03 UTC"}},
		"refused":        {jwt(later), answers(now, "[]", 401), []string{"failed sign-in: the server refuses the token of PARLEY_TOKEN"}},
		"me fails":       {jwt(later), answers(now, "[]", 500), []string{"warning sign-in: there is a token of PARLEY_TOKEN, but"}},
		"soon over":      {jwt("1767323105"), answers(now, "[]", 200), []string{"warning sign-in: mara@example.com, by PARLEY_TOKEN, for 0 h 1 min"}},
		"no JWT":         {"opaque", answers(now, "[]", 200), []string{"ok sign-in: mara@example.com, by PARLEY_TOKEN"}},
		"something else": {jwt(later), answers(now, "{}", 200), []string{"failed server"}},
	} {
		called := false
		got := examineAt(t, now, x.token, func(w http.ResponseWriter, r *http.Request) {
			called = called || r.Header.Get("Authorization") != ""
			x.answer(w, r)
		})
		for _, want := range x.want {
			if !slices.ContainsFunc(got, func(e doctorResult) bool { return strings.HasPrefix(told(e), want) }) {
				t.Errorf("%s: %q is not among %q", name, want, got)
			}
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
