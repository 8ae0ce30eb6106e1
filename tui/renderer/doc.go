// Package renderer writes frames to a terminal: of each one only what differs from the
// frame before it, and nothing at all while nothing differs. It has no clock and no
// goroutine; who draws decides when.
package renderer
