package localserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// attacks are texts with a meaning in SQL, HTTP, a log or a template, if they are not treated as
// values.
var attacks = []string{
	`'; DROP TABLE personas; --`,
	`" OR "1"="1`,
	`' OR 1=1 --`,
	`x' UNION SELECT hash FROM api_keys --`,
	`'); DELETE FROM users; SELECT ('`,
	`?1 :id @id $id %s %n {.} ${x}`,
	`%' LIKE '_%`,
	"line\r\nSet-Cookie: a=b\r\n\r\n{\"level\":\"ERROR\"}",
	`\"}],"machines":[]`,
	"\u202e\x1b[31m<script>alert(1)</script>",
}

// quoteText returns a text as JSON.
func quoteText(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// TestTextsAreOnlyTexts sends every attack in every text that is stored, and reads it back
// unchanged.
func TestTextsAreOnlyTexts(t *testing.T) {
	h := begin(t, stopClock)
	bystander := h.publishPersona()
	for i, text := range attacks {
		player := fmt.Sprint(i, text)
		doc := strings.NewReplacer(`"Gate guard"`, quoteText(text), `"Keeps the gate"`, quoteText(text), `"You are a guard."`, quoteText(text),
			`"Ash"`, quoteText(text), `"The gate"`, quoteText(text), `"Get in"`, quoteText(text)).Replace(gatePersona)
		id := h.savePersona(doc)
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		checkJSON(t, h.send("", "GET", wire.Path(wire.PathPersona, id), "").want(200),
			fmt.Sprintf(`{"name": %[1]s, "description": %[1]s, "persona_identity_prompt": %[1]s}`, quoteText(text)))
		full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
		checkJSON(t, full["machines"].([]any)[0].(map[string]any), fmt.Sprintf(`{"name": %[1]s, "description": %[1]s}`, quoteText(text)))
		checkJSON(t, full["variables"].([]any)[0].(map[string]any), fmt.Sprintf(`{"value": %s}`, quoteText(text)))

		begun := fmt.Sprintf(`{"user_session_id": %s, "player_name": %s, "player_gender": "female"}`, quoteText(player), quoteText(text))
		opening := h.send("", "POST", wire.Path(wire.PathInitSession, id), begun, wire.HeaderIdempotencyKey, printable(text)).want(200)
		checkJSON(t, opening, fmt.Sprintf(`{"user_session_id": %s, "player_name": %s}`, quoteText(player), quoteText(text)))
		said := fmt.Sprintf(`{"user_session_id": %s, "message": %s}`, quoteText(player), quoteText(text))
		h.send("", "POST", wire.Path(wire.PathMessage, id), said).want(200)
		history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+url.QueryEscape(player), "").want(200)
		checkJSON(t, history["messages"].([]any)[1].(map[string]any), fmt.Sprintf(`{"role": "user", "content": %s}`, quoteText(text)))
		moved := h.send(bob, "POST", wire.PathMigrateProgress, fmt.Sprintf(`{"old_session_id": %s}`, quoteText(player))).want(200)
		checkJSON(t, moved, fmt.Sprintf(`{"migrated_sessions": 1, "personas": [%q]}`, id))

		key := h.send(alice, "POST", wire.PathAPIKeys, fmt.Sprintf(`{"name": %s}`, quoteText(text))).want(201)
		h.tokens[text] = key["key"].(string)
		checkJSON(t, key, fmt.Sprintf(`{"name": %s}`, quoteText(text)))
	}
	h.send("", "GET", wire.Path(wire.PathPersona, bystander), "").want(200)
	if after := dump(t, h); len(after["personas"]) != 1+len(attacks) || len(after["sessions"]) != len(attacks) || len(after["api_keys"]) != len(attacks) {
		t.Errorf("%d personas, %d sessions, %d keys", len(after["personas"]), len(after["sessions"]), len(after["api_keys"]))
	}
	forgedLines(t, h)
}

// printable is a text that fits into a header.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '.'
		}
		return r
	}, text)
}

// forgedLines reads the log and returns the lines that are not ours.
func forgedLines(t *testing.T, h *harness) {
	t.Helper()
	for line := range strings.Lines(h.journal.String()) {
		var entry struct{ Level, Msg string }
		err := json.Unmarshal([]byte(line), &entry)
		assert.True(t, err == nil && entry.Level != "ERROR", "%v: %s", err, line)
		assert.NotContains(t, line, "script")
		assert.NotContains(t, line, "DROP")
	}
}

// TestAddressesAreOnlyValues sends every attack in place of every id, key, number and header of
// every endpoint. It identifies nothing and has no effect.
func TestAddressesAreOnlyValues(t *testing.T) {
	h := begin(t, stopClock)
	about := stage(h, true)
	of := about("owner")
	h.send(h.as(rowOf(t, "sdk-machines"), alice), "GET", wire.PathSDKPersonas, "").want(200)
	before := dump(t, h)
	for i := range routes {
		t.Run(routes[i].ID, func(t *testing.T) {
			h := h.with(t)
			row := &routes[i]
			for _, text := range attacks {
				for name, path := range addresses(row, of, url.QueryEscape(text)) {
					_, body := of.request(row)
					got := h.send(h.as(row, alice), row.Method, path, body)
					if got.status != 404 && got.status != 400 {
						t.Errorf("%s with %s %q: status %d: %s", row.ID, name, text, got.status, got.body)
					}
					if strings.Contains(string(got.body), text) || len(got.header["Set-Cookie"]) > 0 {
						t.Errorf("%s with %s %q repeats it: %s", row.ID, name, text, got.body)
					}
				}
			}
		})
	}
	assert.True(t, maps.EqualFunc(before, dump(t, h), slices.Equal), "something was changed")
}

// addresses returns the paths of a row with the text, escaped, in each place of a name; all other
// names in the path exist.
func addresses(row *route, of subject, text string) map[string]string {
	path, _ := of.request(row)
	asked, values, _ := strings.Cut(path, "?")
	in := map[string]string{}
	if strings.Contains(row.Path, "{") {
		in["path"] = wire.Path(row.Path, "")[:strings.Index(row.Path, "{")] + strings.ReplaceAll(text, "+", "%20") + row.Path[strings.Index(row.Path, "}")+1:] + "?" + values
	}
	if strings.HasPrefix(values, "persona_id=") {
		in["persona_id"] = asked + "?persona_id=" + text
	}
	switch row.ID {
	case "list-personas":
		for _, name := range []string{"limit", "public_only", "my_personas"} {
			in[name] = asked + "?" + name + "=" + text
		}
	case "init-session", "message", "message-stream", "history", "reset",
		"sdk-init-session", "sdk-message", "sdk-message-stream", "sdk-history", "sdk-reset", "sdk-session":
		in["machine_id"] = asked + "?" + strings.TrimPrefix(values+"&machine_id="+text, "&")
	}
	switch row.ID {
	case "history", "reset", "sdk-history", "sdk-reset", "sdk-session":
		in["user_session_id"] = asked + "?user_session_id=" + text
	}
	return in
}

// TestNamesOfUsers signs in with an address that has a quote in it.
func TestNamesOfUsers(t *testing.T) {
	h := begin(t)
	const email = `o'brien'--@example.com`
	checkJSON(t, h.send(email, "GET", wire.PathMe, "").want(200), fmt.Sprintf(`{"email": %q}`, email))
	h.send(email, "POST", wire.PathSave, gatePersona).want(201)
}
