// Package tuitest replaces the chat's surroundings in the tests of all packages of the chat: it has
// a service in memory, and texts that are hard on a terminal. Product code never imports it.
package tuitest
