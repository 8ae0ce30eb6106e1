package conversation

// Current is the state of the play. The parts of a chat share it.
type Current struct {
	User     *UserSession
	Session  *Session
	Machines []ListedMachine // as it was last read
	Spent    Spending
	Carried  []string // variables of other machines, "name: value"
	// Author selects an author's view of a play: the states to come, points, what opens what.
	// Players see where they have been and what is left to try.
	Author bool
}
