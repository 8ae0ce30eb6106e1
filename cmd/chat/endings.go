package chat

import (
	"time"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/conversation"
)

func (o *chatOptions) endingMemory(s *service.Service) conversation.EndingMemory {
	dir := o.keptIn
	if dir == "" && !s.ThrowAway {
		dir, _ = o.Dirs().State() // "" on failure
	}
	if dir == "" {
		return nil
	}
	return &screenEndings{found: settings.OpenEndings(dir), place: s.Address, now: o.Now}
}

type screenEndings struct {
	found *settings.Endings
	place string
	now   func() time.Time
}

// RecallEndings returns the endings found with a persona, or none if the store cannot be read.
func (m *screenEndings) RecallEndings(persona string) conversation.FoundEndings {
	found, err := m.found.Recall(m.place, persona)
	if err != nil {
		return conversation.FoundEndings{}
	}
	return conversation.FoundEndings{Keys: found.Keys, All: found.All}
}

// KeepEndings adds found endings to the store.
func (m *screenEndings) KeepEndings(persona string, found conversation.FoundEndings) error {
	return m.found.Add(m.place, persona, settings.FoundEndings{Keys: found.Keys, All: found.All, FoundAt: m.now().UTC()})
}
