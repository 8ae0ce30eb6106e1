// Package views has the parts of the full screen beside the conversation: the panel with the
// player's state (Panel, and Overlay where it covers the conversation), the help with the keys and
// commands, the card of a finished machine, the form that asks who plays, lists to choose from,
// narrowed by what is typed (List, ListOverlay), and the field for the player's message (Input),
// which has several lines, a cursor and the input history.
//
// It also has what they all share: the themes and their colours (Styles), paragraphs and the first
// and last line of a screen, and every key in one table, which help is made from (KeyMap).
//
// The text area of Input is not the one of bubbles, which edits runes: a backspace leaves a part of
// an emoji, a flag or a letter with an accent, where TestEditorKeys wants all of it gone. It also
// breaks and draws the whole text at each key: 67 ms in a message of 4,000 lines, 1.8 ms in one line
// of 8,000 letters, 0.17 ms in a short one, and here 0.16, 0.19 and 0.006 ms.
package views
