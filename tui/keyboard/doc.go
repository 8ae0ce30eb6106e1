// Package keyboard reads a terminal's input and decodes it into bubbletea's messages: typed text,
// keys, marked pastes and reports of the mouse. It takes out answers of the terminal.
//
// bubbletea decodes each read separately, so it drops characters and types the rest of sequences
// that a read has cut. The Decoder here keeps its state between reads.
package keyboard
