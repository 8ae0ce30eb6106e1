// Package conversation is a player's conversation with a service, independent of its display:
// sessions, turns and their retries, the machines and the player's place in them, the explanations
// for authors, and the texts for all of that.
//
// Requester asks the service, each question with a deadline. Commands is the table of slash
// commands, for the screen and for line mode. Service and Memory are the package's interfaces to
// the outside.
//
// All texts that it returns are clean (terminal.Clean). It draws nothing and does not know the
// screen.
package conversation
