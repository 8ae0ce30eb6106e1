// Package program runs a screen on a terminal: it tells what is typed from what is
// pasted, and stops in the ordinary way, with the terminal given back, when the screen
// breaks.
package program
