package localserver

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestBlankAndNULAreRefused: a blank text, in any script, counts as empty, and NUL is refused in
// every text of every source.
func TestBlankAndNULAreRefused(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	for name, text := range map[string]string{
		"no-break space": "\u00a0", "em space": "\u2003", "ideographic space": "\u3000", "zero-width space": "\u200b", "word joiner": "\u2060",
		"byte order mark": "\ufeff", "soft hyphen": "\u00ad", "mark of direction": "\u200e", "Hangul filler": "\u3164", "Braille blank": "\u2800",
		"next line": "\u0085", "several": " \u200b\u3000\t", "NUL": "a\x00b", "NUL alone": "\x00",
	} {
		says := "must not be empty"
		if strings.Contains(text, "\x00") {
			says = "must not contain a NUL character"
		}
		t.Run(name, func(t *testing.T) {
			h := h.with(t)
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

// TestSaveRefusesBlankAndNUL: a save rejects blank texts and NUL everywhere, also in unknown
// members.
func TestSaveRefusesBlankAndNUL(t *testing.T) {
	h := begin(t)
	for change, path := range map[[2]string]string{
		{"Gate guard", `\u0000`}:              "name",
		{"Gate guard", `\u200b\u3000`}:        "name",
		{`"note": 1`, `"note": "a\u0000b"`}:   "machines[0].x-author",
		{`"note": 1`, `"no\u0000te": 1`}:      "machines[0].x-author",
		{`"note": 1`, `"note": ["\\\u0000"]`}: "machines[0].x-author",
	} {
		e := h.send(alice, "POST", wire.PathSave, strings.Replace(gatePersona, change[0], change[1], 1)).fails(422, wire.CodeInvalid)
		assert.True(t, len(e.Details) != 0 && e.Details[0].Path == path, "%v: %v", change, e)
	}
	h.send(alice, "POST", wire.PathSave, strings.Replace(gatePersona, `"note": 1`, `"note": "a\\u0000b"`, 1)).want(201) // six characters and no NUL
	e := h.send(alice, "POST", wire.PathSave, strings.Replace(gatePersona, `"pass_threshold": 2`, `"pass_threshold": 1e400`, 1)).fails(422, wire.CodeInvalid)
	assert.Contains(t, e.Message, "this number cannot be stored")
	assert.Contains(t, e.Message, "(line 5, column ")
}

// TestBodiesAsTheyCome: a byte order mark is ignored, and so is a number that is too large in an
// unread member; for anything but an object, the error describes the expected body.
func TestBodiesAsTheyCome(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, message := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathMessage, id)
	h.client = http.DefaultClient // The description does not cover these.
	h.send("", "POST", init, "\ufeff"+initJSON("ann")).want(200)
	h.send(alice, "POST", wire.PathSave, "\ufeff"+gatePersona).want(201)
	h.send(alice, "POST", wire.PathAPIKeys, "\ufeff"+`{"name": "game"}`).want(201)
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
	const wanted = "the body must be an object with player_gender, player_name and user_session_id, but it is "
	for body, is := range map[string]string{`null`: "null", `[]`: "a list", ` "x"`: "a text", `1`: "a number", `1e400`: "a number", `true`: "a boolean"} {
		assert.Equal(t, h.send("", "POST", init, body).fails(422, wire.CodeInvalid).Message, wanted+is, body)
		if e := h.send(alice, "POST", wire.PathSave, body).fails(422, wire.CodeInvalid); !strings.Contains(e.Message, "document") && body != `1e400` {
			t.Errorf("save %s: %q", body, e.Message)
		}
	}
	e := h.send(alice, "POST", wire.PathMigrateProgress, `[]`).fails(422, wire.CodeInvalid)
	assert.Equal(t, e.Message, "the body must be an object with old_session_id, but it is a list")
	assert.Equal(t, h.send(h.key(alice), "POST", wire.PathSDKValidate, `[]`).fails(422, wire.CodeInvalid).Message, "the body must be an object, but it is a list")
	for _, path := range []string{init, wire.PathSave} {
		for _, nothing := range []string{"", " \r\n", "\ufeff", "\ufeff \n"} {
			assert.Equal(t, h.send(alice, "POST", path, nothing).fails(400, wire.CodeBadRequest).Message, "the body is empty: it must be a JSON object", nothing)
		}
	}
}

// TestQueriesAreNotGuessedAt: the error names a semicolon, which package url drops together with
// its parameter, and invalid UTF-8.
func TestQueriesAreNotGuessedAt(t *testing.T) {
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

// TestIDsInUpperCase: ids are accepted in upper case wherever a request contains an id. A player's
// session id is a text and stays unchanged.
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
