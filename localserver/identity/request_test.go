package identity

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestFoldID(t *testing.T) {
	for text, want := range map[string]string{
		"01890000-ABCD-7000-8000-00000000000F": "01890000-abcd-7000-8000-00000000000f",
		"01890000-abcd-7000-8000-00000000000f": "01890000-abcd-7000-8000-00000000000f",
		// Other formats of package uuid are not ids of ours.
		"{01890000-ABCD-7000-8000-00000000000F}":        "{01890000-ABCD-7000-8000-00000000000F}",
		"URN:UUID:01890000-ABCD-7000-8000-00000000000F": "URN:UUID:01890000-ABCD-7000-8000-00000000000F",
		"01890000ABCD7000800000000000000F":              "01890000ABCD7000800000000000000F",
		"GATE-ABCD":                                     "GATE-ABCD", "01890000-ABCD-7000-8000-00000000000G": "01890000-ABCD-7000-8000-00000000000G", "": "",
	} {
		assert.Equal(t, FoldID(text), want, "%q became", text)
	}
}
