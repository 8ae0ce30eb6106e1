package tui

// current is what is being played and where it stands. The parts of a chat share it.
type current struct {
	user     *userSession
	session  *session
	machines []listedMachine // as it was last read
	spent    spending
	carried  []string // variables of other machines, "name: value"
}
