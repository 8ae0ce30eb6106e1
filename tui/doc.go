// Package tui implements the chat on the full screen. It lists the published personas, asks for the
// player's data, shows the conversation with state and score, and stores the player's place.
//
// Run starts the chat. A router (root.go) shows one screen at a time: the list of personas
// (persona_picker.go), the opening of a session (join.go), or the chat (chat.go). A chat lays out
// its parts and has a method for each command. Its dialogue (dialogue.go) sends turns and other
// requests to the service, one at a time, and shows the results. state.go contains the states of a
// dialogue and their transitions.
//
// The package calls a service only through conversation.Service and stores data only through
// conversation.Memory and the functions in Options. It does not read the environment and does not
// open files or connections. It cleans all text from a service before it writes the text to the
// terminal.
package tui
