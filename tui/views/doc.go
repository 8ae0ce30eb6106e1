// Package views has the parts of the full screen beside the conversation: the panel with the
// player's state (Panel, and Overlay where it covers the conversation), the help with the keys and
// commands, the card of a finished machine, the form that asks who plays, lists to choose from,
// narrowed by what is typed (List, ListOverlay), and the field for the player's message (Input),
// which has several lines, a cursor and the input history.
//
// It also has what they all share: the themes and their colours (Styles), paragraphs and the first
// and last line of a screen, and every key in one table, which help is made from (KeyMap).
package views
