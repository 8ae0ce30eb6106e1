package connect

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/store/double"
)

// examineNamed lets the doctor look at the database of PARLEY_DATABASE.
func examineNamed(t *testing.T, address string) Examined {
	t.Helper()
	env := map[string]string{"PARLEY_DATABASE": address, "PGPASSWORD": "Zq7xPassw0rd"}
	streams := &cli.Streams{Out: &cli.CheckedWriter{Writer: &bytes.Buffer{}}, Err: &bytes.Buffer{}, Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	o := &doctorOptions{Access: &service.Access{Environment: &service.Environment{Streams: streams}}}
	return o.examineDatabase(context.Background())[0]
}

// TestDoctorOnDatabases: the doctor knows the database that the environment names, and
// shows no password.
func TestDoctorOnDatabases(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://kim:Zq7xPassw0rd@127.0.0.1:1/parley":            "failed: the database postgres://kim@127.0.0.1:1/parley: the database does not answer",
		"postgres://kim:Zq7xPassw0rd/@127.0.0.1:1/parley":           "failed: the address of the database cannot be read",
		"host=127.0.0.1 password=Zq7xPassw0rd":                      "failed: an address of a database begins with",
		"sqlite:" + filepath.Join(t.TempDir(), "none", "parley.db"): "ok: sqlite:",
	} {
		checkExamined(t, examineNamed(t, address), want)
	}
}

// TestDoctorOnPostgres: one that is empty, and one that a server has used.
func TestDoctorOnPostgres(t *testing.T) {
	t.Parallel()
	var cluster double.Cluster
	address, err := cluster.NewDatabase(t.Context())
	if errors.Is(err, double.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	}()
	checkExamined(t, examineNamed(t, address), "has nothing yet")
	s, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: localserver.Memory, Database: localserver.Database{Address: address}})
	if err != nil {
		t.Fatal(err)
	}
	checkExamined(t, examineNamed(t, address), "answers, by PARLEY_DATABASE")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func checkExamined(t *testing.T, e Examined, want string) {
	t.Helper()
	got := e.Verdict + ": " + e.Message
	if !strings.Contains(got, want) || strings.Contains(got+e.Remedy, "Zq7x") {
		t.Errorf("%q, want %q", got, want)
	}
}
