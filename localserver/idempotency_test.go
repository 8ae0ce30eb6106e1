package localserver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const replayedHeader = "Idempotency-Replayed"

// TestSameKeySameAnswer: a repeated request gets the stored answer, only for its caller and body.
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
		h.run(t, c.name, func(t *testing.T, h *harness) {
			first := h.send(alice, "POST", c.path, c.body, wire.HeaderIdempotencyKey, "key").is(c.status)
			again := h.send(alice, "POST", c.path, c.body, wire.HeaderIdempotencyKey, "key")
			assert.Equal(t, again.status, first.status, c.name)
			assert.True(t, bytes.Equal(again.body, first.body), "%s: %d %s, then %d %s", c.name, first.status, first.body, again.status, again.body)
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

func onEachEngine(t *testing.T, test func(*harness)) {
	t.Run("sqlite", func(t *testing.T) { test(begin(t)) })
	t.Run("postgres", func(t *testing.T) { test(begin(t, inPostgres(t))) })
}

type keyedCalls struct {
	*harness
	who, id, side string
	opened, said  replied
}

func playKeyed(h *harness, who, id string) *keyedCalls {
	h.Helper()
	k := &keyedCalls{harness: h, who: who, id: id, side: sideOf(who)}
	k.opened, k.said = k.open(), k.say("message")
	k.opened.want(200)
	k.said.want(200)
	for _, again := range []replied{k.open(), k.say("message"), k.say("message/stream")} {
		assert.Equal(h, again.status, 200, again.path)
		assert.True(h, k.repeats(again), "%s: nothing is replayed: %d %s", again.path, again.status, again.body)
	}
	return k
}

func (k *keyedCalls) open() replied {
	return k.send(k.who, "POST", wire.Path(k.side+"/chat/{persona_id}/init-session", k.id), initJSON("ann"), wire.HeaderIdempotencyKey, "k1")
}

func (k *keyedCalls) say(verb string) replied {
	return k.send(k.who, "POST", wire.Path(k.side+"/chat/{persona_id}/"+verb, k.id), messageJSON("ann", "hello [[redirect]]"), wire.HeaderIdempotencyKey, "k2")
}

func (k *keyedCalls) repeats(answer replied) bool {
	session := k.opened.want(200)["session_id"].(string)
	return answer.header.Get(replayedHeader) != "" || bytes.Contains(answer.body, []byte(session))
}

func (k *keyedCalls) checkNothingLeft(after string, refusals ...int) {
	k.Helper()
	for _, verb := range []string{"message", "message/stream"} {
		answer := k.say(verb)
		found := false
		for _, status := range refusals {
			found = found || answer.status == status
		}
		assert.True(k, found && !k.repeats(answer), "after %s, %s is %d %s", after, verb, answer.status, answer.body)
	}
	answer := k.open()
	assert.True(k, !k.repeats(answer), "after %s, init-session is %d %s", after, answer.status, answer.body)
}

// TestReplayNeedsTheRight: a stored answer is returned only to callers who may make the call now.
func TestReplayNeedsTheRight(t *testing.T) { onEachEngine(t, checkReplayNeedsTheRight) }

func checkReplayNeedsTheRight(h *harness) {
	id := h.publishPersona()
	player := "?user_session_id=ann"
	progress := wire.Path(wire.PathProgress, id) + player

	k := playKeyed(h, "", id)
	h.send(bob, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).want(200)
	k.checkNothingLeft("migrate-progress", 403, 404)
	h.send(bob, "DELETE", progress, "").want(200)
	h.send("", "DELETE", progress, "").want(200)

	k = playKeyed(h, "", id)
	h.send("", "DELETE", progress, "").want(200)
	k.checkNothingLeft("DELETE progress", 404)
	h.send("", "DELETE", progress, "").want(200)

	for _, who := range []string{bob, h.key(alice)} {
		spare := h.publishPersona()
		k = playKeyed(h, who, spare)
		h.send(alice, "DELETE", wire.Path(wire.PathPersona, spare), "").want(204)
		k.checkNothingLeft("the persona was deleted", 404)
	}

	k = playKeyed(h, h.key(alice), id)
	h.revokeKeys(alice, "game")
	delete(h.tokens, "key of "+alice)
	k.checkNothingLeft("the key was revoked", 401)
}

func (h *harness) revokeKeys(email, name string) {
	h.Helper()
	keys := decoded[[]wire.Key](h.send(email, "GET", wire.PathAPIKeys, ""))
	for _, k := range keys {
		if k.Name == name {
			h.send(email, "DELETE", wire.Path(wire.PathAPIKey, k.ID), "").want(204)
		}
	}
}
