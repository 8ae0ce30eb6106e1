package double

import (
	"encoding/json"
	"strings"
)

// PlayerSaid returns what the player said last, in a request of Parley's: where the
// conversation is data, a line of JSON a message, the last of the player's; else the
// newest message.
func (r Request) PlayerSaid() string {
	last := r.LastMessage()
	lines := strings.Split(last, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		var said struct{ Player *string }
		if strings.HasPrefix(lines[i], `{"player": `) && json.Unmarshal([]byte(lines[i]), &said) == nil && said.Player != nil {
			return *said.Player
		}
	}
	return last
}
