package localserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const site = "https://game.example"

// corsHeaders returns the headers of an answer that begin with Access-Control.
func (r replied) corsHeaders() (names []string) {
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}

// preflight sends the request that a browser sends before a page may call.
func (h *harness) preflight(origin, method, path string) replied {
	h.Helper()
	return h.send("", http.MethodOptions, path, "", "Origin", origin, "Sec-Fetch-Site", "cross-site",
		"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization, content-type")
}

func TestNoCORSUnlessAsked(t *testing.T) {
	h := begin(t)
	for _, answer := range []replied{
		h.send("", "GET", wire.PathPersonas, "", "Origin", site, "Sec-Fetch-Site", "cross-site"),
		h.send("", "GET", wire.PathPersonas, "", "Origin", h.URL()),
		h.preflight(site, "POST", wire.PathSave),
	} {
		names := answer.corsHeaders()
		assert.True(t, len(names) == 0 && answer.header.Get("Vary") == "", "%d has %v", answer.status, answer.header)
	}
	h.preflight(site, "POST", wire.PathSave).fails(405, wire.CodeMethod)
}

func TestCORS(t *testing.T) {
	h := begin(t, func(o *Options) { o.CORSOrigins = []string{site, "http://LOCALHOST:5173/"} })
	h.client = &http.Client{Transport: &http.Transport{}} // The document does not describe OPTIONS.
	for origin, ok := range map[string]bool{
		site: true, "http://localhost:5173": true,
		"https://evil.example": false, "http://game.example": false, "https://game.example:444": false, "https://x.game.example": false,
		"https://game.example.evil.example": false, "null": false, "http://localhost:5174": false, "HTTPS://GAME.EXAMPLE": false,
	} {
		t.Run(origin, func(t *testing.T) {
			h := h.with(t)
			asked := h.preflight(origin, "POST", wire.PathSave)
			got := h.send("", "GET", wire.PathPersonas, "", "Origin", origin, "Sec-Fetch-Site", "cross-site")
			posted := h.send("", "POST", wire.PathSave, "{}", "Origin", origin, "Sec-Fetch-Site", "cross-site")
			got.want(200)
			for _, answer := range []replied{asked, got, posted} {
				assert.True(t, answer.header.Get("Vary") != "", "%s: no Vary: %v", origin, answer.header)
				if allowed := answer.header.Get("Access-Control-Allow-Origin"); ok && allowed != origin || !ok && len(answer.corsHeaders()) > 0 {
					t.Errorf("%s: %d %v", origin, answer.status, answer.header)
				}
				assert.Equal(t, answer.header.Get("Access-Control-Allow-Credentials"), "", "%s: credentials are allowed", origin)
			}
			if !ok {
				asked.fails(405, wire.CodeMethod)
				posted.fails(403, wire.CodeForbidden)
				return
			}
			asked.want(204)
			// Errors can be read too.
			posted.fails(401, wire.CodeUnauthenticated)
			exposed := strings.ToLower(got.header.Get("Access-Control-Expose-Headers")) + ","
			for name := range description().doc.Components.Headers {
				assert.Contains(t, exposed, strings.ToLower(name)+",", "%s is described, and a page may read only", name)
			}
		})
	}
}

// TestPreflightAllowsWhatTheInterfaceNeeds checks every method of the table and every header that a
// request can contain.
func TestPreflightAllowsWhatTheInterfaceNeeds(t *testing.T) {
	h := begin(t, func(o *Options) { o.CORSOrigins = []string{site} })
	h.client = &http.Client{Transport: &http.Transport{}}
	answer := h.preflight(site, "POST", wire.PathSDKMessage)
	methods, headers := answer.header.Get("Access-Control-Allow-Methods"), answer.header.Get("Access-Control-Allow-Headers")
	for _, row := range routes {
		assert.Contains(t, methods, row.Method)
	}
	for _, name := range []string{"Authorization", "Content-Type", "If-Match", "Idempotency-Key", "X-API-Key", "X-LLM-API-Key", "X-LLM-Model",
		"X-LLM-Eval-API-Key", "X-LLM-Response-API-Key", "X-LLM-Summarization-API-Key", "X-LLM-Eval-Model", "X-LLM-Response-Model", "X-LLM-Summarization-Model"} {
		assert.Contains(t, headers+",", name+",", "%s is not in %q", name, headers)
	}
	if answer.header.Get("Access-Control-Max-Age") == "" || answer.status != 204 || len(answer.body) > 0 {
		t.Errorf("%d %v", answer.status, answer.header)
	}
	// A name that points here does not get past the Host check with it.
	h.send("", http.MethodOptions, wire.PathSave, "", "Origin", site, "Host", "evil.example", "Access-Control-Request-Method", "POST").fails(403, wire.CodeForbidden)
}
