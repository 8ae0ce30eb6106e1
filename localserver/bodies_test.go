package localserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/wire"
)

// TestBlankAndNULAreRefused: a blank text of any script counts as empty, and NUL is refused.
func TestBlankAndNULAreRefused(t *testing.T) {
	h := begin(t)
	id := h.openGate()
	for name, text := range map[string]string{
		"no-break space": "\u00a0", "em space": "\u2003", "ideographic space": "\u3000", "zero-width space": "\u200b", "word joiner": "\u2060",
		"byte order mark": "\ufeff", "soft hyphen": "\u00ad", "mark of direction": "\u200e", "Hangul filler": "\u3164", "Braille blank": "\u2800",
		"next line": "\u0085", "several": " \u200b\u3000\t", "NUL": "a\x00b", "NUL alone": "\x00",
	} {
		says := "must not be empty"
		if strings.Contains(text, "\x00") {
			says = "must not contain a NUL character"
		}
		h.run(t, name, func(t *testing.T, h *harness) {
			for _, c := range []struct{ who, path, body, member string }{
				{"", wire.Path(wire.PathInitSession, id), initJSON("ann"), "player_name"},
				{"", wire.Path(wire.PathInitSession, id), initJSON("ann"), "user_session_id"},
				{"", wire.Path(wire.PathMessage, id), messageJSON("ann", "x"), "message"},
				{"", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "x"), "user_session_id"},
				{alice, wire.PathMigrateProgress, `{}`, "old_session_id"},
				{alice, wire.PathAPIKeys, `{}`, "name"},
				{alice, wire.PathGenerate, `{}`, "description"},
			} {
				e := h.send(c.who, "POST", c.path, withMember(t, c.body, c.member, text)).fails(422, wire.CodeInvalid)
				assert.Equal(t, e.Message, c.member+": "+says, c.path)
			}
			for _, path := range []string{wire.PathHistory, wire.PathProgress, wire.PathAvailableMachines} {
				e := h.send("", "GET", wire.Path(path, id)+"?user_session_id="+url.QueryEscape(text), "").fails(422, wire.CodeInvalid)
				assert.Equal(t, e.Message, "user_session_id: "+says, path)
				assert.Equal(t, len(e.Details), 1, path)
			}
		})
	}
	h.send(h.key(alice), "POST", wire.PathSDKValidate, `{"model": "a\u0000"}`).fails(422, wire.CodeInvalid)
	for _, visible := range []string{"\u00a0x", "é", "👍🏽", "\u0301", "x\u200b"} {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
		h.send("", "POST", wire.Path(wire.PathMessage, id), withMember(t, messageJSON("ann", ""), "message", visible)).want(200)
	}
}

// TestBodiesAsTheyCome: a byte order mark is ignored, and so is a number that is too large in an unread
// member. Anything but an object is refused.
func TestBodiesAsTheyCome(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, message := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathMessage, id)
	h.client = http.DefaultClient // The description does not cover these.
	h.send("", "POST", init, "\ufeff"+initJSON("ann")).want(200)
	h.send(alice, "POST", wire.PathSave, "\ufeff"+gatePersona).want(201)
	h.send(alice, "POST", wire.PathAPIKeys, "\ufeff"+`{"name": "game"}`).want(201)
	for _, body := range []string{`null`, `[]`, ` "x"`, `1`, `true`} {
		assert.Equal(t, h.send("", "POST", init, body).fails(422, wire.CodeInvalid).Message, "the body must be a JSON object", body)
		e := h.send(alice, "POST", wire.PathSave, body).fails(422, wire.CodeInvalid)
		assert.Contains(t, e.Message, "document", body)
	}
	assert.Equal(t, h.send(h.key(alice), "POST", wire.PathSDKValidate, `[]`).fails(422, wire.CodeInvalid).Message, "the body must be a JSON object")
	for _, unread := range []string{`1e400`, `-1e4000`, `[{"a": [1e999]}]`, `1e-4000`, `123456789012345678901234567890`} {
		h.send("", "POST", init, initJSON("ann")).want(200)
		h.send("", "POST", message, `{"user_session_id": "ann", "message": "hm", "unread": `+unread+`}`).want(200)
	}
	for member, body := range map[string]string{
		"message":         `{"user_session_id": "ann", "message": 1e400}`,
		"user_session_id": `{"user_session_id": [1e400], "message": "x"}`,
	} {
		assert.Equal(t, h.send("", "POST", message, body).fails(422, wire.CodeInvalid).Message, member+": must be a text", body)
	}
	for _, path := range []string{init, wire.PathSave} {
		for _, nothing := range []string{"", " \r\n", "\ufeff", "\ufeff \n"} {
			assert.Equal(t, h.send(alice, "POST", path, nothing).fails(400, wire.CodeBadRequest).Message, "the body is empty: it must be a JSON object", nothing)
		}
	}
}

