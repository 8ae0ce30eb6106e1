package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// spending is what a chat has cost in tokens, as the service tells it: nothing
// where no model's provider was asked. What that is in money only the provider
// knows.
type spending struct {
	last, total wire.Tokens
}

func (s *spending) add(t wire.Tokens) {
	s.last = t
	s.total.In += t.In
	s.total.Out += t.Out
}

func (s *spending) any() bool { return s.total != wire.Tokens{} }

// words is the spending in the status line, "" where there is none.
func (s *spending) words() string {
	if !s.any() {
		return ""
	}
	return fmt.Sprintf("%s tokens, %s in all", grouped(s.last.In+s.last.Out), grouped(s.total.In+s.total.Out))
}

// brief is words where there is little room.
func (s *spending) brief() string {
	if !s.any() {
		return ""
	}
	return grouped(s.total.In+s.total.Out) + " tokens"
}

// sentence is the spending of a whole chat.
func (s *spending) sentence() string {
	return fmt.Sprintf("Tokens: the model read %s and wrote %s.", grouped(s.total.In), grouped(s.total.Out))
}

// grouped is a number with commas between its thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	var groups []string
	for len(text) > 3 {
		groups = append([]string{text[len(text)-3:]}, groups...)
		text = text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, groups...), ",")
}
