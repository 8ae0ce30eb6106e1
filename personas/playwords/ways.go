package playwords

import "fmt"

// WayBack is the way back into a state from which a lost part can still be won: so many
// messages are said again for the player, since no turn can be taken back. The state stands
// last, so that a long one is what is cut.
func WayBack(state string, messages int) string {
	said := "1 message"
	if messages > 1 {
		said = fmt.Sprintf("%d messages", messages)
	}
	return "Back to where it turned (replays " + said + "): " + state
}

// TurnedHere stands where the way back has led.
func TurnedHere(state string) string {
	return "This is where it turned: " + state + ". Go on from here."
}

// TookOtherwise stands where the way back went another way than before.
func TookOtherwise(character string) string {
	return character + " took it otherwise this time: you go on from here."
}
