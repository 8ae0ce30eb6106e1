package localserver

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// addKeys makes further API keys of a user.
func (h *harness) addKeys(email string, count int) (keys, ids []string) {
	h.Helper()
	for range count {
		made := h.send(email, "POST", wire.PathAPIKeys, `{"name": "game"}`).want(201)
		keys, ids = append(keys, made["key"].(string)), append(ids, made["id"].(string))
		h.tokens["key "+made["id"].(string)] = made["key"].(string)
	}
	return keys, ids
}

// TestKeysOfAnAccount: the number of keys of an account is limited, even if they are created
// concurrently, and revoking a key allows a new one. Other accounts have separate limits.
func TestKeysOfAnAccount(t *testing.T) { onEachEngine(t, checkKeysOfAnAccount) }

func checkKeysOfAnAccount(h *harness) {
	_, ids := h.addKeys(alice, store.MaxKeys-5)
	var made atomic.Int32
	var group sync.WaitGroup
	for range 15 {
		group.Go(func() {
			switch answer := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "at once"}`); answer.status {
			case http.StatusCreated:
				made.Add(1)
			case http.StatusConflict:
			default:
				h.Errorf("%d %s", answer.status, answer.body)
			}
		})
	}
	group.Wait()
	assert.Equal(h, made.Load(), 5, "keys past %d", store.MaxKeys-5)
	e := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "one more"}`).fails(http.StatusConflict, wire.CodeConflict)
	assert.Contains(h, e.Message, fmt.Sprint(store.MaxKeys))
	assert.Contains(h, e.Message, "revoke one")
	h.send(alice, "DELETE", wire.Path(wire.PathAPIKey, ids[0]), "").want(204)
	h.addKeys(alice, 1)
	h.send(alice, "POST", wire.PathAPIKeys, `{"name": "one more"}`).fails(http.StatusConflict, wire.CodeConflict)
	h.addKeys(bob, 1)
}

// TestLimitOfAnAccount: all keys of an account share a limit, including keys created after others
// were revoked. A refused call does not count for a key.
func TestLimitOfAnAccount(t *testing.T) {
	clock := &clock{start: time.Now()}
	limits := func(o *Options) { o.RateLimit, o.Now = true, clock.now }
	t.Run("sqlite", func(t *testing.T) { checkLimitOfAnAccount(begin(t, limits), clock) })
	t.Run("postgres", func(t *testing.T) { checkLimitOfAnAccount(begin(t, limits, inPostgres(t)), clock) })
}

func checkLimitOfAnAccount(h *harness, clock *clock) {
	const over = ", all keys of the account"
	id := h.publishPersona()
	say, list := wire.Path(wire.PathSDKMessage, id), wire.PathSDKPersonas
	for _, c := range []struct {
		category           api.Category
		method, path, body string
	}{{api.LimitSDKGeneral, "GET", list, ""}, {api.LimitSDKChat, "POST", say, messageJSON("ann", "hi")}} {
		most := numberOf(c.category)
		clock.forward(time.Minute)
		keys, ids := h.addKeys(alice, api.OwnerMultiple+2)
		for _, key := range keys[:api.OwnerMultiple] {
			for range most {
				answer := h.send(key, c.method, c.path, c.body)
				assert.Must(h, answer.status != http.StatusTooManyRequests, "%s: refused too early: %s", c.category, answer.body)
			}
			clock.forward(time.Second)
		}
		for _, key := range keys[api.OwnerMultiple:] {
			h.send(key, c.method, c.path, c.body).checkRefused(api.OwnerMultiple*most, c.category+over)
		}
		for _, id := range ids {
			h.send(alice, "DELETE", wire.Path(wire.PathAPIKey, id), "").want(204)
		}
		fresh, _ := h.addKeys(alice, 1)
		wait := h.send(fresh[0], c.method, c.path, c.body).checkRefused(api.OwnerMultiple*most, c.category+over)
		h.send(h.key(bob), "GET", list, "").want(200)
		clock.forward(wait)
		// The refused calls do not count: the key has all of its limit left.
		for i := range most {
			answer := h.send(fresh[0], c.method, c.path, c.body)
			assert.Must(h, answer.status != http.StatusTooManyRequests,
				"%s: request %d after the wait is refused: %s", c.category, i+1, answer.body)
			if i == 0 {
				answer.checkCounted(most, most-1)
			}
		}
		h.send(fresh[0], c.method, c.path, c.body).checkRefused(most, c.category)
	}
}
