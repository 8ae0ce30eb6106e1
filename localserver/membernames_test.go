package localserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestNamesAreExact: a member that differs from a known one only in case is unknown and has no
// effect.
func TestNamesAreExact(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	body := `{"user_session_id": "ann", "message": "hm [[redirect]]", "Message": "hm [[pass]]", "me\u017f\u017fage": "hm [[pass]]"}`
	reply := h.send("", "POST", wire.Path(wire.PathMessage, id), body).want(200)
	assert.True(t, reply["decision"] == "redirect", "another spelling of message was obeyed: %v", reply)
	for _, same := range []string{`[1]`, `"x"`, `{`, ``, `{"a": 1, "b_2": {"C": 2}}`} {
		assert.Equal(t, string(dropMisspeltMembers([]byte(same))), same, "became")
	}
}

// TestUnreadableRequests: invalid UTF-8 and invalid queries are answered with 400, not guessed at.
func TestUnreadableRequests(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	bad := strings.Replace(initJSON("ann"), "Ann", "\xff", 1)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), bad).fails(400, wire.CodeBadRequest)
	h.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=%zz", "").fails(400, wire.CodeBadRequest)
}

// TestACopyHasIDsOfItsOwn: if a returned persona is saved again, by any user, the server assigns
// new ids.
func TestACopyHasIDsOfItsOwn(t *testing.T) {
	h := begin(t)
	first := h.send("", "GET", wire.Path(wire.PathFull, h.publishPersona()), "").want(200)
	var document map[string]any
	assert.NoError(t, json.Unmarshal([]byte(gatePersona), &document))
	document["machines"] = first["machines"]
	copied := assert.Value(json.Marshal(document))(t)
	id := h.send(bob, "POST", wire.PathSave, string(copied)).want(201)["persona_id"].(string)
	text := h.send(bob, "GET", wire.Path(wire.PathFull, id), "")
	text.want(200)
	for _, m := range first["machines"].([]any) {
		old := m.(map[string]any)["id"].(string)
		assert.NotContains(t, string(text.body), old, "the copy names the first one's machine")
	}
	for _, name := range []string{`"id":`, `"machine_id":`} {
		n, machines := strings.Count(string(text.body), name), len(first["machines"].([]any))
		assert.True(t, n <= machines+1, "%s stands %d times for %d machines", name, n, machines)
	}
}

// TestUnlocksOnlyWhatIsThere: a completion in an old version does not refer to a machine that the
// persona no longer has.
func TestUnlocksOnlyWhatIsThere(t *testing.T) {
	h := begin(t)
	linked := strings.TrimSuffix(strings.TrimSpace(twoRooms), "}") +
		`, "machine_links": [{"source_machine_key": "a", "target_machine_key": "b", "condition_type": "always"}]}`
	for _, c := range []struct {
		newer string
		names int
	}{{linked, 1}, {oneRoom, 0}} {
		t.Run(caseName(c.names, "names"), func(t *testing.T) {
			h := h.with(t)
			id := h.savePersona(linked)
			h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			h.send(alice, "POST", wire.PathSave+"?persona_id="+id, c.newer).want(200)
			reply := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "x [[pass]]")).want(200)
			assert.Equal(t, len(reply["unlocked_machines"].([]any)), c.names, "unlocked")
		})
	}
}

const (
	room = `"states": [{"state_key": "s", "is_initial_state": true}, {"state_key": "e", "is_terminal_state": true}],
		"transitions": [{"from_state_key": "s", "to_state_key": "e", "decision_type": "pass", "score_delta": 3}]}`
	oneRoom  = `{"name": "Rooms", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "a", ` + room + `]}`
	twoRooms = `{"name": "Rooms", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "a", ` + room + `, {"machine_key": "b", ` + room + `]}`
)
