package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/wire"
)

// manyPersonas is more than two pages of a list.
const manyPersonas = 230

// requestLog counts the requests that a server logs, by method and route.
type requestLog struct {
	slog.Handler
	mu  sync.Mutex
	all []string
}

func (l *requestLog) Handle(_ context.Context, r slog.Record) error {
	var line [2]string
	r.Attrs(func(a slog.Attr) bool {
		if i := slices.Index([]string{"method", "route"}, a.Key); i >= 0 {
			line[i] = a.Value.String()
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line[0]+" "+line[1])
	return nil
}

// take returns the log since the last call.
func (l *requestLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

// TestSavingAgainAsksOnce: a second save lists all personas at once, and notices others' changes.
func TestSavingAgainAsksOnce(t *testing.T) {
	log := &requestLog{Handler: slog.DiscardHandler}
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, RateLimit: true, Log: slog.New(log)})
	assert.NoError(t, err)
	defer func() { _ = server.Close() }()
	env := map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
	t.Chdir(t.TempDir())
	starter := assert.Value(examples.Read("starter"))(t)
	write := func(i int, description string) {
		text := strings.Replace(string(starter), "name: Biscuit\ndescription: ", fmt.Sprintf("name: Cat %d\ndescription: %s", i, description), 1)
		assert.NoError(t, os.WriteFile(fmt.Sprintf("cat%02d.yaml", i), []byte(text), 0o600))
	}
	for i := range 20 {
		write(i, "")
	}
	for _, step := range []struct {
		line, says string
		code, most int
	}{
		{"persona save .", "saved 20", 0, 20},
		{"persona save .", "unchanged 20", 0, 1},
		{"persona save --publish .", "unchanged 20", 0, 21},
		{"persona save --publish .", "unchanged 20", 0, 1},
		{"persona save --json user_id,persona_identity_prompt,is_public .", "unchanged 20", 0, 2},
		{"! 3 changed", "updated 1, unchanged 19", 0, 2},
		{"! elsewhere", "unchanged 19, failed 1", 1, 1},
	} {
		log.take()
		line := step.line
		switch line {
		case "! 3 changed":
			write(3, "Changed. ")
			line = "persona save ."
		case "! elsewhere":
			got := runHere(t.Context(), t, env, "persona", "save", "--no-lock", "--id", idInLock(t, "cat05.yaml"), "cat05.yaml")
			assert.Must(t, got.code == 0, got.talk)
			log.take()
			line = "persona save ."
		}
		got := runHere(t.Context(), t, env, strings.Fields(line)...)
		if requests := log.take(); got.code != step.code || !strings.Contains(got.talk, step.says) || len(requests) > step.most {
			t.Errorf("%s: %d, %d requests, want %d at most: %.500q\n%.900s", step.line, got.code, len(requests), step.most, requests, got.talk)
		}
		if strings.Contains(step.line, "--json") && (strings.Contains(got.out, `""`) || strings.Count(got.out, `"is_public": true`) != 20) {
			t.Errorf("%s: %.600s", step.line, got.out)
		}
	}
}

// idInLock returns as which persona the parley.lock of this folder has a file.
func idInLock(t *testing.T, file string) string {
	t.Helper()
	text := assert.Value(os.ReadFile("parley.lock"))(t)
	_, rest, _ := strings.Cut(string(text), file)
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(rest)
	assert.Must(t, id != "", "no %s in %s", file, text)
	return id
}

// serveMany starts a server with many published personas of the caller, oldest first, and returns the environment.
func serveMany(t *testing.T) map[string]string {
	t.Helper()
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Log: slog.New(slog.DiscardHandler)})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	source := assert.Value(examples.Read("starter"))(t)
	doc, _, faults := personas.Parse("starter.yaml", source)
	assert.Empty(t, faults)
	c := cmdtest.NewClient(t, server.URL(), server.Token())
	for i := range manyPersonas {
		doc.Name = fmt.Sprintf("Keeper %03d", i)
		saved, _, err := c.SavePersona(t.Context(), "", doc, "")
		if err == nil && i != 1 {
			_, err = c.PublishPersona(t.Context(), saved.ID)
		}
		assert.NoError(t, err)
	}
	return map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
}

// TestNamesBeyondAPage: a persona is found by name behind many newer ones, and the list shows the total.
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
		{"persona show Keeper_04", 1, 0, `10 personas match the name "Keeper 04"`},
		{"persona delete --dry-run keeper_000 Keeper_229", 0, 0, "would delete 2"},
		{"say Keeper_002 Hello", 0, 0, ""},
		{"persona show Keper_229", 1, 0, `did you mean "Keeper 229"`},
		{"persona list", 0, 20, "the newest 20 of 229 are listed: --all lists all"},
		{"persona list --mine", 0, 20, "the newest 20 of 230 are listed: --all lists all"},
		{"persona list --limit 150", 0, 150, "the newest 150 of 229"},
		{"persona list --all", 0, manyPersonas, ""},
		{"persona list --mine --all", 0, manyPersonas, ""},
		{"persona list --all --limit 3", 0, 3, "the newest 3 of 230"},
		{"persona list --all --jq length", 0, 1, "230"},
		{"persona list --limit 0", 2, 0, "--all lists all"},
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

// TestListOfAServiceWithoutPages: such a service is asked once for a list, and no total is claimed.
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
			items[i] = wire.PersonaItem{ID: fmt.Sprintf("00000000-0000-7000-8000-%012d", i), Name: fmt.Sprintf("Keeper %03d", i), IsPublic: true}
		}
		w.Header().Set("Content-Type", "application/json")
		err := json.NewEncoder(w).Encode(items)
		assert.True(t, err == nil, err)
	}))
	defer plain.Close()
	env := map[string]string{"PARLEY_SERVER": plain.URL, "PARLEY_TOKEN": "t", "PARLEY_STATE_DIR": t.TempDir()}
	got := runHere(t.Context(), t, env, "persona", "list", "--all")
	assert.Equal(t, got.code, 0, "%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	assert.Equal(t, strings.Count(got.out, "\n"), 100, "%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	assert.Equal(t, asked.Load(), 1, "%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	assert.Contains(t, got.talk, "there may be more", "%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	asked.Store(0)
	if got := runHere(t.Context(), t, env, "persona", "delete", "--dry-run", "keeper 042"); got.code != 0 || asked.Load() > 2 {
		t.Errorf("%d, %d requests\n%s%s", got.code, asked.Load(), got.out, got.talk)
	}
}
