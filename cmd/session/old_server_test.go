package session_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/session"
	"github.com/parley-npc/parley/personas/wire"
)

// TestOldServerCannotBranch: a server without branches is named with what it cannot do, and the exit code is 1.
func TestOldServerCannotBranch(t *testing.T) {
	t.Parallel()
	const id = "01936f6e-0000-7000-8000-000000000001"
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == wire.Path(wire.PathHistory, id) {
			said := []wire.HistoryMessage{{Role: wire.RoleUser, Content: "hello"}}
			_ = json.NewEncoder(w).Encode(wire.History{PersonaID: id, Messages: said})
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"detail": "Not Found"}`))
	}))
	defer old.Close()
	for line, cannot := range map[string]string{
		"fork " + id + " --session s --at 0": "take messages back or branch a conversation",
		"undo " + id + " --session s":        "take messages back or branch a conversation",
		"branches " + id + " --session s":    "take messages back or branch a conversation",
	} {
		a, out, talk := cmdtest.NewAccess(t, map[string]string{"PARLEY_SERVER": old.URL, "PARLEY_STATE_DIR": t.TempDir()})
		code := cmdtest.Run(t.Context(), a, append([]string{"session"}, strings.Fields(line)...), session.NewCmd(a, nil))
		if want := "the service at " + old.URL + " cannot " + cannot; code != cli.ExitNo || !strings.Contains(talk.String(), want) || out.String() != "" {
			t.Errorf("session %s: exit code %d, %q, %q", line, code, talk.String(), out.String())
		}
	}
}
