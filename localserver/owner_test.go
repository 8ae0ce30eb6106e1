package localserver

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// TestWhoMay asks every endpoint that names a persona as its owner, as another
// user and as nobody, of a published persona and of one that is not.
func TestWhoMay(t *testing.T) {
	h := begin(t)
	for _, c := range []struct {
		id string
		// published and unpublished are the statuses for owner, stranger, nobody.
		published, unpublished [3]int
	}{
		{"get-persona", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"get-full-persona", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"get-progress", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"available-machines", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"init-session", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"message", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"history", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"reset", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"reset-progress", [3]int{200, 200, 200}, [3]int{200, 404, 404}},
		{"save", [3]int{200, 403, 401}, [3]int{200, 404, 401}},
		{"publish", [3]int{200, 403, 401}, [3]int{200, 404, 401}},
		{"delete-persona", [3]int{204, 403, 401}, [3]int{204, 404, 401}},
	} {
		row := rowOf(t, c.id)
		for i, who := range []string{alice, bob, ""} {
			for kind, want := range map[string]int{"published": c.published[i], "unpublished": c.unpublished[i]} {
				id := h.saved(gatePersona)
				if kind == "published" {
					h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
				}
				path := pathOf(row, id)
				if c.id == "save" {
					path += "?persona_id=" + id
				}
				// Each player plays under a session id of their own.
				player := "p" + strings.Split(who, "@")[0]
				path = strings.Replace(path, "=ann", "="+player, 1)
				body := strings.Replace(bodyOf(row), `"ann"`, `"`+player+`"`, 1)
				h.send(who, "POST", wire.Path(wire.PathInitSession, id), initJSON(player))
				if got := h.send(who, row.method, path, body); got.status != want {
					t.Errorf("%s of a %s persona by %q: status %d, want %d: %s", c.id, kind, who, got.status, want, got.body)
				}
			}
		}
	}
}

// TestUnpublishedLooksAbsent compares the answers byte by byte.
func TestUnpublishedLooksAbsent(t *testing.T) {
	h := begin(t)
	hidden := h.saved(gatePersona)
	h.send(alice, "POST", wire.Path(wire.PathInitSession, hidden), initJSON("ann")).want(200)
	for i := range routes {
		row := &routes[i]
		if !strings.Contains(row.path, "{persona_id}") && row.id != "publish" {
			continue
		}
		for _, who := range []string{bob, ""} {
			there, absent := h.send(who, row.method, pathOf(row, hidden), bodyOf(row)), h.send(who, row.method, pathOf(row, nobodyID), bodyOf(row))
			if there.status != absent.status || shown(there) != shown(absent) || len(there.header) != len(absent.header) {
				t.Errorf("%s by %q: %s, absent %s", row.id, who, there.body, absent.body)
			}
		}
	}
}

// shown is a body without what differs between any two answers.
func shown(a replied) string {
	return strings.ReplaceAll(string(a.body), a.header.Get(wire.HeaderRequestID), "")
}

func TestMe(t *testing.T) {
	h := begin(t)
	me := h.send("Alice@Example.com", "GET", wire.PathMe, "").want(200)
	checkJSON(t, me, `{"email": "alice@example.com", "display_name": "alice"}`)
	saved := h.send(alice, "POST", wire.PathSave, gatePersona).want(201)
	if saved["user_id"] != me["id"] || saved["id"] != saved["persona_id"] || saved["is_public"] != false {
		t.Errorf("saved %v by %v", saved, me)
	}
}

func TestMigrate(t *testing.T) {
	h := begin(t)
	id := played(h)
	migrated := h.send(bob, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).want(200)
	checkJSON(t, migrated, `{"migrated_sessions": 2, "personas": ["`+id+`"], "user_session_id": "ann"}`)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).fails(403, wire.CodeForbidden)
	h.send(bob, "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).want(200)
	h.send(alice, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`).fails(403, wire.CodeForbidden)
	h.send(alice, "POST", wire.PathMigrateProgress, `{"old_session_id": "nobody"}`).fails(404, wire.CodeNotFound)
}

func TestDeleteTakesEverythingAlong(t *testing.T) {
	h := begin(t)
	id := played(h)
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, id), "").want(204)
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, id), "").fails(404, wire.CodeNotFound)
	for _, path := range []string{wire.PathPersona, wire.PathFull, wire.PathProgress + "?user_session_id=ann", wire.PathHistory + "?user_session_id=ann"} {
		h.send(alice, "GET", wire.Path(path, id), "").fails(404, wire.CodeNotFound)
	}
	if list := h.send(alice, "GET", wire.PathPersonas+"?my_personas=true", ""); string(list.body) != "[]\n" {
		t.Errorf("left in the list: %s", list.body)
	}
}

func TestSavingAgainKeepsMachineIDs(t *testing.T) {
	h := begin(t)
	id := h.published()
	ids := func() [2]any {
		machines := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)["machines"].([]any)
		return [2]any{machines[0].(map[string]any)["id"], machines[1].(map[string]any)["id"]}
	}
	before := ids()
	again := h.send(alice, "POST", wire.PathSave+"?persona_id="+id, strings.Replace(gatePersona, `"hall"`, `"cellar"`, 2)).want(200)
	after := ids()
	if before[0] != after[0] || before[1] == after[1] || again["is_public"] != true {
		t.Errorf("ids %v, then %v; %v", before, after, again)
	}
}
