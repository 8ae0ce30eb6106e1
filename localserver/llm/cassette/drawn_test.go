package cassette

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// drawnRequest returns a request with a name that was drawn for it, in all its texts.
func drawnRequest() (provider.Request, string) {
	name := provider.DrawName("«1-pass»")
	return provider.Request{
		Step: "evaluation", System: "Choose " + name.Name + ".", Messages: []llm.Message{{Role: "user", Text: "End: " + name.Name}},
		Schema: &provider.Schema{Name: "evaluation", JSON: []byte(`{"enum":["` + name.Name + `"]}`)}, Drawn: []provider.DrawnName{name},
	}, name.Name
}

// TestDrawnNamesAreReplayed: a request finds its answer regardless of the names drawn for it, and
// the answer contains the names of the current request: while it is recorded and played.
func TestDrawnNamesAreReplayed(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	asker := newFakeAsker()
	asker.play = func(r provider.Request) ([]string, provider.Answer, error) {
		text := `{"choice":"` + r.Drawn[0].Name + `","why":"He says «1-pass» and 1-pass."}`
		return []string{text[:15], text[15:]}, provider.Answer{Finish: provider.Stopped}, nil
	}
	check := func(a provider.Asker) {
		r, name := drawnRequest()
		got := askOnce(t, a, r)
		assert.True(t, strings.HasPrefix(got.Text, `{"choice":"`+name+`"`) && strings.Count(got.Text, name) == 1,
			"%s is answered with %s", name, got.Text)
		pieces, again := askPieces(t, a, r)
		assert.Equal(t, strings.Join(pieces, ""), again.Text, "in pieces it is %q", pieces)
		assert.Equal(t, strings.Count(again.Text, name), 1, "in pieces it is %q", pieces)
	}
	for range 3 {
		check(rec.Wrap(asker))
	}
	assert.Equal(t, asker.countAsked(), 1, "asked")
	assert.NoError(t, rec.Close())
	for range 3 {
		check(loadPlayer(t, path).Asker(""))
	}
}
