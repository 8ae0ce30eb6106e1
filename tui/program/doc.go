// Package program runs a bubbletea model on a terminal: it reads the keyboard, draws the frames,
// and restores the terminal at the end, even if the model panics.
//
// The Decoder decodes input into bubbletea's messages: typed text, keys, marked pastes and mouse
// reports. The Decoder keeps its state between reads. bubbletea's reader decodes each read
// separately: it loses a character or sequence that is split between two reads, or takes it for
// typed text. TestProgramLosesNoCharacter and TestFastWheelTypesNothing fail with that reader.
//
// The Renderer writes only the cells that differ from the previous frame. It uses neither a clock
// nor a goroutine: the caller decides when to draw. With bubbletea's standard renderer, a key in a
// chat of 120 by 40 cells writes 192 bytes instead of 35 (155 if whole lines are drawn) and is
// shown after 13 ms instead of 0.8 ms (BenchmarkKeyEcho). An idle chat wakes up 300 times a second
// instead of never (TestIdleChatSleeps). And it cannot move the terminal's cursor to the caret,
// where input methods and screen readers need it (TestCursorFollowsCaret).
package program
