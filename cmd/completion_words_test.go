package cmd

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	anID      = "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"
	anotherID = "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d12"
)

// TestNamesOf: a name that would not find its persona again is given as an id.
func TestNamesOf(t *testing.T) {
	t.Parallel()
	for name, byName := range map[string]bool{
		"Biscuit": true, "Mr. Verrall": true, "Zoë": true, "a:b": true,
		"-f": false, "": false, " Ann": false, "a.yaml": false, "./x": false, anotherID: false,
		"\x1b]0;x\a": false, "a\nb": false, "a\tb": false, "\u202eevil": false, "\xff": false,
	} {
		want := name
		if !byName {
			want = cli.DescribeCompletion(anID, name)
		}
		assert.EqualSlices(t, nameWords(map[string]string{anID: name}, ""), []string{want}, "%q is completed as %q", name, want)
	}
	twins := map[string]string{anID: "Ann", anotherID: "ann", "x": "Bea"}
	assert.EqualSlices(t, nameWords(twins, ""), []string{anID + "\tAnn", anotherID + "\tann", "Bea"}, "twins are completed as")
	assert.EqualSlices(t, nameWords(twins, "bE"), []string{"Bea"}, "bE is completed as")
}

// FuzzNamesOf: for any persona names, the output is one safe line.
func FuzzNamesOf(f *testing.F) {
	for _, name := range []string{"Biscuit", "\x1b[2J", "a\tb\nc", "\u202e", "\xff\xfe", "$(touch x)", "-"} {
		f.Add(name, name)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, word := range nameWords(map[string]string{anID: one, anotherID: two}, "") {
			name, description, _ := strings.Cut(word, "\t")
			assert.True(t, name != "", "%q and %q give %q", one, two, word)
			assert.Equal(t, name, terminal.Clean(name), "%q and %q give %q", one, two, word)
			assert.Equal(t, description, terminal.Clean(description), "%q and %q give %q", one, two, word)
		}
	})
}
