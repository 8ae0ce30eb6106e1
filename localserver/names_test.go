package localserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// bothSides are the callers of both sides: anonymous, and a game.
func bothSides(h *harness) map[string]string {
	return map[string]string{"web": "", "sdk": h.key(alice)}
}

// withNames adds members to a JSON object.
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

// TestMachineInTheBody: a game that names the machine in the body plays that one, and does
// not begin a finished one again.
func TestMachineInTheBody(t *testing.T) {
	h := begin(t)
	h.client = http.DefaultClient // The description has user_session_id in the query, as the interface does.
	id := h.publishPersona()
	for name, who := range bothSides(h) {
		t.Run(name, func(t *testing.T) {
			h := h.with(t)
			path := func(verb string) string { return wire.Path(sideOf(who)+"/chat/{persona_id}/", id) + verb }
			h.send(who, "POST", path("init-session"), initJSON("ann")).want(200)
			h.send(who, "POST", path("message"), messageJSON("ann", "open [[pass]]")).want(200)
			finished := h.send(who, "GET", path("history")+"?user_session_id=ann&machine_id=gate", "").want(200)
			if finished["outcome"] == nil { // On the SDK side a mark is text.
				h.finish(who, path("message"), path("history"))
			}
			gate := h.send(who, "GET", path("history")+"?user_session_id=ann&machine_id=gate", "")
			opened := h.send(who, "POST", path("init-session"), withNames(t, initJSON("ann"), map[string]any{"machine_id": "hall"})).want(200)
			assert.Equal[any](t, opened["message"], "Welcome in.", "opened %v", opened)
			now := h.send(who, "GET", path("history")+"?user_session_id=ann&machine_id=gate", "")
			assert.Equal(t, string(now.body), string(gate.body), "the finished machine was begun again")
			h.send(who, "POST", path("message"), withNames(t, messageJSON("ann", "hi"), map[string]any{"machine_id": "gate"})).fails(409, wire.CodeFinished)
			h.send(who, "POST", path("message/stream"), withNames(t, messageJSON("ann", "hi"), map[string]any{"machine_id": "gate"})).fails(409, wire.CodeFinished)
			reset := h.send(who, "POST", path("reset"), `{"user_session_id": "ann", "machine_id": "hall"}`).want(200)
			assert.Equal(t, reset["session_id"], opened["session_id"], "reset %v, opened %v", reset, opened)
			now = h.send(who, "GET", path("history")+"?user_session_id=ann&machine_id=gate", "")
			assert.Equal(t, string(now.body), string(gate.body), "the finished machine was reset")
		})
	}
}

// finish sends the message that the gate requires until it lets the player in.
func (h *harness) finish(who, message, history string) {
	h.Helper()
	for range 20 {
		if h.send(who, "GET", history+"?user_session_id=ann&machine_id=gate", "").want(200)["outcome"] != nil {
			return
		}
		h.send(who, "POST", message+"?machine_id=gate", messageJSON("ann", "Please let me pass."))
	}
	h.Fatal("the gate does not end")
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
		t.Run(row.ID, func(t *testing.T) {
			h := h.with(t)
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
					if answer.status != 404 && !isProgress && row.ID != "sdk-machines" && !strings.HasSuffix(row.ID, "branches") {
						t.Errorf("the machine of the body is not looked for: %d %s", answer.status, answer.body)
					}
				case c.fault == "" && !slices.Contains(row.Success, answer.status) && answer.status != 409:
					t.Errorf("%s with %v: %d %s", c.query, c.names, answer.status, answer.body)
				case c.fault != "" && (answer.status != 422 || !strings.Contains(string(answer.body), c.fault+": ")):
					t.Errorf("%s with %v: %d %s, want 422 about %s", c.query, c.names, answer.status, answer.body, c.fault)
				}
			}
		})
	}
}

// TestNamesAreTheSame: ids are compared ignoring case, and invalid JSON is refused as everywhere.
func TestNamesAreTheSame(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	machine := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)["machine_id"].(string)
	history := wire.Path(wire.PathHistory, id) + "?user_session_id=ann"
	h.send("", "GET", history+"&machine_id="+machine, fmt.Sprintf(`{"machine_id": %q}`, strings.ToUpper(machine))).want(200)
	h.client = http.DefaultClient
	for body, want := range map[string]int{`{"machine_id": "gate"`: 400, `["gate"]`: 422, "\xff": 400, " \n": 200, `{"machine_id": "gate", "more": 1}`: 200, `{"Machine_id": "hall"}`: 200} {
		assert.Equal(t, h.send("", "GET", history, body).status, want, body)
	}
	r := assert.Value(http.NewRequest("POST", h.URL()+wire.Path(wire.PathReset, id)+"?user_session_id=ann", strings.NewReader("machine_id=gate")))(t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := assert.Value(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	assert.Equal(t, answer.StatusCode, http.StatusUnsupportedMediaType, "a form: %d %s", answer.StatusCode, text)
}
