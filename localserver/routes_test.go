package localserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	itemMembers   = "created_at description id is_public name"
	singleMembers = "created_at description id is_public name persona_identity_prompt updated_at user_id"
	savedMembers  = "created_at description id is_public name persona_id persona_identity_prompt updated_at user_id"
	branchMembers = "current_state forked_at forked_machine_key label last_message_at machine_id machine_key outcome parent redirect_count score session_id turn user_session_id"
	replyMembers  = "current_state decision follow_up machine_completed message outcome redirect_count score scoring_mode session_id unlocked_machines"
	machMembers   = "description has_session is_linked machine_id machine_key name session_outcome"
)

// playFirstMachine publishes a persona; ann has finished the first machine and begun the second.
func playFirstMachine(h *harness) (id string) {
	id = h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "let me in [[pass]]")).want(200)
	h.send("", "POST", wire.Path(wire.PathInitSession, id)+"?machine_id=hall", initJSON("ann")).want(200)
	return id
}

// TestEveryEndpoint asks each row of the table for its documented answer.
func TestEveryEndpoint(t *testing.T) {
	h := begin(t)
	id := playFirstMachine(h)
	spare := h.savePersona(gatePersona)
	cases := []struct {
		id, who, query, body string
		persona              string
		status               int
		// members of the answer, or of its first item if it is an array.
		members string
	}{
		{"list-personas", "", "", "", "", 200, itemMembers},
		{"get-persona", "", "", "", id, 200, singleMembers},
		{"get-full-persona", "", "", "", id, 200, "machine_links machines persona variables"},
		{"save", alice, "", gatePersona, "", 201, savedMembers},
		{"save", alice, "?persona_id=" + id, gatePersona, "", 200, savedMembers},
		{"publish", alice, "?persona_id=" + id, "", "", 200, "persona_id play_link"},
		{"get-progress", "", "?user_session_id=ann", "", id, 200, "available_machines completed_machines cross_machine_vars current_machine_id has_links persona_id relationship_level route_path total_score"},
		{"available-machines", "", "?user_session_id=ann", "", id, 200, machMembers},
		{"init-session", "", "?machine_id=hall", initJSON("ann"), id, 200, "machine_id message persona_description persona_name player_gender player_name session_id user_session_id"},
		{"message", "", "?machine_id=hall", messageJSON("ann", "hello"), id, 200, replyMembers},
		{"history", "", "?user_session_id=ann", "", id, 200, "current_state last_message_at messages outcome persona_id player_gender player_name redirect_count score session_id started_at"},
		{"reset", "", "?user_session_id=ann&machine_id=hall", "", id, 200, "message session_id"},
		{"reset", "", "?user_session_id=ann&machine_id=hall", "{}", id, 200, "message session_id"},
		{"trace", alice, "?user_session_id=ann&machine_id=hall", "", id, 200, "machine_id persona_id session_id turns"},
		{"fork", "", "?machine_id=hall", `{"user_session_id": "ann", "at": 0, "name": "other"}`, id, 201, branchMembers},
		{"branches", "", "?user_session_id=ann", "", id, 200, "branches"},
		{"list-sessions", alice, "?outcome=none&state=outside&version=1&since=2026-01-01T00:00:00Z", "", id, 200, "current_state is_branch last_message_at machine_id machine_key outcome score session_id started_at turn version"},
		{"me", alice, "", "", "", 200, "display_name email id"},
		{"migrate-progress", bob, "", `{"old_session_id": "ann"}`, "", 200, "migrated_sessions personas user_session_id"},
		{"reset-progress", bob, "?user_session_id=ann", "", id, 200, "deleted_sessions persona_id user_session_id"},
		{"create-api-key", alice, "", `{"name": "my game"}`, "", 201, "created_at id key key_prefix name"},
		{"delete-persona", alice, "", "", spare, 204, ""},
		{"list-api-keys", alice, "", "", "", 200, "created_at id key_prefix last_used_at name"},
		{"revoke-api-key", alice, "", "", h.send(alice, "POST", wire.PathAPIKeys, `{"name": "old"}`).want(201)["id"].(string), 204, ""},
		{"message-stream", alice, "", messageJSON("al", "hello"), id, 200, replyMembers},
		{"sdk-list-personas", alice, "", "", "", 200, "created_at description id name updated_at"},
		{"sdk-init-session", alice, "?machine_id=gate", initJSON("game"), id, 200, "machine_id message persona_description persona_name player_gender player_name session_id user_session_id"},
		{"sdk-machines", alice, "?user_session_id=game", "", id, 200, machMembers},
		{"sdk-session", alice, "?user_session_id=game", "", id, 200, "current_state last_message_at machine_id outcome persona_id player_gender player_name score session_id started_at"},
		{"sdk-message", alice, "?machine_id=gate", messageJSON("game", "hello"), id, 200, replyMembers},
		{"sdk-message-stream", alice, "", messageJSON("game", "hello"), id, 200, replyMembers},
		{"sdk-fork", alice, "", `{"user_session_id": "game", "at": 1}`, id, 201, branchMembers},
		{"sdk-branches", alice, "?user_session_id=game", "", id, 200, "branches"},
		{"sdk-history", alice, "?user_session_id=game", "", id, 200, "current_state last_message_at messages outcome persona_id player_gender player_name score session_id started_at"},
		{"sdk-reset", alice, "?user_session_id=game", "", id, 200, "message session_id"},
		{"sdk-validate-llm-key", alice, "", "", "", 200, "error model valid"},
	}
	h.send(alice, "POST", wire.Path(wire.PathInitSession, id), initJSON("al")).want(200)
	asked := map[string]bool{"generate": true, "delete-session": true} // TestGenerate and TestOwnedSessions ask them.
	for _, c := range cases {
		h.run(t, caseName(c.id, c.query, c.body), func(t *testing.T, h *harness) {
			asked[c.id] = true
			row := rowOf(t, c.id)
			answer := h.send(h.as(row, c.who), row.Method, wire.Path(row.Path, c.persona)+c.query, c.body)
			if answer.status != c.status || !slices.Contains(row.Success, c.status) {
				t.Errorf("%s: status %d, want %d: %s", c.id, answer.status, c.status, answer.body)
				return
			}
			// An answer without a decision contains aside.
			assert.Equal(t, strings.TrimPrefix(firstMembers(t, answer.body), "aside "), c.members, "%s: members", c.id)
			checkHeaders(t, c.id, answer)
		})
	}
	for i := range routes {
		if !asked[routes[i].ID] {
			t.Errorf("%s: not tested", routes[i].ID)
		}
	}
}

