// Package program runs a screen on a terminal: it reads the keyboard, draws the frames, and if the
// screen panics, it stops in the ordinary way and restores the terminal.
//
// The Decoder turns input into bubbletea's messages: typed text, keys, marked pastes and reports of
// the mouse. bubbletea decodes each read separately, so it drops characters and types the rest of
// sequences that a read has cut; the Decoder keeps its state between reads.
//
// The Renderer writes only the difference to the frame before, and nothing if they are equal. It
// has neither a clock nor a goroutine; the caller decides when to draw.
package program
