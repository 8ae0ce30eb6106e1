package localserver

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func dump(t testing.TB, h *harness) map[string][]string {
	t.Helper()
	db, list, err := openDatabase(h)
	assert.NoError(t, err)
	defer func() { _ = db.Close() }()
	all := map[string][]string{}
	names := query(t, db, list)
	for _, name := range names {
		all[name] = query(t, db, "SELECT * FROM "+name)
		slices.Sort(all[name])
	}
	return all
}

func openDatabase(h *harness) (db *sql.DB, list string, err error) {
	if h.database != "" {
		db, err = storetest.OpenPool(h.database)
		return db, "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name <> 'parley_migrations'", err
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(datafolder.DatabaseFile(h.Dir())), RawQuery: "mode=ro"}
	db, err = sql.Open("sqlite3", file.String())
	return db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'", err
}

func query(t testing.TB, db *sql.DB, text string) (rows []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), text)
	assert.NoError(t, err)
	defer func() { _ = found.Close() }()
	columns := assert.Value(found.Columns())(t)
	for found.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		assert.NoError(t, found.Scan(into...))
		var row []string
		for _, v := range values {
			row = append(row, v.String)
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	assert.NoError(t, found.Err())
	return rows
}

// TestDatabaseGoesAndComesBack: after each kill of PostgreSQL, exactly the acknowledged turns are stored.
func TestDatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	h := begin(t, func(o *Options) { o.Database.Address = address })
	id := h.publishPersona()
	said := strings.Replace(wire.PathMessage, "{persona_id}", id, 1)
	for _, player := range []string{"ann", "ben", "cal"} {
		h.send("", "POST", strings.Replace(wire.PathInitSession, "{persona_id}", id, 1), initJSON(player)).want(200)
	}
	for range 3 {
		var group sync.WaitGroup
		talking := make(chan struct{})
		kept := map[string]int{"ann": 0, "ben": 0, "cal": 0}
		var mu sync.Mutex
		for player := range kept {
			before := h.messagesOf(id, player)
			group.Go(func() {
				acknowledged := h.talkUntil(talking, said, player)
				mu.Lock()
				kept[player] = before + 2*acknowledged
				mu.Unlock()
			})
		}
		time.Sleep(100 * time.Millisecond)
		assert.NoError(t, own.Kill())
		for _, call := range []struct{ method, path, body string }{
			{"GET", "/readyz", ""}, {"GET", wire.PathPersonas, ""}, {"POST", said, messageJSON("ann", "Hello")}, {"POST", wire.PathSave, gatePersona},
		} {
			who := ""
			if call.path == wire.PathSave {
				who = alice
			}
			e := h.send(who, call.method, call.path, call.body).fails(503, wire.CodeUnavailable)
			assert.Contains(t, e.Message, "the database does not answer", "%s %s", call.method, call.path)
			assert.NotContains(t, e.Message, "dial", "%s %s", call.method, call.path)
		}
		h.send("", "GET", "/healthz", "").want(200)
		close(talking)
		group.Wait()
		assert.NoError(t, own.Restart(t.Context()))
		h.send("", "GET", "/readyz", "").want(200)
		for player, least := range kept {
			found := h.messagesOf(id, player)
			assert.True(t, found >= least && found <= least+2 && found%2 == 1, "%s: %d messages, acknowledged were %d", player, found, least)
			h.send("", "POST", said, messageJSON(player, "and on")).want(200)
		}
	}
}

func (h *harness) talkUntil(stop <-chan struct{}, path, player string) (answered int) {
	for {
		select {
		case <-stop:
			return answered
		default:
		}
		switch reply := h.send("", "POST", path, messageJSON(player, "hm")); reply.status {
		case http.StatusOK:
			answered++
		case http.StatusConflict: // The machine has ended: begin again.
			return answered
		case http.StatusServiceUnavailable:
		default:
			h.Errorf("%s: status %d: %s", player, reply.status, reply.body)
			return answered
		}
	}
}