// TestInvalidQueriesAreRefused: the error names a semicolon and invalid UTF-8.
func TestInvalidQueriesAreRefused(t *testing.T) {
	h := begin(t)
	for query, words := range map[string]string{
		"limit=5;public_only=true": "semicolon", "limit=5&a=b;c": "semicolon", ";": "semicolon",
		"limit=%zz": "two hexadecimal digits", "user_session_id=%ff": "UTF-8", "%ff=1": "UTF-8",
	} {
		assert.Contains(t, h.send("", "GET", wire.PathPersonas+"?"+query, "").fails(400, wire.CodeBadRequest).Message, words, query)
	}
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("a;b")).want(200)
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=a%3Bb", "").want(200)
}

// TestIDsInUpperCase: ids are accepted in upper case; a player's session id stays unchanged.
func TestIDsInUpperCase(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	upper := strings.ToUpper(id)
	machine := h.send(alice, "POST", wire.Path(wire.PathInitSession, upper), initJSON("ann")).want(200)["machine_id"].(string)
	onMachine := "?machine_id=" + strings.ToUpper(machine)
	h.send(alice, "POST", wire.Path(wire.PathInitSession, id)+onMachine, initJSON("ann")).want(200)
	h.send(alice, "POST", wire.Path(wire.PathMessage, upper)+onMachine, messageJSON("ann", "hm [[redirect]]")).want(200)
	for i := range routes {
		row := &routes[i]
		if !strings.Contains(row.Path, "{persona_id}") && row.ID != "publish" || row.ID == "delete-persona" || row.ID == "delete-session" {
			continue
		}
		if row.Access.NeedsAPIKey() {
			h.send(h.key(alice), "POST", wire.Path(wire.PathSDKInitSession, upper), initJSON("ann")).want(200)
		}
		if row.ID == "history" || row.ID == "reset" {
			h.send(alice, row.Method, pathOf(row, upper)+strings.Replace(onMachine, "?", "&", 1), "").want(200)
		}
		want := 200
		if strings.HasSuffix(row.ID, "fork") {
			want = 201
		}
		h.send(h.as(row, alice), row.Method, pathOf(row, upper), bodyOf(row)).want(want)
		h.send(alice, "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")) // It may be reset now.
	}
	h.send(alice, "POST", wire.PathSave+"?persona_id="+upper, gatePersona).want(200)
	h.send("", "GET", "/play/"+upper, "").want(200)
	key := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "x"}`).want(201)["id"].(string)
	h.send(alice, "DELETE", wire.Path(wire.PathAPIKey, strings.ToUpper(key)), "").want(204)
	h.send(alice, "POST", wire.Path(wire.PathInitSession, id), initJSON(id)).want(200)
	h.send(alice, "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+upper, "").fails(404, wire.CodeNotFound)
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, upper), "").want(204)
}

// TestNamesAreExact: a member that differs from a known one in case is unknown.
func TestNamesAreExact(t *testing.T) {
	h := begin(t)
	id := h.openGate()
	body := `{"user_session_id": "ann", "message": "hm [[redirect]]", "Message": "hm [[pass]]", "me\u017f\u017fage": "hm [[pass]]"}`
	reply := h.send("", "POST", wire.Path(wire.PathMessage, id), body).want(200)
	assert.True(t, reply["decision"] == "redirect", "another spelling of message was obeyed: %v", reply)
	for _, same := range []string{`[1]`, `"x"`, `{`, ``, `{"a": 1, "b_2": {"C": 2}}`} {
		assert.Equal(t, string(usableMembers([]byte(same), bodyMembers([]byte(same)))), same, "became")
	}
}

// TestSavedCopyGetsNewIDs: if a returned persona is saved again, the server assigns new ids.
func TestSavedCopyGetsNewIDs(t *testing.T) {
	h := begin(t)
	first := h.send("", "GET", wire.Path(wire.PathFull, h.publishPersona()), "").want(200)
	var document map[string]any
	assert.NoError(t, json.Unmarshal([]byte(gatePersona), &document))
	document["machines"] = first["machines"]
	copied := assert.Value(json.Marshal(document))(t)
	id := h.send(bob, "POST", wire.PathSave, string(copied)).want(201)["persona_id"].(string)
	text := h.send(bob, "GET", wire.Path(wire.PathFull, id), "").is(200)
	for _, m := range first["machines"].([]any) {
		old := m.(map[string]any)["id"].(string)
		assert.NotContains(t, string(text.body), old, "the copy names the first one's machine")
	}
	for _, name := range []string{`"id":`, `"machine_id":`} {
		n, machines := strings.Count(string(text.body), name), len(first["machines"].([]any))
		assert.True(t, n <= machines+1, "%s stands %d times for %d machines", name, n, machines)
	}
}

// TestUnlockedMachinesExist: a completion does not refer to a machine that was removed.
func TestUnlockedMachinesExist(t *testing.T) {
	h := begin(t)
	linked := strings.TrimSuffix(strings.TrimSpace(twoRooms), "}") +
		`, "machine_links": [{"source_machine_key": "a", "target_machine_key": "b", "condition_type": "always"}]}`
	for _, c := range []struct {
		newer string
		names int
	}{{linked, 1}, {oneRoom, 0}} {
		h.run(t, caseName(c.names, "names"), func(t *testing.T, h *harness) {
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

// TestRepeatedHeadersAreRefused: a second key, token or idempotency key is refused.
func TestRepeatedHeadersAreRefused(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for _, name := range []string{
		"Authorization", "Content-Type", wire.HeaderIdempotencyKey, wire.HeaderAPIKey, wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey,
	} {
		url, body := h.URL()+wire.Path(wire.PathInitSession, id), strings.NewReader(initJSON("twice"))
		r := assert.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, url, body))(t)
		r.Header[http.CanonicalHeaderKey(name)] = []string{"application/json", "application/json"}
		response := assert.Value(http.DefaultClient.Do(r))(t)
		assert.Equal(t, response.StatusCode, http.StatusBadRequest, "%s: %s", name, response.Status)
		assert.NoError(t, response.Body.Close())
	}
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=twice", "").fails(404, wire.CodeNotFound)
}

// TestWrittenOutPersonas: a saved persona can be read again, regardless of the size of its escaped
// characters; if the result would be too long, the save is refused.
func TestWrittenOutPersonas(t *testing.T) {
	h := begin(t)
	for name, refused := range map[string]bool{"prompts of ampersands": false, "DEL": true} {
		if refused {
			text := strings.Replace(gatePersona, "{", `{"x-a":"`+strings.Repeat("\x7f", personas.MaxFile/5)+`",`, 1)
			h.send(alice, "POST", wire.PathSave, text).fails(422, wire.CodeInvalid)
			continue
		}
		id := h.savePersona(personatest.Find(name).Text(personas.MaxFile, 1))
		h.send(alice, "GET", wire.Path(wire.PathFull, id), "").want(200)
	}
}

// TestReadDocumentStopsWithItsCaller: reading a document stops when its caller disconnects.
func TestReadDocumentStopsWithItsCaller(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	assert.Value(readDocument(ctx, []byte(gatePersona)))(t)
	leave()
	_, err := readDocument(ctx, []byte(gatePersona))
	assert.ErrorIs(t, err, context.Canceled, "a document was read")
	stages := &leavingAfter{Context: t.Context(), stages: 1}
	_, err = readDocument(stages, []byte(`{"name":1}`))
	assert.ErrorIs(t, err, context.Canceled, "a document was checked")
}

type leavingAfter struct {
	context.Context
	stages int
}

func (l *leavingAfter) Err() error {
	if l.stages--; l.stages < 0 {
		return context.Canceled
	}
	return nil
}

func expandingPersona(placeholder string, times, characters int) string {
	document := strings.Replace(gatePersona, "Halt, {{player_name}}.", strings.Repeat("{{"+placeholder+"}}", times), 1)
	return strings.Replace(document, `"value": "Ash"`, `"value": "`+strings.Repeat("x", characters)+`"`, 1)
}

// TestExpansionAtSave: a text that the document's defaults make too long is refused with its path.
func TestExpansionAtSave(t *testing.T) {
	h := begin(t)
	h.send(alice, "POST", wire.PathSave, expandingPersona("city", 1000, 64)).want(201)
	for _, document := range []string{expandingPersona("city", 1000, 65), expandingPersona("city", 7000, 64000)} {
		refusal := h.send(alice, "POST", wire.PathSave, document).fails(422, wire.CodeInvalid)
		assert.Must(t, len(refusal.Details) == 1, "refused with %+v", refusal)
		assert.Equal(t, refusal.Details[0].Path, "machines[0].states[0].offline.opening[0]")
		assert.Contains(t, refusal.Details[0].Message, "at most 64000 are allowed")
	}
}

// TestExpansionAtPlay: a text that a player's name makes too long is refused when it is played.
func TestExpansionAtPlay(t *testing.T) {
	h := begin(t)
	id := h.savePersona(expandingPersona("player_name", 4000, 1))
	body := func(name int) string {
		return `{"player_name": "` + strings.Repeat("K", name) + `", "player_gender": "female", "user_session_id": "u"}`
	}
	address := wire.Path(wire.PathInitSession, id)
	answer := h.send(alice, "POST", address, body(16)).want(200)
	assert.Equal(t, len(answer["message"].(string)), personas.MaxExpanded, "characters at the limit")
	refusal := h.send(alice, "POST", address, body(17)).fails(422, wire.CodeInvalid)
	assert.Contains(t, refusal.Message, "a line of state outside, enter has more than 64000 characters")
	h.send(alice, "POST", address, body(1)).want(200)
}

func withNames(t *testing.T, body string, names map[string]any) string {
	t.Helper()
	object := map[string]any{}
	if body != "" {
		assert.NoError(t, json.Unmarshal([]byte(body), &object))
	}
	for name, value := range names {
		object[name] = value
	}
	text := assert.Value(json.Marshal(object))(t)
	return string(text)
}

// TestNamesInTheBody tries every endpoint about a session: a parameter in the body has the same
// effect as in the query, and two different values are refused.
func TestNamesInTheBody(t *testing.T) {
	h := begin(t)
	h.client = http.DefaultClient // The description has user_session_id in the query, as the interface does.
	id := playFirstMachine(h)
	h.send(h.key(alice), "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for i := range routes {
		row := &routes[i]
		if !row.NamesSession() {
			continue
		}
		h.run(t, row.ID, func(t *testing.T, h *harness) {
			who := h.as(row, alice)
			if !row.Access.NeedsAPIKey() {
				who = ""
			}
			body := map[string]string{"init-session": initJSON("ann"), "message": messageJSON("ann", "hm"), "fork": `{"user_session_id": "ann", "at": 0}`}[strings.TrimSuffix(strings.TrimPrefix(row.ID, "sdk-"), "-stream")]
			send := func(query string, names map[string]any) replied {
				text := body
				if names != nil {
					text = withNames(t, body, names)
				}
				return h.send(who, row.Method, wire.Path(row.Path, id)+query, text)
			}
			for _, c := range []struct {
				query string
				names map[string]any
				fault string // the member that is refused
			}{
				{"?user_session_id=ann", map[string]any{"user_session_id": "ben"}, "user_session_id"},
				{"?user_session_id=ann&machine_id=gate", map[string]any{"machine_id": "hall"}, "machine_id"},
				{"?user_session_id=ann&machine_id=gate&machine_id=hall", nil, "machine_id"},
				{"?user_session_id=ann", map[string]any{"machine_id": 7}, "machine_id"},
				{"?user_session_id=ann&machine_id=gate", map[string]any{"machine_id": nil}, ""},
				{"?user_session_id=ann&machine_id=gate", map[string]any{"machine_id": "", "user_session_id": "ann"}, ""},
				{"?user_session_id=ann&machine_id=gate", map[string]any{"machine_id": "gate", "user_session_id": "ann"}, ""},
				{"", map[string]any{"machine_id": "gate", "user_session_id": "ann"}, ""},
				{"?user_session_id=ann", map[string]any{"machine_id": "cellar"}, "no such machine"},
			} {
				answer := send(c.query, c.names)
				switch isProgress := !strings.Contains(row.Path, "/chat/"); {
				case c.fault == "no such machine":
					assert.True(t, answer.status == 404 || isProgress || row.ID == "sdk-machines" || strings.HasSuffix(row.ID, "branches"),
						"the machine of the body is not looked for: %d %s", answer.status, answer.body)
				case c.fault == "" && !slices.Contains(row.Success, answer.status) && answer.status != 409:
					t.Errorf("%s with %v: %d %s", c.query, c.names, answer.status, answer.body)
				case c.fault != "" && (answer.status != 422 || !strings.Contains(string(answer.body), c.fault+": ")):
					t.Errorf("%s with %v: %d %s, want 422 about %s", c.query, c.names, answer.status, answer.body, c.fault)
				}
			}
		})
	}
}

// TestIDsInBodyIgnoreCase: ids are compared ignoring case, and invalid JSON is refused as everywhere.
func TestIDsInBodyIgnoreCase(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	machine := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)["machine_id"].(string)
	history := wire.Path(wire.PathHistory, id) + "?user_session_id=ann"
	h.send("", "GET", history+"&machine_id="+machine, fmt.Sprintf(`{"machine_id": %q}`, strings.ToUpper(machine))).want(200)
	h.client = http.DefaultClient
	for body, want := range map[string]int{
		`{"machine_id": "gate"`: 400, `["gate"]`: 422, "\xff": 400, " \n": 200, `{"machine_id": "gate", "more": 1}`: 200,
		`{"Machine_id": "hall"}`: 200,
	} {
		assert.Equal(t, h.send("", "GET", history, body).status, want, body)
	}
	r := assert.Value(http.NewRequest("POST", h.URL()+wire.Path(wire.PathReset, id)+"?user_session_id=ann", strings.NewReader("machine_id=gate")))(t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := assert.Value(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	assert.Equal(t, answer.StatusCode, http.StatusUnsupportedMediaType, "a form: %d %s", answer.StatusCode, text)
}
