package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/assert"
)

// noServices are servers that are not the service, by the message for each.
var noServices = map[string]http.HandlerFunc{
	"answered text/html; this is not the persona chat service": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><h1>Welcome to nginx</h1></html>")
	},
	"answered invalid application/json": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id": `)
	},
	"broke off before the answer was complete": func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
	},
	"did not answer within 300ms": func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // Else the end of the connection is not noticed.
		<-r.Context().Done()
	},
}

// checkNoServices checks that other servers lead to exit code 3 and one message, and that nothing is kept.
func (row exitRow) checkNoServices(t *testing.T) {
	switch strings.Fields(row.args)[0] {
	case "api", "auth", "session": // They pass the answer on, or ask other questions first.
		return
	}
	for says, handle := range noServices {
		s := httptest.NewServer(handle)
		env := at(s.URL)
		env["PARLEY_STATE_DIR"] = t.TempDir()
		if strings.HasPrefix(says, "did not") {
			env["PARLEY_TIMEOUT"] = "300ms"
		}
		got := runHere(t.Context(), t, env, places(t, row.args)...)
		s.CloseClientConnections()
		s.Close()
		assert.Equal(t, got.code, cli.ExitTrouble, "parley %s: exit code %d, not %q:\n%s%s", row.args, got.code, says, got.out, got.talk)
		assert.Equal(t, got.out, "", "parley %s: exit code %d, not %q:\n%s%s", row.args, got.code, says, got.out, got.talk)
		assert.Contains(t, got.talk, says, "parley %s: exit code %d, not %q:\n%s%s", row.args, got.code, says, got.out, got.talk)
		assert.NotContains(t, got.talk, "nginx", "parley %s: exit code %d, not %q:\n%s%s", row.args, got.code, says, got.out, got.talk)
		_, err := os.Stat(filepath.Join(env["PARLEY_STATE_DIR"], "sessions.json"))
		assert.True(t, err != nil, "parley %s: a session is remembered that never was", row.args)
	}
}
