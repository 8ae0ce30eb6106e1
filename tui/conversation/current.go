package conversation

// Current is what is being played and where it stands. The parts of a chat share it.
type Current struct {
	User     *UserSession
	Session  *Session
	Machines []ListedMachine // as it was last read
	Spent    Spending
	Carried  []string // variables of other machines, "name: value"
}
