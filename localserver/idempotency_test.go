package localserver

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const replayedHeader = "Idempotency-Replayed"

// TestSameKeySameAnswer sends each idempotent request twice, then once with
// another body and once for another caller.
func TestSameKeySameAnswer(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, message := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathMessage, id)
	h.send(alice, "POST", init, initJSON("alice")).want(200)
	h.send("", "POST", init, initJSON("bob")).want(200)
	for _, c := range []struct {
		name, path, body, otherBody string
		status                      int
		// stranger is another caller with the same key, and its body.
		stranger, strangerBody string
	}{
		{"save", wire.PathSave, gatePersona, strings.Replace(gatePersona, "guard", "keeper", 1), 201, bob, gatePersona},
		{"init-session", init + "?machine_id=gate", initJSON("alice"), strings.Replace(initJSON("alice"), "Ann", "Eve", 1), 200, "", initJSON("bob")},
		{"message", message, messageJSON("alice", "one [[redirect]]"), messageJSON("alice", "two"), 200, "", messageJSON("bob", "one [[redirect]]")},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.with(t)
			first := h.send(alice, "POST", c.path, c.body, wire.HeaderIdempotencyKey, "key")
			first.want(c.status)
			again := h.send(alice, "POST", c.path, c.body, wire.HeaderIdempotencyKey, "key")
			if again.status != first.status || !bytes.Equal(again.body, first.body) {
				t.Errorf("%s: %d %s, then %d %s", c.name, first.status, first.body, again.status, again.body)
			}
			assert.Equal(t, first.header.Get(replayedHeader), "", "%s: %s", c.name, replayedHeader)
			assert.Equal(t, again.header.Get(replayedHeader), "true", "%s: %s", c.name, replayedHeader)
			h.send(alice, "POST", c.path, c.otherBody, wire.HeaderIdempotencyKey, "key").fails(422, wire.CodeInvalid)
			other := h.send(c.stranger, "POST", c.path, c.strangerBody, wire.HeaderIdempotencyKey, "key")
			if other.want(c.status); other.header.Get(replayedHeader) != "" || bytes.Equal(other.body, first.body) {
				t.Errorf("%s: another caller got the answer of the first: %s", c.name, other.body)
			}
			fresh := h.send(alice, "POST", c.path, c.body, wire.HeaderIdempotencyKey, "key2")
			if fresh.want(c.status); fresh.header.Get(replayedHeader) != "" || bytes.Equal(fresh.body, first.body) {
				t.Errorf("%s: another key got the answer of the first: %s", c.name, fresh.body)
			}
		})
	}
	h.send(alice, "POST", init+"?machine_id=hall", initJSON("alice"), wire.HeaderIdempotencyKey, "key").fails(422, wire.CodeInvalid)
}

// TestSameKeyOfTwoPlayers: players who differ only in their user_session_id may use the same key;
// each one's call counts once, and for one player another request is refused.
func TestSameKeyOfTwoPlayers(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, message := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathMessage, id)
	for _, player := range []string{"ann", "ben"} {
		for _, again := range []string{"", "true"} {
			opened := h.send("", "POST", init, initJSON(player), wire.HeaderIdempotencyKey, "key")
			if opened.want(200); opened.header.Get(replayedHeader) != again {
				t.Errorf("%s: init-session: %s %q", player, replayedHeader, opened.header.Get(replayedHeader))
			}
			said := h.send("", "POST", message, messageJSON(player, player+" [[redirect]]"), wire.HeaderIdempotencyKey, "key")
			if said.want(200); said.header.Get(replayedHeader) != again {
				t.Errorf("%s: message: %s %q", player, replayedHeader, said.header.Get(replayedHeader))
			}
		}
		h.send("", "POST", message, messageJSON(player, "other"), wire.HeaderIdempotencyKey, "key").fails(422, wire.CodeInvalid)
		history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+player, "").want(200)
		assert.Equal(t, len(history["messages"].([]any)), 3, "%s messages want the opening and one turn", player)
	}
}

func TestSameKeyAtOnceIsOneTurn(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	answers := make([]replied, 8)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			answers[i] = h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi [[redirect]]"), wire.HeaderIdempotencyKey, "k")
		})
	}
	group.Wait()
	for _, a := range answers {
		if a.status != 200 && a.status != 409 {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	}
	history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").want(200)
	assert.Equal(t, len(history["messages"].([]any)), 3, "messages want the opening and one turn")
}
