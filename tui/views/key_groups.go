package views

// Group is a heading of help.
type KeyGroup string

// The headings of help, in its order.
const (
	GroupBack    KeyGroup = "Taking back"
	GroupWriting KeyGroup = "Writing"
	GroupReading KeyGroup = "Reading back"
	GroupStory   KeyGroup = "The story"
	GroupPeople  KeyGroup = "People and sessions"
	GroupWindow  KeyGroup = "The window"
)

// Groups are the headings of help.
func KeyGroups() []KeyGroup {
	return []KeyGroup{GroupBack, GroupWriting, GroupReading, GroupStory, GroupPeople, GroupWindow}
}

// groupOf is the heading for an action of the keys; GroupWindow for one of no other.
func groupOf(action string) KeyGroup {
	switch action {
	case "send", "new-line", "cancel", "commands", "complete", "edit", "undo", "redo":
		return GroupWriting
	case "take-back", "reword", "fork":
		return GroupBack
	case "up", "down", "page-up", "page-down", "top", "bottom", "search", "copy":
		return GroupReading
	case "why", "parts", "direct", "state", "update":
		return GroupStory
	case "personas", "sessions", "rename-session", "forget-session", "new-session":
		return GroupPeople
	}
	return GroupWindow
}

// CommandGroup is the heading for a slash command; "" for one that is under none, which
// TestHelpHasAllUnderItsHeadings finds.
func CommandGroup(command string) KeyGroup {
	switch command {
	case "editor":
		return GroupWriting
	case "history", "search", "copy", "export":
		return GroupReading
	case "undo", "redo", "retry", "branches", "compare", "fork":
		return GroupBack
	case "parts", "progress", "state", "reset", "save-play", "why", "direct", "update":
		return GroupStory
	case "personas", "name", "sessions", "new":
		return GroupPeople
	case "help", "theme", "panel", "mouse", "quit":
		return GroupWindow
	}
	return ""
}
