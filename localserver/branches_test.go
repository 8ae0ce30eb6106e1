package localserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func forkJSON(player string, at int) string {
	return fmt.Sprintf(`{"user_session_id": %q, "at": %d}`, player, at)
}

// fork forks a session over HTTP.
func (h *harness) fork(who, id, player string, at int) (b wire.Branch) {
	h.Helper()
	answer := h.send(who, "POST", wire.Path(wire.PathFork, id), forkJSON(player, at))
	answer.want(201)
	assert.NoError(h, json.Unmarshal(answer.body, &b))
	return b
}

// TestForkOverHTTP: a branch continues from the turn. With same_verdict, the same message gets the
// same result in other words.
func TestForkOverHTTP(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	first := h.sayAs("", id, "ann", "open the gate")
	branch := h.fork("", id, "ann", 0)
	if branch.Turn != 0 || branch.UserSessionID == "ann" || *branch.Parent != "ann" || *branch.ForkedAt != 0 || branch.MachineKey != "gate" {
		t.Errorf("branch %+v", branch)
	}
	again := h.send("", "POST", wire.Path(wire.PathMessage, id), fmt.Sprintf(`{"user_session_id": %q, "message": "open the gate", "same_verdict": true}`, branch.UserSessionID)).want(200)
	assert.Equal(t, again["current_state"], any(first.CurrentState))
	assert.Equal(t, again["score"], any(float64(first.Score)))
	for name, body := range map[string]string{
		"a second time":    fmt.Sprintf(`{"user_session_id": %q, "message": "open the gate", "same_verdict": true}`, branch.UserSessionID),
		"without a branch": `{"user_session_id": "ann", "message": "open the gate", "same_verdict": true}`,
	} {
		assert.Equal(t, h.send("", "POST", wire.Path(wire.PathMessage, id), body).status, 409, "same_verdict %s", name)
	}
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 2)).fails(422, wire.CodeInvalid)
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("eve", 0)).fails(404, wire.CodeNotFound)
	for _, at := range []string{"-1", "1.5", `"1"`, "1e400", "null"} {
		body := fmt.Sprintf(`{"user_session_id": "ann", "at": %s}`, at)
		h.send("", "POST", wire.Path(wire.PathFork, id), body).fails(422, wire.CodeInvalid)
	}
	key := []string{"Idempotency-Key", "once"}
	one := h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 1), key...)
	two := h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 1), key...)
	assert.Equal(t, string(one.body), string(two.body))
	assert.Equal(t, two.header.Get("Idempotency-Replayed"), "true")
	assert.Equal(t, one.status, two.status)
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 0), key...).fails(422, wire.CodeInvalid)
}

// TestForkLatestOverHTTP: a branch in the latest version is created only if the messages have the
// same effects there.
func TestForkLatestOverHTTP(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.sayAs("", id, "ann", "open [[pass]]")
	h.send(alice, "POST", wire.PathSave+"?persona_id="+id, strings.ReplaceAll(gatePersona, "Keeps the gate", "Keeps two gates")).want(200)
	h.send("", "POST", wire.Path(wire.PathFork, id), `{"user_session_id": "ann", "at": 1, "latest": true}`).want(201)
	h.send(alice, "POST", wire.PathSave+"?persona_id="+id, strings.ReplaceAll(gatePersona, `"score_delta": 2`, `"score_delta": 1`)).want(200)
	h.send("", "POST", wire.Path(wire.PathFork, id), `{"user_session_id": "ann", "at": 1, "latest": true}`).fails(409, wire.CodeAnotherPast)
	h.send("", "POST", wire.Path(wire.PathFork, id), `{"user_session_id": "ann", "at": 0, "latest": true}`).want(201)
}

// TestOwnedSessions: only a persona's owner lists and deletes its sessions, and the list does not
// identify the players.
func TestOwnedSessions(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for i := range 5 {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(fmt.Sprint("secret", i))).want(200)
	}
	h.fork("", id, "secret0", 0)
	path := wire.Path(wire.PathSessions, id)
	var all []wire.OwnedSession
	for next := path + "?limit=2"; next != ""; {
		answer := h.send(alice, "GET", next, "")
		var page []wire.OwnedSession
		err := json.Unmarshal(answer.body, &page)
		assert.Must(t, err == nil && answer.status == 200, "%d %s: %v", answer.status, answer.body, err)
		assert.NotContains(t, string(answer.body), "secret", "the list names players")
		all = append(all, page...)
		next, _, _ = strings.Cut(strings.TrimPrefix(answer.header.Get("Link"), "<"), ">")
	}
	seen, branches := map[string]bool{}, 0
	for _, n := range all {
		seen[n.SessionID] = true
		if n.IsBranch {
			branches++
		}
	}
	assert.Equal(t, len(all), 6)
	assert.Equal(t, len(seen), 6)
	assert.Equal(t, branches, 1)
	for query, want := range map[string]int{"?outcome=ACCEPT": 0, "?outcome=none": 6, "?state=nowhere": 0, "?version=2": 0, "?version=1": 6, "?since=2999-01-01T00:00:00Z": 0} {
		var list []wire.OwnedSession
		if err := json.Unmarshal(h.send(alice, "GET", path+query, "").body, &list); err != nil || len(list) != want {
			t.Errorf("%s: %d sessions, %v, want %d", query, len(list), err, want)
		}
	}
	one := wire.Path(wire.Path(wire.PathOwnedSession, id), all[0].SessionID)
	for who, status := range map[string]int{"": 401, bob: 403} {
		for _, c := range [][2]string{{"GET", path}, {"DELETE", one}} {
			assert.Equal(t, h.send(who, c[0], c[1], "").status, status, "%s by %q", c[0], who)
		}
	}
	assert.Equal(t, h.send(alice, "DELETE", one, "").status, 204, "delete")
	h.send(alice, "DELETE", one, "").fails(404, wire.CodeNotFound)
	for _, query := range []string{"?since=yesterday", "?outcome=WON", "?version=0", "?limit=101", "?after=x"} {
		if answer := h.send(alice, "GET", path+query, ""); answer.status != 400 && answer.status != 422 {
			t.Errorf("%s: %d %s", query, answer.status, answer.body)
		}
	}
}
