// Package panel shows the player's state: the states and the ways out, the score, what opens next,
// the machines. Panel is beside the conversation, Overlay covers it.
package panel
