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

func playFirstMachine(h *harness) (id string) {
	id = h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "let me in [[pass]]")).want(200)
	h.send("", "POST", wire.Path(wire.PathInitSession, id)+"?machine_id=hall", initJSON("ann")).want(200)
	return id
}

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
		assert.True(t, asked[routes[i].ID], "%s: not tested", routes[i].ID)
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

// TestPlayLinks: the address for play links is configurable, and machines are named by key or id.
func TestPlayLinks(t *testing.T) {
	h := begin(t, func(o *Options) { o.PlayURL = "https://play.example/p/" })
	id := playFirstMachine(h)
	link := h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	assert.Equal(t, link["play_link"], any("https://play.example/p/"+id))
	hall := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)["machines"].([]any)[1].(map[string]any)
	byID := fmt.Sprintf("?machine_id=%s", hall["machine_id"])
	assert.Equal(t, h.send("", "POST", wire.Path(wire.PathInitSession, id)+byID, initJSON("ann")).want(200)["machine_id"], hall["id"], "opened")
	progress := h.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=ann", "").want(200)
	checkJSON(t, progress, fmt.Sprintf(`{"persona_id": %q, "current_machine_id": %q, "relationship_level": 3, "total_score": 2, "has_links": true, "cross_machine_vars": {}}`, id, hall["id"]))
	for list, want := range map[string]string{
		"completed_machines": "completed_at machine_id machine_key name outcome score", "available_machines": machMembers,
		"route_path": "entered_at machine_id machine_key name",
	} {
		assert.Equal(t, members(progress[list].([]any)[0]), want, list)
	}
}

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

func TestFullPersonaEqualsSavedOne(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	assert.Equal(t, members(full["persona"]), singleMembers, "persona")
	var document map[string]any
	assert.NoError(t, json.Unmarshal([]byte(gatePersona), &document))
	for i, m := range full["machines"].([]any) {
		machine := m.(map[string]any)
		assert.True(t, machine["id"] != "" && machine["id"] == machine["machine_id"], "machine %d: id %v, machine_id %v", i, machine["id"], machine["machine_id"])
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
	err := json.Unmarshal(answer.body, &again)
	assert.NoError(t, err)
	assert.Equal(t, again.Persona.ID, author)
	assert.Equal(t, again.PerplexityDescription, "find me")
	assert.Must(t, len(again.Extra) == 1, "%+v, %v, read from %s", again, err, answer.body)
	assert.Equal(t, again.Extra[0].Name, "x-note")
	assert.Equal(t, string(again.Extra[0].Value), `{"b":1,"a":[2]}`)
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

// TestTable checks properties that answers do not show: every row is complete and exists once.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range routes {
		t.Run(row.ID, func(t *testing.T) {
			assert.True(t, !seen[row.ID] && !seen[row.Method+row.Path], "it stands there twice")
			seen[row.ID], seen[row.Method+row.Path] = true, true
			_, ok := api.RateLimits[row.Limit]
			assert.Must(t, ok, "something is missing: %+v", row.Route)
			assert.True(t, row.register != nil && len(row.Success) != 0 && row.Access != "", "a field is missing: %+v", row.Route)
			if row.Idempotent && row.MaxBody == 0 || row.MaxBody > 0 && row.Method != http.MethodPost {
				t.Errorf("no such body can be: %+v", row.Route)
			}
			assert.True(t, row.Access.NeedsAPIKey() == row.IsSDK() || strings.HasPrefix(row.Path, wire.PathAPIKeys), "%s is called with access %q", row.Path, row.Access)
		})
	}
	assert.Equal(t, len(routes), 16+12+8, "routes want the interface's sixteen the twelve that it leaves unnamed and eight of our own")
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
		assert.Must(t, answer.status == 400 || answer.status == 422, "%.40s: %d %s", name, answer.status, answer.body)
		text := string(answer.body)
		assert.Contains(t, text, refused)
		assert.Contains(t, text, `"portrait"`)
		assert.True(t, len(text) <= 2000, "%.40s: %.400s, want %q", name, text, refused)
	}
	commented := bytes.Clone(face[:33]) // A text chunk behind IHDR.
	commented = append(append(commented, "\x00\x00\x00\x0ftEXtComment\x00at home#\xa7\xad\x86"...), face[33:]...)
	for _, sent := range [][]byte{most, face, commented} {
		id := h.savePersona(with(uri(sent)))
		var full struct {
			Persona struct{ Portrait string }
		}
		err := json.Unmarshal(h.send(alice, "GET", "/api/v1/personas/"+id+"/full", "").body, &full)
		assert.True(t, err == nil && full.Persona.Portrait == uri(face), "%v: %.60s", err, full.Persona.Portrait)
	}
	page := string(h.send("", "GET", strings.TrimPrefix(h.link(with(uri(face))), h.URL()), "").body)
	if page = strings.ReplaceAll(page, "&#43;", "+"); !strings.Contains(page, `<img class="face" src="`+uri(face)+`" alt="`) {
		t.Errorf("the page does not show it: %.3000s", page[strings.Index(page, "<body>"):])
	}
}
