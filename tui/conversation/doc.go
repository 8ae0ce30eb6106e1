// Package conversation implements a player's conversation with a service, independent of its
// display: sessions, turns and their retries, the machines and the player's state in them, the
// explanations for authors, and the texts for all of these.
//
// Requester calls the service, each time with a deadline. Commands is the table of slash commands
// for the screen and line mode. The caller provides Service and Memory.
//
// All texts that the package returns are clean (terminal.Clean). It does not depend on the screen.
package conversation
