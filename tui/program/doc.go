// Package program runs a bubbletea model on a terminal: it reads the keyboard, draws the frames,
// and restores the terminal at the end, even if the model panics.
//
// The Decoder decodes input into bubbletea's messages: typed text, keys, marked pastes and mouse
// reports. It keeps its state between reads. bubbletea's own reader decodes each read separately.
// If a character or sequence is split between two reads, that reader loses it or takes it for typed
// text. TestProgramLosesNoCharacter and TestFastWheelTypesNothing fail with that reader.
//
// The Renderer writes only the cells that differ from the previous frame. It uses neither a clock
// nor a goroutine, because the caller decides when to draw. For a key in a chat of 120 by 40 cells
// it writes 35 bytes, where whole lines would need 155, and shows the key after 0.8 ms
// (BenchmarkKeyEcho). bubbletea's standard renderer writes 192 bytes and shows the key after 13 ms.
// It also wakes up an idle chat 300 times a second, but the Renderer never does
// (TestIdleChatSleeps). And it cannot move the terminal's cursor to the caret, where input methods
// and screen readers need the cursor (TestCursorFollowsCaret).
package program
