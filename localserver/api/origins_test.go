package api

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

const site = "https://game.example"

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://game.example": site, "https://Game.Example/": site, "https://game.example:443": site, "http://game.example:80": "http://game.example",
		"https://game.example:80": "https://game.example:80", "http://[::1]:5173": "http://[::1]:5173", "capacitor://localhost": "",
		"": "", "*": "", "null": "", "game.example": "", "https://": "", "https://*.game.example": "", "https://game.example/path": "", "https://u:p@game.example": "",
		"https://game.example?x": "", "https://game.example#x": "", "https://a.example,https://b.example": "", "https://game.example//": "", "https://ga me.example": "", "https://game.example:x": "",
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseOrigin(text)
			if want == "" && (err == nil || !strings.Contains(err.Error(), "such as")) || want != "" && (err != nil || got != want) {
				t.Errorf("%q: %q, %v, want %q", text, got, err, want)
			}
		})
	}
}

// FuzzParseOrigin: a parsed origin parses as itself again and is accepted by the protection against
// other sites.
func FuzzParseOrigin(f *testing.F) {
	for _, text := range []string{site, "http://[::1]:5173", "https://a:443/", "x://*", "://", "https://%2f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origin, err := ParseOrigin(text)
		if err != nil {
			return
		}
		again, err := ParseOrigin(origin)
		assert.Must(t, err == nil && again == origin, "%q is %q, and that is %q, %v", text, origin, again, err)
		_, err = NewOrigins([]string{text})
		assert.NoError(t, err)
	})
}
