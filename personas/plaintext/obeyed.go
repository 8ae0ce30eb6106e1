package plaintext

import (
	"cmp"
	"slices"
)

// IsObeyed reports whether a terminal does not draw the rune, because the rune is a command for the
// terminal or is invisible. It returns false for joiners, variation selectors and the two simple
// direction marks, because emoji and several scripts need them. It returns true for Unicode tag
// characters (U+E0000 to U+E007F), because players do not see a text in tag characters, but models
// read it. Therefore flags that contain tag characters, such as Scotland's, are drawn as black
// flags.
func IsObeyed(r rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	case r < 0xad: // printable, the common case
		return false
	}
	i, _ := slices.BinarySearchFunc(ignorable, r, func(span [2]rune, r rune) int { return cmp.Compare(span[1], r) })
	return i < len(ignorable) && r >= ignorable[i][0]
}

// ignorable are ranges of characters that are not drawn: Default_Ignorable_Code_Point and
// Bidi_Control of Unicode 16, without the characters that scripts and emoji need.
var ignorable = [][2]rune{
	{0x00ad, 0x00ad},   // soft hyphen
	{0x061c, 0x061c},   // Arabic letter mark
	{0x115f, 0x1160},   // fillers
	{0x17b4, 0x17b5},   // inherent vowels
	{0x180e, 0x180e},   // Mongolian vowel separator
	{0x200b, 0x200b},   // zero width without a script that needs it
	{0x202a, 0x202e},   // embeddings, overrides
	{0x2060, 0x206f},   // word joiner, invisible operators, isolates, deprecated format signs
	{0x3164, 0x3164},   // filler
	{0xfeff, 0xfeff},   // byte order mark
	{0xffa0, 0xffa0},   // filler
	{0xfff0, 0xfffb},   // unassigned, annotations
	{0x1bca0, 0x1bca3}, // shorthand format controls
	{0x1d173, 0x1d17a}, // musical format controls
	{0xe0000, 0xe00ff}, // tags
	{0xe01f0, 0xe0fff}, // unassigned
}
