package localserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestPagesAreLimited: all pages for readers share a limit, and the request at the limit is
// admitted.
func TestPagesAreLimited(t *testing.T) {
	h, clock := beginLimited(t)
	var counted []string
	for _, p := range listPages() {
		if probe := p.ID == "healthy" || p.ID == "ready" || p.ID == "metrics"; probe != (p.Limit == "") {
			t.Errorf("%s has the limit %q", p.Path, p.Limit)
		} else if !probe {
			counted = append(counted, strings.Replace(p.Path, "{persona_id}", "none", 1))
		}
	}
	most := numberOf(api.LimitPages)
	for i := range most {
		h.send("", "GET", counted[i%len(counted)], "").checkCounted(most, most-1-i)
	}
	for _, path := range counted {
		h.send("", "GET", path, "").checkRefused(most, api.LimitPages)
	}
	h.send("", "GET", wire.PathPersonas, "").want(200)
	h.send("", "GET", "/healthz", "").want(200)
	clock.forward(h.send("", "GET", "/docs", "").checkRefused(most, api.LimitPages))
	h.send("", "GET", "/docs", "").checkCounted(most, most-1)
}

// crowdedPersona returns the gate with unknown members.
func crowdedPersona(members int) string {
	var extra strings.Builder
	for i := range members {
		fmt.Fprintf(&extra, `"u%d":1,`, i)
	}
	return "{" + extra.String() + strings.TrimPrefix(gatePersona, "{")
}

// TestCrowdedPersona: unknown members are stored and returned whole, by every page and endpoint
// that reads the persona.
func TestCrowdedPersona(t *testing.T) {
	h := begin(t)
	id := h.savePersona(crowdedPersona(80_000))
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	extra := full["persona"].(map[string]any)
	assert.True(t, extra["u79999"] == 1.0 && len(extra) >= 80_000, "%d members", len(extra))
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("u")).want(200)
	page := h.send("", "GET", "/play/"+id, "")
	assert.True(t, page.status == 200 && strings.Contains(string(page.body), "Gate guard"), "the page is %d", page.status)
}
