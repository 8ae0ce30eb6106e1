package keymap

import (
	"slices"
	"strings"
)

// Group is a heading of help.
type Group string

// The headings of help, in its order.
const (
	GroupWriting Group = "Writing"
	GroupReading Group = "Reading back"
	GroupStory   Group = "The story"
	GroupPeople  Group = "People and sessions"
	GroupWindow  Group = "The window"
)

// Groups are the headings of help.
func Groups() []Group {
	return []Group{GroupWriting, GroupReading, GroupStory, GroupPeople, GroupWindow}
}

// groupOf is the heading for an action of the keys; GroupWindow for one of no other.
func groupOf(action string) Group {
	for group, actions := range map[Group]string{
		GroupWriting: "send new-line cancel commands complete edit",
		GroupReading: "up down page-up page-down top bottom search copy",
		GroupStory:   "why parts direct state",
		GroupPeople:  "personas sessions rename-session forget-session new-session",
	} {
		if slices.Contains(strings.Fields(actions), action) {
			return group
		}
	}
	return GroupWindow
}

// CommandGroup is the heading for a slash command; GroupWindow for one of no other.
func CommandGroup(command string) Group {
	for group, commands := range map[Group]string{
		GroupWriting: "edit",
		GroupReading: "history search copy export",
		GroupStory:   "parts progress state reset save-play why direct",
		GroupPeople:  "personas name sessions new",
	} {
		if slices.Contains(strings.Fields(commands), command) {
			return group
		}
	}
	return GroupWindow
}
