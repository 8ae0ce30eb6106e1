package chat

import (
	"time"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/conversation"
)

// endingMemory returns the memory of endings: beside a local chat that is kept, else in the state
// directory. Without a directory it is nil, and endings are forgotten after the chat.
func (o *chatOptions) endingMemory(s *service.Service) conversation.EndingMemory {
	dir := o.keptIn
	if dir == "" && !s.ThrowAway {
		dir, _ = o.Dirs().State() // Without a directory it is "".
	}
	if dir == "" {
		return nil
	}
	return &screenEndings{found: settings.OpenEndings(dir), place: s.Address, now: o.Now}
}

// screenEndings is the memory of endings as the chat calls it.
type screenEndings struct {
	found *settings.Endings
	place string
	now   func() time.Time
}

// RecallEndings returns the endings that were found, or none if the memory cannot be read.
func (m *screenEndings) RecallEndings(persona string) conversation.FoundEndings {
	found, err := m.found.Recall(m.place, persona)
	if err != nil {
		return conversation.FoundEndings{}
	}
	return conversation.FoundEndings{Keys: found.Keys, All: found.All}
}

// KeepEndings adds found endings.
func (m *screenEndings) KeepEndings(persona string, found conversation.FoundEndings) error {
	return m.found.Add(m.place, persona, settings.FoundEndings{Keys: found.Keys, All: found.All, FoundAt: m.now().UTC()})
}
