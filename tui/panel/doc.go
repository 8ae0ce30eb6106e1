// Package panel shows where the player stands: the states and the ways out, the score,
// what opens next, the machines. Panel is beside the conversation, Overlay over it.
package panel
