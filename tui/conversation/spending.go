package conversation

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Spending is the number of tokens that a chat used, as reported by the service. It is zero if no
// model provider was used. The price is unknown.
type Spending struct {
	Last, Total wire.Tokens
}

// AddTokens adds the cost of one reply.
func (s *Spending) AddTokens(t wire.Tokens) {
	s.Last = t
	s.Total.In += t.In
	s.Total.Out += t.Out
}

// HasTokens reports whether the chat has used any tokens.
func (s *Spending) HasTokens() bool { return s.Total != wire.Tokens{} }

// StatusWords returns the spending for the status line. Without tokens it returns "".
func (s *Spending) StatusWords() string {
	if !s.HasTokens() {
		return ""
	}
	return fmt.Sprintf("%s tokens, %s in all", terminal.GroupThousands(s.Last.In+s.Last.Out), terminal.GroupThousands(s.Total.In+s.Total.Out))
}

// TotalSentence returns a sentence about the cost of the whole chat.
func (s *Spending) TotalSentence() string {
	return fmt.Sprintf("Tokens: the model read %s and wrote %s.", terminal.GroupThousands(s.Total.In), terminal.GroupThousands(s.Total.Out))
}
