// Package tui is the chat on the whole screen: it lists the published personas, asks who is
// playing, shows the conversation with the character's state and score, and keeps a player's place.
//
// Run starts it. A router (root.go) shows one screen at a time: the list of personas, the way into
// a session, the chat. A chat (chat.go) lays out its parts and has a method for each command. Its
// dialogue (dialogue.go) sends turns and other questions to the service, one at a time, and shows
// the answers. state.go has the states of a dialogue and what leads from one to another.
//
// The package talks to a service only through conversation.Service and stores data only through
// conversation.Memory. It never reads the environment, never opens a file or a connection, and
// never lets text of a service reach the terminal uncleaned.
package tui
