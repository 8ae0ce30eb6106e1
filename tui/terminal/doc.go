// Package terminal contains functions about terminals. It makes text safe to print (Clean),
// measures and wraps text, and replaces characters that a terminal cannot draw. It finds out the
// background colour, copies to the clipboard, and handles panics of the screen.
//
// It does not import bubbletea, because all commands use it to clean their output.
package terminal
