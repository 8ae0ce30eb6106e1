package localserver

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestMe(t *testing.T) {
	h := begin(t)
	me := h.send("Alice@Example.com", "GET", wire.PathMe, "").want(200)
	checkJSON(t, me, `{"email": "alice@example.com", "display_name": "alice"}`)
	saved := h.send(alice, "POST", wire.PathSave, gatePersona).want(201)
	assert.True(t, saved["user_id"] == me["id"] && saved["id"] == saved["persona_id"] && saved["is_public"] == false,
		"saved %v by %v", saved, me)
}

func TestMigrate(t *testing.T) {
	h := begin(t)
	id := playFirstMachine(h)
	migrated := h.send(bob, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).want(200)
	checkJSON(t, migrated, `{"migrated_sessions": 2, "personas": ["`+id+`"], "user_session_id": "ann"}`)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).fails(404, wire.CodeNotFound)
	h.send(bob, "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).want(200)
	h.send(alice, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).fails(404, wire.CodeNotFound)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	refusal := h.send(bob, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).fails(409, wire.CodeConflict)
	assert.Contains(t, refusal.Message, id)
	assert.Contains(t, refusal.Message, "reset that progress, then migrate again")
	h.send(alice, "POST", wire.PathMigrateProgress, `{"old_session_id": "nobody"}`).fails(404, wire.CodeNotFound)
}

// TestDeleteTakesEverythingAlong plays on both sides, with answers stored for a retry, deletes the
// persona, and then checks every table.
func TestDeleteTakesEverythingAlong(t *testing.T) {
	h := begin(t)
	const said = "my grandmother's ladder"
	other := h.publishPersona()
	id := playFirstMachine(h)
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	gone := []string{id, said, "Halt, Ann."}
	for _, m := range full["machines"].([]any) {
		gone = append(gone, m.(map[string]any)["id"].(string))
	}
	for _, who := range []string{alice, h.key(alice)} {
		side, player := sideOf(who), "player-of-"+sideOf(who)
		init, message := wire.Path(side+"/chat/{persona_id}/init-session", id), wire.Path(side+"/chat/{persona_id}/message", id)
		opening := h.send(who, "POST", init, initJSON(player), wire.HeaderIdempotencyKey, "1").want(200)
		h.send(who, "POST", message, messageJSON(player, said+" [[pass]]"), wire.HeaderIdempotencyKey, "2").want(200)
		gone = append(gone, player, opening["session_id"].(string))
	}
	h.send(alice, "POST", wire.PathSave+"?persona_id="+id, gatePersona, wire.HeaderIdempotencyKey, "3").want(200)
	before := dump(t, h)
	for _, text := range gone {
		assert.True(t, len(traces(before, text)) != 0, "the test stores no %s", text)
	}
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, id), "").want(204)
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, id), "").fails(404, wire.CodeNotFound)
	after := dump(t, h)
	for _, text := range gone {
		for _, row := range traces(after, text) {
			t.Errorf("left of %s: %s", text, row)
		}
	}
	for _, path := range []string{wire.PathPersona, wire.PathFull, wire.PathProgress + "?user_session_id=ann", wire.PathHistory + "?user_session_id=ann"} {
		h.send(alice, "GET", wire.Path(path, id), "").fails(404, wire.CodeNotFound)
	}
	list := h.send(alice, "GET", wire.PathPersonas+"?my_personas=true", "")
	text := string(list.body)
	assert.True(t, !strings.Contains(text, id) && strings.Contains(text, other), "left in the list: %s", text)
}

func TestSavingAgainKeepsMachineIDs(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	ids := func() [2]any {
		machines := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)["machines"].([]any)
		return [2]any{machines[0].(map[string]any)["id"], machines[1].(map[string]any)["id"]}
	}
	before := ids()
	again := h.send(alice, "POST", wire.PathSave+"?persona_id="+id, strings.Replace(gatePersona, `"hall"`, `"cellar"`, 2)).want(200)
	after := ids()
	assert.True(t, before[0] == after[0] && before[1] != after[1] && again["is_public"] == true,
		"ids %v, then %v; %v", before, after, again)
}
