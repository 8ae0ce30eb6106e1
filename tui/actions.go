package tui

// actions are what the chat does for the player: the commands, and what comes of
// them.
type actions struct {
	*dialogue
	copier *messageCopier
}
