package localserver

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestPagesOfPersonas: the header Link leads through all personas, each once, even if some are
// saved and deleted meanwhile. Callers who do not request pages do not get the header.
func TestPagesOfPersonas(t *testing.T) {
	h := begin(t)
	ids := map[string]bool{}
	for i := range 7 {
		id := h.savePersona(strings.Replace(gatePersona, "Gate guard", fmt.Sprintf("Guard %d", i), 1))
		ids[id] = true
		if i%2 == 0 {
			h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		}
	}
	for _, c := range []struct {
		who, query string
		want       int
	}{{alice, "?my_personas=true&limit=2", 7}, {alice, "?public_only=false&limit=3", 7}, {"", "?limit=1", 4}, {"", "?limit=4", 4}, {"", "?limit=5", 4}} {
		t.Run(caseName(c.who, c.query), func(t *testing.T) {
			h, path, found := h.with(t), wire.PathPersonas+c.query+"&include=total", map[string]bool{}
			for path != "" {
				a := h.send(c.who, "GET", path, "")
				a.want(200)
				assert.Equal(t, a.header.Get(wire.HeaderTotal), fmt.Sprint(c.want), "%s personas in all %d", path, c.want)
				var items []map[string]any
				a.decode(&items)
				for _, item := range items {
					assert.True(t, !found[item["id"].(string)] && item["updated_at"] == nil,
						"%s: %v again, or with more than the interface has", path, item)
					found[item["id"].(string)] = true
				}
				link := a.header.Get(wire.HeaderLink)
				if path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">"); link != "" && !strings.HasSuffix(link, `>; rel="next"`) {
					t.Errorf("Link: %s", link)
				}
			}
			assert.Equal(t, len(found), c.want, "%s personas", c.query)
		})
	}
	first := h.send(alice, "GET", wire.PathPersonas+"?my_personas=true&limit=3&include=updated_at", "")
	var items []wire.ListedPersona
	first.decode(&items)
	if first.header.Get(wire.HeaderTotal) != "" || items[0].UpdatedAt == nil || items[0].UpdatedAt.IsZero() {
		t.Errorf("with include=updated_at: %v %s", first.header, first.body)
	}
	// The one at which the next page begins goes, and a new one comes: nothing is lost.
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, items[2].ID), "").want(204)
	h.savePersona(strings.Replace(gatePersona, "Gate guard", "Latest", 1))
	next, _, _ := strings.Cut(strings.TrimPrefix(first.header.Get(wire.HeaderLink), "<"), ">")
	var rest []wire.ListedPersona
	h.send(alice, "GET", strings.Replace(next, "limit=3", "limit=100", 1), "").decode(&rest)
	assert.True(t, len(rest) == 4 && rest[0].Name == "Guard 3", "behind the first three: %+v", rest)
	h.send("", "GET", wire.PathPersonas+"?after=yesterday", "").fails(http.StatusBadRequest, wire.CodeBadRequest)
	h.send("", "GET", wire.PathPersonas+"?include=everything", "").want(422)
}

// TestPersonasByName: name finds a persona among all others, ignoring case.
func TestPersonasByName(t *testing.T) {
	h := begin(t)
	for _, name := range []string{"Élodie", "Odile Marsh", "Odile"} {
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+h.savePersona(strings.Replace(gatePersona, "Gate guard", name, 1)), "").want(200)
	}
	for name, want := range map[string]string{"odile": "Odile, Odile Marsh", "ÉLO": "Élodie", " odile m": "Odile Marsh", "dile": "", "": "Odile, Odile Marsh, Élodie"} {
		var items []wire.PersonaItem
		h.send("", "GET", wire.PathPersonas+"?name="+url.QueryEscape(name), "").decode(&items)
		var names []string
		for _, item := range items {
			names = append(names, item.Name)
		}
		assert.Equal(t, strings.Join(names, ", "), want, name)
	}
}
