package personas

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

// valueOf returns a lookup function that knows one name.
func valueOf(known, value string) func(string) (string, bool) {
	return func(name string) (string, bool) { return value, name == known }
}

// TestExpandLimit: an expanded text has at most MaxExpanded characters of any number of bytes.
func TestExpandLimit(t *testing.T) {
	for name, c := range map[string]struct{ text, value string }{
		"no placeholder":      {strings.Repeat("é", MaxExpanded), ""},
		"one value":           {"{{a}}", strings.Repeat("é", MaxExpanded)},
		"many values":         {strings.Repeat("{{a}}", 100), strings.Repeat("x", MaxExpanded/100)},
		"text around a value": {"é{{a}}" + strings.Repeat("x", MaxExpanded-11), strings.Repeat("😀", 10)},
	} {
		t.Run(name, func(t *testing.T) {
			expanded, fits := Expand(c.text, valueOf("a", c.value))
			n := utf8.RuneCountInString(expanded)
			assert.True(t, fits && n == MaxExpanded, "at the limit: %d characters, fits %v", n, fits)
			_, fits = Expand(c.text+"y", valueOf("a", c.value))
			assert.True(t, !fits, "one past the limit fits")
		})
	}
}

// TestExpandMemory: a text that would expand to gigabytes uses no more memory than one that fits.
func TestExpandMemory(t *testing.T) {
	text, value := strings.Repeat("{{a}}", MaxPrompt/5), strings.Repeat("é", MaxPrompt)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, fits := Expand(text, valueOf("a", value))
	runtime.ReadMemStats(&after)
	cost := after.TotalAlloc - before.TotalAlloc
	assert.True(t, !fits && cost <= 1<<20, "fits %v, %d bytes", fits, cost)
}

// templates generates texts of placeholders, braces and words.
func templates() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"{{a}}", "{{ a }}", "{{b}}", "{{no}}", "{{", "}}", "{", " ", "\n", "é", "word", "{{a}", "{{{a}}}", strings.Repeat("x", 3000)})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "") })
}

// TestExpandAgrees: the functions that count and check without building the text agree with Expand.
func TestExpandAgrees(t *testing.T) {
	value := rapid.SampledFrom([]string{"", " ", "\n\t", "x", "{{a}}", strings.Repeat("é", 900), strings.Repeat("y", MaxExpanded), strings.Repeat(" ", 5000)})
	rapid.Check(t, func(t *rapid.T) {
		text := templates().Draw(t, "text")
		values := map[string]string{"a": value.Draw(t, "a"), "b": value.Draw(t, "b")}
		lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
		count := CountExpanded(text, func(name string) (int, bool) { v, ok := values[name]; return utf8.RuneCountInString(v), ok })
		blank := IsBlankExpanded(text, func(name string) (bool, bool) {
			v, ok := values[name]
			return strings.TrimSpace(v) == "", ok
		})
		expanded, fits := Expand(text, lookup)
		if fits != (count <= MaxExpanded) || fits && utf8.RuneCountInString(expanded) != count {
			t.Errorf("fits %v, counted %d, has %d", fits, count, utf8.RuneCountInString(expanded))
		}
		if fits && blank != (strings.TrimSpace(expanded) == "") {
			t.Errorf("blank %v: %q", blank, expanded)
		}
	})
}
