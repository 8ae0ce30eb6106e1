// Package views contains the parts of the full screen: the conversation (Transcript), the panel
// with the player's state (Panel, and NewPanelPager over the whole window), the help with keys and
// commands (NewHelp), the card of a finished machine (Card), the form that asks for the player's
// data (Form), lists with a search (List, ListOverlay), and the multi-line field for the player's
// message (Input) with the earlier messages (History).
//
// It also contains what these parts share: themes and colours (Styles), paragraphs, the first and
// last line of a screen, and the key table (KeyActions, KeyMap), which the help shows.
//
// The Transcript does not move when new text arrives while the player reads earlier text. It
// renders Markdown's paragraphs, emphasis, code, lists, quotes and headings. It shows other
// Markdown unchanged. A conversation begins with a card (OpeningCard) that shows the character, the
// player's aim, the number of tries, and how to talk. Portraits shows the character's portrait on
// the card, with Kitty graphics, Sixel or coloured half blocks.
//
// Input does not use the text area of bubbles, for two reasons. First, that text area edits runes,
// so that a backspace leaves part of an emoji, a flag or a letter with an accent (TestEditorKeys).
// Second, it draws the whole text after each key. This takes 67 ms for a message of 4,000 lines,
// 1.8 ms for one line of 8,000 letters and 0.17 ms for a short message. Input takes 0.06, 0.06 and
// 0.004 ms.
package views
