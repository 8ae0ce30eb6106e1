// Package transcript shows the conversation, with a window that stays where the player reads while
// words come in below. It draws Markdown as lines: paragraphs, emphasis, code, lists, quotes and
// headings; the rest stays unchanged.
//
// A conversation begins with a card: the character, the player's aim, the number of tries, and how
// to talk. Portraits shows the character's portrait on it: by the graphics of Kitty, by Sixel, or
// with half blocks in colours.
package transcript
