package localserver

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestKeyRevokedOverNodes: a key that was used at every server is refused at every server
// with the next request.
func TestKeyRevokedOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	created := nodes[0].send(alice, "POST", wire.PathAPIKeys, `{"name": "game"}`).want(http.StatusCreated)
	key := created["key"].(string)
	for range 2 {
		for _, node := range nodes {
			node.send(key, "GET", wire.PathSDKPersonas, "").want(http.StatusOK)
		}
	}
	nodes[1].send(alice, "DELETE", wire.PathAPIKeys+"/"+created["id"].(string), "")
	for _, node := range nodes {
		node.send(key, "GET", wire.PathSDKPersonas, "").want(http.StatusUnauthorized)
	}
}

// TestPersonaOverNodes: after one server saves, publishes or deletes a persona, the others reflect
// that with the next request, even if they have it in a cache.
func TestPersonaOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	id := nodes[0].savePersona(gatePersona)
	path := wire.Path(wire.PathPersona, id)
	warm := func(status int, name string) {
		t.Helper()
		for range 2 {
			for i, node := range nodes {
				answer := node.send("", "GET", path, "")
				answer.want(status)
				assert.Contains(t, string(answer.body), name, "server %d shows", i)
			}
		}
	}
	warm(http.StatusNotFound, "")
	nodes[1].send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(http.StatusOK)
	warm(http.StatusOK, "guard")
	for _, node := range nodes {
		node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("before")).want(http.StatusOK)
	}
	second := strings.Replace(strings.Replace(gatePersona, "guard", "keeper", 1), "Halt,", "Who goes there,", 1)
	nodes[2].send(alice, "POST", wire.PathSave+"?persona_id="+id, second)
	warm(http.StatusOK, "keeper")
	for i, node := range nodes {
		player := []string{"one", "two", "three"}[i]
		said := node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(player)).want(http.StatusOK)["message"]
		assert.True(t, said == "Who goes there, Ann.", "server %d opens with %q", i, said)
		node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("before", "hm [[redirect]]")).want(http.StatusOK)
	}
	nodes[0].send(alice, "DELETE", wire.Path(wire.PathPersona, id), "")
	warm(http.StatusNotFound, "")
	for _, node := range nodes {
		node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("before", "hm [[redirect]]")).want(http.StatusNotFound)
	}
}

// TestSessionOverNodes plays one session with each turn at the next server, resets it at one server
// and continues at another.
func TestSessionOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	id := nodes[0].publishPersona()
	nodes[0].send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	for i := range 2 {
		reply := nodes[(i+1)%3].send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]")).want(http.StatusOK)
		assert.Equal[any](t, reply["redirect_count"], float64(i+1), "turn %d: %v", i, reply)
	}
	for _, node := range nodes {
		checkOneTurn(node, id, 2)
	}
	nodes[1].send("", "POST", wire.Path(wire.PathReset, id)+"?user_session_id=ann", "").want(http.StatusOK)
	reply := nodes[2].send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]")).want(http.StatusOK)
	assert.Equal[any](t, reply["redirect_count"], float64(1), "after the reset: %v", reply)
	checkOneTurn(nodes[0], id, 1)
}

// TestTurnsAtOnceOverNodes: concurrent turns of one session at three servers are each stored
// completely or refused.
func TestTurnsAtOnceOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	id := nodes[0].publishPersona()
	nodes[0].send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for _, node := range nodes {
		group.Go(func() {
			answer := node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]"))
			mu.Lock()
			defer mu.Unlock()
			statuses[answer.status]++
		})
	}
	group.Wait()
	assert.Must(t, statuses[http.StatusOK] >= 1 && statuses[http.StatusOK]+statuses[http.StatusConflict] == len(nodes),
		"statuses %v", statuses)
	checkOneTurn(nodes[0], id, min(statuses[http.StatusOK], 3))
}
