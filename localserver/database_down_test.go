package localserver

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestDatabaseGoesAndComesBack kills the PostgreSQL of a server while players talk. Meanwhile calls
// are refused with a sentence. After a restart, every acknowledged turn is stored completely, and
// no other turn.
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

// talkUntil sends messages until stop is closed, and counts those that were answered.
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

// messagesOf counts the messages of a player's session.
func (h *harness) messagesOf(id, player string) int {
	h.Helper()
	var history wire.History
	h.send("", "GET", strings.Replace(wire.PathHistory, "{persona_id}", id, 1)+"?user_session_id="+player, "").decode(&history)
	return len(history.Messages)
}

// TestNoPasswordIsShown starts servers with addresses that contain a password and are wrong in many
// ways: neither errors nor logs contain the password.
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
