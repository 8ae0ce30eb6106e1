// Package tui is the chat on the whole screen: it lists the published personas, asks who is
// playing, shows the conversation with the character's state and score, and keeps a player's place.
//
// Run starts it. A router (root.go) shows one screen at a time: the list of personas, the way into
// a session, the chat. The chat consists of questions (one question to the service at a time),
// dialogue (turns and what follows them), actions (the commands), and the views, which have their
// own packages.
//
// The package talks to a service only through conversation.Service and stores data only through
// conversation.Memory. It never reads the environment, never opens a file or a connection, and
// never lets text of a service reach the terminal uncleaned.
package tui
