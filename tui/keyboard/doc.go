// Package keyboard reads a terminal's input and decodes it into bubbletea's messages: typed
// text, keys, marked pastes and reports of the mouse. Answers of the terminal are taken out.
//
// bubbletea decodes each read by itself, so it drops characters and types the rest of
// sequences that a read has cut. The Decoder here keeps its state between reads.
package keyboard