func rowOf(t *testing.T, id string) *route {
	t.Helper()
	i := slices.IndexFunc(routes, func(r route) bool { return r.ID == id })
	assert.Must(t, i >= 0, "no route %s", id)
	return &routes[i]
}

func firstMembers(t *testing.T, body []byte) string {
	t.Helper()
	if len(body) == 0 {
		return ""
	}
	if _, last, ok := bytes.Cut(body, []byte("event: done\ndata: ")); ok {
		body = last
	}
	var value any
	assert.NoError(t, json.Unmarshal(body, &value), body)
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	return members(value)
}

func checkHeaders(t *testing.T, name string, a replied) {
	t.Helper()
	kind := api.ContentJSON
	switch {
	case a.status == http.StatusNoContent:
		kind = ""
	case strings.HasSuffix(name, "-stream"):
		kind = api.ContentEvents
	}
	want := map[string]string{
		"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Link": "", "Access-Control-Allow-Origin": "",
	}
	for header, value := range want {
		assert.Equal(t, a.header.Get(header), value, "%s: %s", name, header)
	}
}

// TestValues checks the values of the documented members.
func TestValues(t *testing.T) {
	h := begin(t, func(o *Options) { o.PlayURL = "https://play.example/p/" })
	id := h.publishPersona()
	link := h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	assert.Equal(t, link["play_link"], any("https://play.example/p/"+id))
	assert.Equal(t, link["persona_id"], any(id))
	opening := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	if opening["message"] != "Halt, Ann." || opening["persona_name"] != "Gate guard" || opening["persona_description"] != "Keeps the gate" {
		t.Errorf("opening: %v", opening)
	}
	reply := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "so [[redirect]]")).want(200)
	checkJSON(t, reply, `{"message": "State your business.", "current_state": "outside", "score": 0, "outcome": null, "decision": "redirect",
		"follow_up": false, "redirect_count": 1, "scoring_mode": "scoring", "machine_completed": false, "unlocked_machines": []}`)
	byKey := h.send("", "POST", wire.Path(wire.PathMessage, id)+"?machine_id=gate", messageJSON("ann", "so [[pass]]")).want(200)
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	hall := full["machines"].([]any)[1].(map[string]any)
	checkJSON(t, byKey, fmt.Sprintf(`{"current_state": "inside", "score": 2, "outcome": "ACCEPT", "decision": "pass",
		"redirect_count": null, "machine_completed": true, "unlocked_machines": [%q]}`, hall["id"]))
	byID := fmt.Sprintf("?machine_id=%s", hall["machine_id"])
	assert.Equal(t, h.send("", "POST", wire.Path(wire.PathInitSession, id)+byID, initJSON("ann")).want(200)["machine_id"], hall["id"], "opened")
	history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann&machine_id=gate", "").want(200)
	messages := history["messages"].([]any)
	if got := members(messages[0]); got != "content created_at decision follow_up_triggered id role score_at_time state_key_at_time" || len(messages) != 5 {
		t.Errorf("%d messages with %s", len(messages), got)
	}
	progress := h.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=ann", "").want(200)
	checkJSON(t, progress, fmt.Sprintf(`{"persona_id": %q, "current_machine_id": %q, "relationship_level": 3, "total_score": 2, "has_links": true, "cross_machine_vars": {}}`, id, hall["id"]))
	for list, want := range map[string]string{
		"completed_machines": "completed_at machine_id machine_key name outcome score", "available_machines": machMembers,
		"route_path": "entered_at machine_id machine_key name",
	} {
		assert.Equal(t, members(progress[list].([]any)[0]), want, list)
	}
}

