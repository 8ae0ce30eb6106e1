package cmd

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/wire"
)

// manyPersonas is more than two pages of a list.
const manyPersonas = 230

// serveMany starts a server on which the caller has many published personas, Keeper 000
// being the oldest, and gives the surroundings of commands that use it.
func serveMany(t *testing.T) map[string]string {
	t.Helper()
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: localserver.Memory, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	source, err := examples.Read("starter")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, faults := personas.Parse("starter.yaml", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := cmdtest.NewClient(t, server.URL(), server.Token())
	for i := range manyPersonas {
		doc.Name = fmt.Sprintf("Keeper %03d", i)
		saved, _, err := c.SavePersona(t.Context(), "", doc, "")
		if err == nil && i != 1 {
			_, err = c.PublishPersona(t.Context(), saved.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
}

// TestNamesBeyondAPage: a persona is found by its name however many are newer, the list
// says how many there are and gives as many as are asked for.
func TestNamesBeyondAPage(t *testing.T) {
	t.Parallel()
	env := serveMany(t)
	for _, c := range []struct {
		line  string
		code  int
		lines int // of stdout, 0 any
		says  string
	}{
		{"persona show keeper_000", 0, 0, "Keeper 000"},
		{"persona show Keeper_001", 0, 0, "Keeper 001"},
		{"persona show Keeper_04", 1, 0, `10 personas are called "Keeper 04" or begin so`},
		{"persona delete --dry-run keeper_000 Keeper_229", 0, 0, "would delete 2"},
		{"say Keeper_002 Hello", 0, 0, ""},
		{"persona show Keper_229", 1, 0, `did you mean "Keeper 229"`},
		{"persona list", 0, 20, "the newest 20 of 229: `parley persona list --all` lists all"},
		{"persona list --mine", 0, 20, "the newest 20 of 230: `parley persona list --mine --all` lists all"},
		{"persona list --limit 150", 0, 150, "the newest 150 of 229"},
		{"persona list --all", 0, manyPersonas, ""},
		{"persona list --mine --all", 0, manyPersonas, ""},
		{"persona list --all --limit 3", 0, 3, "the newest 3 of 230"},
		{"persona list --all --jq length", 0, 1, "230"},
		{"persona list --limit 0", 2, 0, "--all lists every one"},
		{"__completeNoDesc say keeper_000", 0, 0, "Keeper 000"},
	} {
		args := strings.Split(c.line, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "r_", "r ")
		}
		got := runHere(t.Context(), t, env, args...)
		if got.code != c.code || !strings.Contains(got.out+got.talk, c.says) || c.lines > 0 && strings.Count(got.out, "\n") != c.lines {
			t.Errorf("parley %s: %d, %d lines\n%.400s\n%s", c.line, got.code, strings.Count(got.out, "\n"), got.out, got.talk)
		}
	}
}

// TestListOfAServiceWithoutPages: a service that knows neither pages nor names, as the
// interface has none, is asked once for each list, and nothing is said of it that it does
// not say.
func TestListOfAServiceWithoutPages(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != wire.PathPersonas {
			_ = json.NewEncoder(w).Encode(wire.Persona{})
			return
		}
		asked.Add(1)
		items := make([]wire.PersonaItem, 100)
		for i := range items {
			items[i] = wire.PersonaItem{ID: uuid.NewSHA1(uuid.Nil, []byte{byte(i)}).String(), Name: fmt.Sprintf("Keeper %03d", i), IsPublic: true}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(items); err != nil {
			t.Error(err)
		}
	}))
	defer plain.Close()
	env := map[string]string{"PARLEY_SERVER": plain.URL, "PARLEY_TOKEN": "t", "PARLEY_STATE_DIR": t.TempDir()}
	got := runHere(t.Context(), t, env, "persona", "list", "--all")
	if got.code != 0 || strings.Count(got.out, "\n") != 100 || asked.Load() != 1 || !strings.Contains(got.talk, "does not say whether there are more") {
		t.Errorf("%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	}
	asked.Store(0)
	if got := runHere(t.Context(), t, env, "persona", "delete", "--dry-run", "keeper 042"); got.code != 0 || asked.Load() > 2 {
		t.Errorf("%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	}
}