func (h *harness) messagesOf(id, player string) int {
	h.Helper()
	history := decoded[wire.History](h.send("", "GET", strings.Replace(wire.PathHistory, "{persona_id}", id, 1)+"?user_session_id="+player, ""))
	return len(history.Messages)
}

func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	const password = "Zq7xPassw0rd"
	for _, address := range []string{
		"postgres://kim:" + password + "@127.0.0.1:1/parley",
		"postgres://kim:" + password + "@127.0.0.1:1/parley?sslmode=disable",
		"postgres://kim:" + password + "@127.0.0.1:1/parley?sslmode=never",
		"postgres://kim:" + password + "@127.0.0.1:1/parley?connect_timeout=soon",
		"postgres://kim:" + password + "@127.0.0.1:1/parley?sslrootcert=/nowhere/" + password,
		"postgres://kim:" + password + "@127.0.0.1:" + password + "/parley",
		"postgres://kim:" + password + "/@127.0.0.1:1/parley",
		"postgres://kim:12/" + password + "@127.0.0.1:1/parley",
		"postgres://kim:" + password + "%zz@127.0.0.1:1/parley",
		"postgres://kim:" + password + "#@127.0.0.1:1/parley",
		"postgres://kim:" + password + "?@127.0.0.1:1/parley",
		"postgres://kim:" + password + "\x00@127.0.0.1:1/parley",
		"postgres://kim@127.0.0.1:1/parley?password=" + password,
		"postgres://kim@127.0.0.1:1/parley?sslpassword=" + password,
		"postgres://kim@127.0.0.1:1/parley?password=" + password + "&sslmode=never",
		"postgres://" + password + ":" + password + "@" + password + "@127.0.0.1:1/parley",
		"postgres://kim:" + password + "@[::1/parley",
		"postgresql://kim:" + password + "@127.0.0.1:1/parley?pool_max_conns=" + password,
		"postgre://kim:" + password + "@127.0.0.1/parley", "kim:" + password + "@127.0.0.1", "host=127.0.0.1 password=" + password,
	} {
		t.Run(caseName(address), func(t *testing.T) {
			log := &journal{}
			server, err := Start(t.Context(), Options{
				Listen: "127.0.0.1:0", Data: datafolder.Memory, Database: Database{Address: address, Password: password + "2"}, Log: newJournalLog(log),
			})
			if err == nil {
				_ = server.Close()
				t.Fatal("it starts")
			}
			for _, text := range []string{err.Error(), log.String(), Database{Address: address}.String()} {
				assert.NotContains(t, text, password, "it shows the password")
			}
			assert.NotContains(t, err.Error(), "\n", "%q has more than one line", err)
		})
	}
}

func ownDatabase(t *testing.T) (address string, exec func(statement string)) {
	t.Helper()
	_, address = storetest.Start(t)
	return address, func(statement string) {
		t.Helper()
		pool := assert.Value(storetest.OpenPool(address))(t)
		defer func() { _ = pool.Close() }()
		assert.Value(pool.ExecContext(t.Context(), statement))(t)
	}
}

