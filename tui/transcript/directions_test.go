package transcript

import (
	"io"
	"strings"
	"testing"

	"github.com/parley-npc/parley/tui/views"
)

// What is between ( and ) is a stage direction, also over lines; a ( that nothing
// closes is only a sign.
func TestStageDirections(t *testing.T) {
	st := views.NewStyles(views.NewRenderer(io.Discard, false), views.ThemeNone, false)
	r := NewRenderer(st)
	aside := func(s string) string { return st.Aside.Inline(true).Render(s) }
	for src, want := range map[string]string{
		"Go on. (She rises.) Take it.": "Go on. " + aside("(She rises.)") + " Take it.",
		"(She rises,\nslowly.) Yes?":   aside("(She rises,") + "\n" + aside("slowly.)") + " Yes?",
		"one ( two":                    "one ( two",
		"a) b":                         "a) b",
		"*waves* (nods)(sits)":         aside("waves") + " " + aside("(nods)") + aside("(sits)"),
	} {
		if got := strings.Join(r.RenderLines(src, 60), "\n"); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}