// checkJSON checks some members of an object.
func checkJSON(t *testing.T, got map[string]any, want string) {
	t.Helper()
	var wanted map[string]any
	assert.NoError(t, json.Unmarshal([]byte(want), &wanted))
	for name, value := range wanted {
		a, _ := json.Marshal(got[name])
		b, _ := json.Marshal(value)
		_, ok := got[name]
		assert.True(t, ok && string(a) == string(b), "%s: %s, want %s", name, a, b)
	}
}

func TestFullGivesBackWhatWasSaved(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	assert.Equal(t, members(full["persona"]), singleMembers, "persona")
	var document map[string]any
	assert.NoError(t, json.Unmarshal([]byte(gatePersona), &document))
	for i, m := range full["machines"].([]any) {
		machine := m.(map[string]any)
		if machine["id"] == "" || machine["id"] != machine["machine_id"] {
			t.Errorf("machine %d: id %v, machine_id %v", i, machine["id"], machine["machine_id"])
		}
		delete(machine, "id")
		delete(machine, "machine_id")
		checkJSON(t, map[string]any{"machine": machine}, jsonOf(t, map[string]any{"machine": document["machines"].([]any)[i]}))
	}
	for _, list := range []string{"variables", "machine_links"} {
		checkJSON(t, full, jsonOf(t, map[string]any{list: document[list]}))
	}
	author := h.savePersona(strings.Replace(gatePersona, `"description": "Keeps`, `"perplexity_description": "find me", "x-note": {"b": 1, "a": [2]}, "id": "mine", "description": "Keeps`, 1))
	answer := h.send(alice, "GET", wire.Path(wire.PathFull, author), "").is(200)
	var again wire.FullPersona
	if err := json.Unmarshal(answer.body, &again); err != nil || again.Persona.ID != author || again.PerplexityDescription != "find me" ||
		len(again.Extra) != 1 || again.Extra[0].Name != "x-note" || string(again.Extra[0].Value) != `{"b":1,"a":[2]}` {
		t.Errorf("%+v, %v, read from %s", again, err, answer.body)
	}
	bare := `{"name": "B", "description": "b", "persona_identity_prompt": "p", "machines": [{"machine_key": "m",
		"states": [{"state_key": "a", "is_initial_state": true}, {"state_key": "b", "is_terminal_state": true}],
		"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass", "score_delta": 3}]}]}`
	full = h.send(alice, "GET", wire.Path(wire.PathFull, h.savePersona(bare)), "").want(200)
	checkJSON(t, full, `{"variables": [], "machine_links": []}`)
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text := assert.Value(json.Marshal(value))(t)
	return string(text)
}

func TestListPersonas(t *testing.T) {
	h := begin(t)
	h.publishPersona()
	hidden := h.savePersona(strings.Replace(gatePersona, "Gate guard", "Hidden", 1))
	newest := h.savePersona(strings.Replace(gatePersona, "Gate guard", "Newest", 1))
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+newest, "").want(200)
	const all, public = "Newest Hidden Gate guard", "Newest Gate guard"
	for _, c := range []struct{ who, query, want string }{
		{"", "", public},
		{"", "?public_only=true", public},
		{"", "?public_only=false", public},
		{"", "?limit=1", "Newest"},
		{"", "?limit=100&unknown=1", public},
		{"", "?my_personas=false", public},
		{alice, "", public},
		{alice, "?public_only=false", all},
		{bob, "?public_only=false", public},
		{alice, "?my_personas=true", all},
		{alice, "?my_personas=true&public_only=false", all},
		{alice, "?my_personas=true&public_only=true", public},
		{alice, "?my_personas=true&limit=2", "Newest Hidden"},
		{bob, "?my_personas=true", ""},
	} {
		h.run(t, caseName(c.who, c.query), func(t *testing.T, h *harness) {
			answer := h.send(c.who, "GET", wire.PathPersonas+c.query, "")
			var items []wire.PersonaItem
			if answer.want(200); json.Unmarshal(answer.body, &items) != nil || items == nil {
				t.Fatalf("%s: %s", c.query, answer.body)
			}
			var names []string
			for _, item := range items {
				names = append(names, item.Name)
				assert.Equal(t, item.IsPublic, item.ID != hidden, "%s: %s is public", c.query, item.Name)
			}
			assert.Equal(t, strings.Join(names, " "), c.want, "%q %s", c.who, c.query)
		})
	}
	h.send("", "GET", wire.PathPersonas+"?my_personas=true", "").fails(401, wire.CodeUnauthenticated)
}

