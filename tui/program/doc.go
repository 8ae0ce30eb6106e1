// Package program runs a screen on a terminal: it reads the keyboard, draws the frames, and if the
// screen panics, it stops in the ordinary way and restores the terminal.
//
// The Decoder turns input into bubbletea's messages: typed text, keys, marked pastes and reports of
// the mouse. It keeps its state between reads. bubbletea decodes each read separately: with its
// reader in this one's place, TestProgramLosesNoCharacter loses the ü that two reads share and types
// the rest of a color report, and TestFastWheelTypesNothing types parts of mouse reports.
//
// The Renderer writes only the difference to the frame before, and nothing if they are equal. It
// has neither a clock nor a goroutine; the caller decides when to draw. With bubbletea's standard
// renderer in its place a key in a chat of 120 by 40 cells writes 192 bytes instead of 35 and is
// shown after 13 ms instead of 0.8 ms (BenchmarkKeyEcho), an idle chat wakes up 300 times a second
// instead of never (TestIdleChatSleeps), and the terminal's cursor, which input methods and screen
// readers follow, cannot be at the caret (TestCursorFollowsCaret). Drawing whole lines instead of
// the cells that differ writes 155 bytes for a key.
package program
