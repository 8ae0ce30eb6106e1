package conversation

// Current is the state of a chat: the player, the present session, and the last known state of the
// other machines.
type Current struct {
	User     *UserSession
	Session  *Session
	Machines []ListedMachine // as last read from the service
	Spent    Spending
	Carried  []string // variables that other machines have set, "name: value"
	// Author selects the author's view, which shows all states, points, and what unlocks machines.
	// The player's view shows only where the player has been and how many tries are left.
	Author bool
}
