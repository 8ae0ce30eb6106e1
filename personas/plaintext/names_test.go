package plaintext

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestSameName(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Zo\u00eb", "Zoe\u0308", true},
		{"ZO\u00cb", "zoe\u0308", true},
		{" Biscuit\n", "biscuit", true},
		{"\uac00", "\u1100\u1161", true}, // Hangul as a syllable and as letters
		{"Zoe", "Zo\u00eb", false},
		{"a", "", false},
		{"", " ", true},
	}
	for _, test := range tests {
		assert.Equal(t, SameName(test.a, test.b), test.want, "SameName(%q, %q)", test.a, test.b)
	}
}

func FuzzFoldName(f *testing.F) {
	for _, seed := range []string{"", "Zoe\u0308", "\u0130stanbul", "\xff", "\u1100\u1161"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		once := FoldName(name)
		assert.Equal(t, FoldName(once), once, "FoldName(%q)", name)
	})
}