// TestReadOnlyDatabase: a read-only PostgreSQL is reported as such, at the start and while the
// server runs, and callers are not sent to the identity provider.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	address, exec := ownDatabase(t)
	h, limited := begin(t, func(o *Options) { o.Database.Address = address }), begin(t, func(o *Options) { o.Database.Address, o.RateLimit = address, true })
	id := h.publishPersona()
	_, tokens := signInOver(t, []*harness{h, h, h})
	browser := browserOf(t)
	_, form := h.visit(browser, "/oauth/authorize?"+authorizeQuery().Encode(), nil)
	exec("ALTER SYSTEM SET default_transaction_read_only = on")
	exec("SELECT pg_reload_conf()")
	for end := time.Now().Add(20 * time.Second); h.send("", "GET", "/readyz", "").status == http.StatusOK; time.Sleep(20 * time.Millisecond) {
		assert.Must(t, !time.Now().After(end), "it takes writes")
	}
	const want = "the database is read-only"
	for _, call := range []struct{ who, method, path, body string }{
		{"", "GET", "/readyz", ""},
		{alice, "POST", wire.PathSave, gatePersona},
		{"", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")},
	} {
		e := h.send(call.who, call.method, call.path, call.body).fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
		assert.Contains(t, e.Message, want, "%s %s", call.method, call.path)
	}
	h.send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
	e := limited.send("", "GET", wire.PathPersonas, "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
	assert.Contains(t, e.Message, want, "what cannot be counted")
	status, said := h.postToken("/oauth/token", refreshForm(tokens))
	if status != http.StatusServiceUnavailable || !strings.Contains(fmt.Sprint(said["error_description"]), want) {
		t.Errorf("sign in: %d %v", status, said)
	}
	answer, page := h.visit(browser, "/oauth/authorize", fillForm(form, url.Values{"answer": {"allow"}, "email": {alice}}))
	assert.Equal(t, answer.StatusCode, http.StatusServiceUnavailable)
	assert.Contains(t, page, want)
	_, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Database: Database{Address: address}})
	assert.ErrorIs(t, err, store.ErrStandby)
	assert.ErrorContains(t, err, want)
	assert.NotContains(t, err.Error(), "provider")
}

func onDisk(dir string) func(*Options) { return func(o *Options) { o.Data = dir } }

func skipWhereFilesAreHeld(t *testing.T) {
	t.Helper()
	skipOnPostgres(t)
	if os.PathSeparator == '\\' {
		t.Skip("Windows does not let go of a file in use")
	}
}

func replaceFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.Rename(path, path+"-old"); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// TestLostDatabase: if a file of the database is missing or replaced, the server does not store
// anything and reports that, in its log even without requests. Reading still works.
func TestLostDatabase(t *testing.T) {
	skipWhereFilesAreHeld(t)
	cases := map[string]func(path string) error{
		"deleted":        os.Remove,
		"log deleted":    func(path string) error { return os.Remove(path + "-wal") },
		"index gone":     func(path string) error { return os.Remove(path + "-shm") },
		"folder moved":   func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-gone") },
		"folder deleted": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"another one":    replaceFile,
	}
	for name, lose := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
			h.broken = true
			h.send("", "GET", "/readyz", "").want(200)
			id := h.savePersona(gatePersona)
			assert.NoError(t, lose(datafolder.DatabaseFile(h.Dir())))
			h.checkLost("POST", wire.PathSave, gatePersona)
			h.checkLost("POST", wire.PathAPIKeys, `{"name": "game"}`)
			h.checkLost("GET", "/readyz", "")
			h.send(alice, "GET", strings.Replace(wire.PathPersona, "{persona_id}", id, 1), "").want(200)
			h.waitForLog("the database is unavailable: nothing can be stored")
		})
	}
}

func (h *harness) checkLost(method, path, body string) {
	h.Helper()
	r := h.send(alice, method, path, body)
	r.fails(503, wire.CodeUnavailable)
	assert.Contains(h, string(r.body), "deleted or moved", path)
}

func (h *harness) waitForLog(text string) {
	h.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(h.journal.String(), text); {
		assert.Must(h, !time.Now().After(end), "the log does not say %q: %s", text, h.journal)
		time.Sleep(20 * time.Millisecond)
	}
}

func TestDatabaseComesBack(t *testing.T) {
	skipWhereFilesAreHeld(t)
	h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
	path := datafolder.DatabaseFile(h.Dir())
	assert.NoError(t, os.Rename(path, path+"-away"))
	h.checkLost("POST", wire.PathSave, gatePersona)
	h.waitForLog("the database is unavailable: nothing can be stored")
	assert.NoError(t, os.Rename(path+"-away", path))
	h.savePersona(gatePersona)
	h.send("", "GET", "/readyz", "").want(200)
	h.waitForLog("the database is available again")
}
