// Package double is in for what the chat needs of the outside, for the tests of
// every room: a service in memory, and texts that are hard on a terminal. Product code
// never imports it.
package double
