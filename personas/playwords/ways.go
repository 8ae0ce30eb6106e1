package playwords

import "fmt"

// WayBack returns the label of the option to return to the state where a lost part could still be
// won. The player's messages are sent again, because a turn cannot be undone. The state is at the
// end of the label, so that clipping a long label shortens the state's name.
func WayBack(state string, messages int) string {
	said := "1 message"
	if messages > 1 {
		said = fmt.Sprintf("%d messages", messages)
	}
	return "Back to where it turned (replays " + said + "): " + state
}

// TurnedHere returns the text that is shown when the player is back in the state of WayBack.
func TurnedHere(state string) string {
	return "This is where it turned: " + state + ". Go on from here."
}

// TookOtherwise returns the text that is shown if the repeated messages led to another state this
// time.
func TookOtherwise(character string) string {
	return character + " took it otherwise this time: you go on from here."
}
