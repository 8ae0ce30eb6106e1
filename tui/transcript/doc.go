// Package transcript shows the conversation in a window. The window does not move when new text
// arrives while the player reads earlier text. The package renders Markdown's paragraphs, emphasis,
// code, lists, quotes and headings; other Markdown is shown as it was written.
//
// A conversation begins with a card: the character, the player's aim, the number of tries, and how
// to talk. Portraits shows the character's portrait on the card, with Kitty graphics, Sixel or
// coloured half blocks.
package transcript