// TestTable checks properties that answers do not show: every row is complete and exists once.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range routes {
		t.Run(row.ID, func(t *testing.T) {
			assert.True(t, !seen[row.ID] && !seen[row.Method+row.Path], "it stands there twice")
			seen[row.ID], seen[row.Method+row.Path] = true, true
			_, ok := api.RateLimits[row.Limit]
			assert.True(t, ok && row.register != nil && len(row.Success) != 0 && row.Access != "", "something is missing: %+v", row.Route)
			if row.Idempotent && row.MaxBody == 0 || row.MaxBody > 0 && row.Method != http.MethodPost {
				t.Errorf("no such body can be: %+v", row.Route)
			}
			if row.Access.NeedsAPIKey() != row.IsSDK() && !strings.HasPrefix(row.Path, wire.PathAPIKeys) {
				t.Errorf("%s is called with access %q", row.Path, row.Access)
			}
		})
	}
	assert.Equal(t, len(routes), 16+12+8, "routes want the interface's sixteen the twelve that it leaves unnamed and eight of our own")
}

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

// TestDeleteTakesEverythingAlong: deleting a persona that was played empties every table.
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

// TestPortraits: a picture is stored without its metadata, returned, and shown on the page; an
// invalid or too large one is refused with its path, for any sender.
func TestPortraits(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 24, 24))))
	face := b.Bytes()
	uri := func(data []byte) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data) }
	most := append(bytes.Clone(face), make([]byte, portrait.MaxBytes-len(face))...)
	h := begin(t)
	with := func(value string) string { return strings.Replace(gatePersona, "{", `{"portrait": "`+value+`",`, 1) }
	for name, refused := range map[string]string{
		"face.png":                           "the picture itself",
		"https://example.com/face.png":       "the picture itself",
		"javascript:alert(1)":                "the picture itself",
		"data:image/svg+xml;base64,PHN2Zy8+": "not a PNG, JPEG or GIF",
		"data:text/html;base64,PGI+":         "not a PNG, JPEG or GIF",
		"data:image/jpeg;base64," + uri(face)[len("data:image/png;base64,"):]: "it is a PNG",
		uri(face[:60]):                "cannot be read as a PNG",
		uri(append(most, 0)):          "at most 65536 are allowed",
		uri(append(most, 0, 0, 0, 0)): "at most 65536 are allowed",
	} {
		answer := h.send(alice, "POST", "/api/v1/creator/save", with(name))
		if answer.status != 400 && answer.status != 422 {
			t.Fatalf("%.40s: %d %s", name, answer.status, answer.body)
		}
		if text := string(answer.body); !strings.Contains(text, refused) || !strings.Contains(text, `"portrait"`) || len(text) > 2000 {
			t.Errorf("%.40s: %.400s, want %q", name, text, refused)
		}
	}
	commented := bytes.Clone(face[:33]) // A text chunk behind IHDR.
	commented = append(append(commented, "\x00\x00\x00\x0ftEXtComment\x00at home#\xa7\xad\x86"...), face[33:]...)
	for _, sent := range [][]byte{most, face, commented} {
		id := h.savePersona(with(uri(sent)))
		var full struct {
			Persona struct{ Portrait string }
		}
		if err := json.Unmarshal(h.send(alice, "GET", "/api/v1/personas/"+id+"/full", "").body, &full); err != nil || full.Persona.Portrait != uri(face) {
			t.Errorf("%v: %.60s", err, full.Persona.Portrait)
		}
	}
	page := string(h.send("", "GET", strings.TrimPrefix(h.link(with(uri(face))), h.URL()), "").body)
	if !strings.Contains(page, `<img class="face" src="`+strings.ReplaceAll(uri(face), "+", "&#43;")+`" alt="`) && !strings.Contains(page, `<img class="face" src="`+uri(face)+`" alt="`) {
		t.Errorf("the page does not show it: %.3000s", page[strings.Index(page, "<body>"):])
	}
}
