// Package conversation is a player's conversation with a service, whatever shows it:
// sessions, turns and when they are sent again, the machines and where the player
// is in them, the reasons that an author is told, and the words for all of that.
//
// Requester asks the service, each question with a deadline. Commands is the one table
// of slash commands, for the screen and for lines. Service and Memory are what the
// package needs of the outside.
//
// Every text that it gives is clean (terminal.Clean). It draws nothing and knows no
// screen.
package conversation
