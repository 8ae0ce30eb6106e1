package localserver

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// ownDatabase creates an empty database in a PostgreSQL for this test only. exec executes a
// statement there.
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
	if status, said := h.postToken("/oauth/token", refreshForm(tokens)); status != http.StatusServiceUnavailable || !strings.Contains(fmt.Sprint(said["error_description"]), want) {
		t.Errorf("sign in: %d %v", status, said)
	}
	answer, page := h.visit(browser, "/oauth/authorize", fillForm(form, url.Values{"answer": {"allow"}, "email": {alice}}))
	assert.Equal(t, answer.StatusCode, http.StatusServiceUnavailable)
	assert.Contains(t, page, want)
	_, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Database: Database{Address: address}})
	if !errors.Is(err, ErrDatabaseReadOnly) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "provider") {
		t.Errorf("start: %v", err)
	}
}

// TestLockedTables: if another program has locked any table, a message waits for it once, and gets
// the reason.
func TestLockedTables(t *testing.T) {
	t.Parallel()
	h := begin(t, inPostgres(t), func(o *Options) { o.Database.Address += "&lock_timeout=1s"; o.RateLimit = true })
	id := h.publishEndless()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	pool, list, err := openDatabase(h)
	assert.NoError(t, err)
	defer func() { _ = pool.Close() }()
	refused := 0
	for _, table := range query(t, pool, list) {
		tx := assert.Value(pool.BeginTx(t.Context(), nil))(t)
		assert.Value(tx.ExecContext(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"))(t)
		begun := time.Now()
		said := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm"), wire.HeaderIdempotencyKey, table)
		took := time.Since(begun)
		assert.True(t, took <= 3500*time.Millisecond, "%s: a message waited %s", table, took)
		if said.status != http.StatusOK {
			refused++
			assert.Contains(t, said.fails(http.StatusServiceUnavailable, wire.CodeUnavailable).Message, "another program has locked tables of the database", table)
		}
		assert.NoError(t, tx.Rollback())
	}
	assert.True(t, refused >= 5, "%d tables have stopped a message", refused)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm")).want(http.StatusOK)
}
