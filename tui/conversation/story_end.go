package conversation

import (
	"slices"

	"github.com/parley-npc/parley/personas/playwords"
)

// NotePlace notes in what is remembered where the present session stands, and how the story
// ended where it is over.
func (c *Current) NotePlace() {
	saved := &c.User.Saved
	saved.NotePlace(c.Session)
	switch {
	case c.IsStoryOver():
		saved.Outcome = c.Session.Standing.Outcome
	case c.knowsParts():
		saved.Outcome = ""
	}
}

// knowsParts reports whether it is known how the other parts stand.
func (c *Current) knowsParts() bool { return c.Machines != nil || len(c.User.Persona.Machines) == 1 }

// IsStoryOver reports whether the present part has ended and no other one can be played, as far
// as that is known.
func (c *Current) IsStoryOver() bool {
	return c.Session.Standing.IsFinished() && c.knowsParts() && !slices.ContainsFunc(c.Machines, func(at ListedMachine) bool {
		return at.ID != c.Session.Machine.ID && (at.Status == MachineOpen || at.Status == MachineBegun)
	})
}

// EndWords say at an ending that the story is over with it; "" where it goes on.
func (c *Current) EndWords() string {
	if !c.IsStoryOver() {
		return ""
	}
	closed := slices.ContainsFunc(c.Machines, func(at ListedMachine) bool { return at.Status == MachineLocked })
	won := EndingOf(c.Session.Standing.Outcome).Kind != playwords.Lost
	return playwords.StoryOver(max(len(c.Machines), 1), won && !closed)
}

// TagWords say in a list of personas how a story stands that was begun: "goes on", "You made it".
func (k *SavedSession) TagWords() string {
	if k.Outcome == "" {
		return playwords.StoryGoesOn
	}
	return playwords.StoryEnded(EndingOf(k.Outcome))
}
