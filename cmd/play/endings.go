package play

import (
	"time"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/conversation"
)

// samplesPlace is where endings of the bundled personas are kept: their server and their ids
// are others in each chat.
const samplesPlace = "samples"

// endingMemory returns the memory of endings on disk. The endings of a persona file last only as
// long as the chat, because its author reaches them all the time; so do all endings if there is no
// directory.
func (o *chatOptions) endingMemory(s *service.Service) conversation.EndingMemory {
	dir, err := o.Dirs().State()
	if err != nil || s.ThrowAway && !o.samples {
		return nil
	}
	m := &screenEndings{found: settings.OpenEndings(dir), place: s.Address, now: o.Now}
	if o.samples {
		m.place, m.byName = samplesPlace, true
	}
	return m
}

// screenEndings is the memory of endings as the chat calls it.
type screenEndings struct {
	found  *settings.Endings
	place  string
	byName bool // personas are known by their names
	now    func() time.Time
}

func (m *screenEndings) nameOf(persona, name string) string {
	if m.byName {
		return name
	}
	return persona
}

// RecallEndings returns the endings that were found, or none if the memory cannot be read.
func (m *screenEndings) RecallEndings(persona, name string) conversation.FoundEndings {
	found, err := m.found.Recall(m.place, m.nameOf(persona, name))
	if err != nil {
		return conversation.FoundEndings{}
	}
	return conversation.FoundEndings{Keys: found.Keys, All: found.All}
}

// KeepEndings adds found endings.
func (m *screenEndings) KeepEndings(persona, name string, found conversation.FoundEndings) error {
	return m.found.Add(m.place, m.nameOf(persona, name), settings.FoundEndings{Keys: found.Keys, All: found.All, FoundAt: m.now().UTC()})
}
