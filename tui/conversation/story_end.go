package conversation

import (
	"slices"

	"github.com/parley-npc/parley/personas/playwords"
)

// NotePlace sets c.User.Saved to the place of the present session. If the story is over, it also
// sets the outcome of the story.
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

func (c *Current) knowsParts() bool { return c.Machines != nil || len(c.User.Persona.Machines) == 1 }

// IsStoryOver reports whether the present part has ended and no other part can be played. If the
// status of the other parts is unknown, it returns false.
func (c *Current) IsStoryOver() bool {
	return c.Session.Standing.IsFinished() && c.knowsParts() && !slices.ContainsFunc(c.Machines, func(at ListedMachine) bool {
		return at.ID != c.Session.Machine.ID && (at.Status == MachineOpen || at.Status == MachineBegun)
	})
}

// EndWords returns a note that the story is over. If the story is not over, it returns "".
func (c *Current) EndWords() string {
	if !c.IsStoryOver() {
		return ""
	}
	closed := slices.ContainsFunc(c.Machines, func(at ListedMachine) bool { return at.Status == MachineLocked })
	won := EndingOf(c.Session.Standing.Outcome).Kind != playwords.Lost
	return playwords.StoryOver(max(len(c.Machines), 1), won && !closed)
}

// TagWords returns the state of the story for a list of personas: "goes on", "You made it".
func (k *SavedSession) TagWords() string {
	if k.Outcome == "" {
		return playwords.StoryGoesOn
	}
	return playwords.StoryEnded(EndingOf(k.Outcome))
}
