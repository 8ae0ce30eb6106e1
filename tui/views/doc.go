// Package views contains the parts of the full screen: the conversation (Transcript), the panel
// with the player's state (Panel, and Overlay if it covers the conversation), the help with keys
// and commands (Screen), the card of a finished machine (Card), the form that asks for the player's
// data (Form), lists with a search (List, ListOverlay), and the multi-line field for the player's
// message with its history (Input).
//
// It also contains what these share: themes and colours (Styles), paragraphs, the first and last
// line of a screen, and the key table that the help is made from (KeyMap).
//
// The Transcript does not move when new text arrives while the player reads earlier text. It
// renders Markdown's paragraphs, emphasis, code, lists, quotes and headings; other Markdown is
// shown as it was written. A conversation begins with a card: the character, the player's aim, the
// number of tries, and how to talk. Portraits shows the character's portrait on the card, with
// Kitty graphics, Sixel or coloured half blocks.
//
// Input does not use the text area of bubbles, for two reasons. That text area edits runes, so that
// a backspace leaves part of an emoji, a flag or a letter with an accent; see TestEditorKeys. It
// also draws the whole text at each key, which takes 67 ms in a message of 4,000 lines, 1.8 ms in
// one line of 8,000 letters and 0.17 ms in a short message, compared with 0.06, 0.06 and 0.004 ms
// here.
package views
