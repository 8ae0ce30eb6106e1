// Package transcript shows the conversation in a window that does not move while the player reads
// and new text arrives below. It renders paragraphs, emphasis, code, lists, quotes and headings of
// Markdown; other text stays unchanged.
//
// A conversation begins with a card: the character, the player's aim, the number of tries, and how
// to talk. Portraits shows the character's portrait on the card, with Kitty graphics, Sixel or
// coloured half blocks.
package transcript
