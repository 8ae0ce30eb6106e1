package localserver

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// expandingPersona returns the gate with an opening that contains a value the given number of
// times.
func expandingPersona(placeholder string, times, characters int) string {
	document := strings.Replace(gatePersona, "Halt, {{player_name}}.", strings.Repeat("{{"+placeholder+"}}", times), 1)
	return strings.Replace(document, `"value": "Ash"`, `"value": "`+strings.Repeat("x", characters)+`"`, 1)
}

// TestExpansionAtSave: a text that the document's own defaults make too long is refused with its
// path and the limit; a text of exactly the limit is played.
func TestExpansionAtSave(t *testing.T) {
	h := begin(t)
	h.send(alice, "POST", wire.PathSave, expandingPersona("city", 1000, 64)).want(201)
	for _, document := range []string{expandingPersona("city", 1000, 65), expandingPersona("city", 7000, 64000)} {
		refusal := h.send(alice, "POST", wire.PathSave, document).fails(422, wire.CodeInvalid)
		if len(refusal.Details) != 1 || refusal.Details[0].Path != "machines[0].states[0].offline.opening[0]" ||
			!strings.Contains(refusal.Details[0].Message, "at most 64000 are allowed") {
			t.Errorf("refused with %+v", refusal)
		}
	}
}

// TestExpansionAtPlay: a text that a player's name makes too long is refused when it is played. A
// text of exactly the limit is spoken. The server continues after both.
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
