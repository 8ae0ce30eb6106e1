package tui

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
)

// spending is what a chat has cost in tokens, as the service tells it: nothing
// where no model's provider was asked. What that is in money only the provider
// knows.
type spending struct {
	last, total wire.Tokens
}

func (s *spending) addTokens(t wire.Tokens) {
	s.last = t
	s.total.In += t.In
	s.total.Out += t.Out
}

func (s *spending) hasTokens() bool { return s.total != wire.Tokens{} }

// statusWords is the spending in the status line, "" where there is none.
func (s *spending) statusWords() string {
	if !s.hasTokens() {
		return ""
	}
	return fmt.Sprintf("%s tokens, %s in all", groupThousands(s.last.In+s.last.Out), groupThousands(s.total.In+s.total.Out))
}

// shortWords is words where there is little room.
func (s *spending) shortWords() string {
	if !s.hasTokens() {
		return ""
	}
	return groupThousands(s.total.In+s.total.Out) + " tokens"
}

// totalSentence is the spending of a whole chat.
func (s *spending) totalSentence() string {
	return fmt.Sprintf("Tokens: the model read %s and wrote %s.", groupThousands(s.total.In), groupThousands(s.total.Out))
}
