// Package terminal knows terminals: which text is safe to print (Clean), its width and line breaks,
// the background colour, how much of a paste to accept, how to reach the clipboard, and how to
// restore the terminal after a panic of the screen.
//
// It imports no screen library, so that every command can clean its output without one.
package terminal
