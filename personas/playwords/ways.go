package playwords

import "fmt"

// WayBack describes the way back to a state from where the player can still win a lost part: the
// player's messages are sent again, because a turn cannot be undone. The state comes last, so that
// clipping cuts a long name.
func WayBack(state string, messages int) string {
	said := "1 message"
	if messages > 1 {
		said = fmt.Sprintf("%d messages", messages)
	}
	return "Back to where it turned (replays " + said + "): " + state
}

// TurnedHere is shown at the end of the way back.
func TurnedHere(state string) string {
	return "This is where it turned: " + state + ". Go on from here."
}

// TookOtherwise is shown when the way back took another way than before.
func TookOtherwise(character string) string {
	return character + " took it otherwise this time: you go on from here."
}
