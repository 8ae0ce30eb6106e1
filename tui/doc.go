// Package tui implements the chat on the full screen. It lists the published personas, asks for the
// player's data, shows the conversation with state and score, and stores the player's place.
//
// Run starts the chat. A router (root.go) shows one screen at a time: the list of personas
// (persona_picker.go), the opening of a session (join.go), or the chat (chat.go). A chat sends
// turns and other requests to the service, one at a time. state.go contains the states of a chat
// and their transitions. chat_commands.go runs the commands.
//
// The package calls a service only through conversation.Service and stores data only through
// conversation.Memory and the functions in Options. It does not read the environment and does not
// open files or connections. It cleans all text from a service before it writes the text to the
// terminal.
package tui
