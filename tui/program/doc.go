// Package program runs a bubbletea model on a terminal: it reads the keyboard, draws the frames,
// and restores the terminal at the end, even if the model panics.
//
// The Decoder decodes input into bubbletea's messages: typed text, keys, marked pastes and mouse
// reports. It keeps its state between reads. bubbletea's reader decodes each read separately, so
// that a character or sequence that is split between two reads is lost or typed as text;
// TestProgramLosesNoCharacter and TestFastWheelTypesNothing fail with it.
//
// The Renderer writes only the cells that differ from the previous frame, and nothing if there are
// none. It has neither a clock nor a goroutine; the caller decides when to draw. With bubbletea's
// standard renderer, a key in a chat of 120 by 40 cells writes 192 bytes instead of 35 (155 if
// whole lines are drawn) and is shown after 13 ms instead of 0.8 ms (BenchmarkKeyEcho). An idle
// chat wakes up 300 times a second instead of never (TestIdleChatSleeps). And the terminal's
// cursor, which input methods and screen readers follow, cannot be at the caret
// (TestCursorFollowsCaret).
package program
