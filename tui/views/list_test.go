package views

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestFuzzy(t *testing.T) {
	cases := []struct {
		text, word string
		want       int
	}{
		{"list the machines", "machines", beginning},
		{"list the machines", "list", beginning},
		{"list the machines", "chin", inside},
		{"list the machines", "mcs", scattered},
		{"list the machines", "msc", 0},
		{"list the machines", "ltm", 0}, // Letters of several words are not one.
		{"überall wörter", "üll", scattered},
		{"", "x", 0},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			assert.Equal(t, matchWord(c.text, c.word), c.want, "%q in %q", c.word, c.text)
		})
	}
	got := rankChoices([]Choice{{Title: "a export b"}, {Title: "reexport"}, {Title: "x"}, {Title: "export"}}, []string{"exp"})
	assert.Equal(t, fmt.Sprint(got), "[0 3 1]", "ranked %v", got)
}

// What is found far inside of a long text is in sight.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("word ", 100) + "needle " + strings.Repeat("after ", 100)
	got := cutExcerpt(long, []string{"needle"}, 40)
	assert.True(t, strings.HasPrefix(got, "…") && strings.Contains(got[:40], "needle"), "%.60q", got)
	for _, text := range []string{"short needle", "", "ÄÖÜ needle", strings.Repeat("İ", 300) + "needle"} {
		_ = cutExcerpt(text, []string{"needle", "absent"}, 10)
	}
	assert.Equal(t, cutExcerpt(long, nil, 40), long, "without words")
}
