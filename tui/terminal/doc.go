// Package terminal contains what depends on terminals: text that is safe to print (Clean), its
// width and line breaks, the characters that a terminal can draw, its background colour and
// clipboard, and handling of panics of the screen.
//
// It does not import bubbletea, so that every command can clean its output without it.
package terminal
