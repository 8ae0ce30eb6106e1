// Package program runs a screen on a terminal: it distinguishes typed from pasted text, and if the
// screen panics, it stops in the ordinary way and restores the terminal.
package program
