// Package renderer writes frames to a terminal: only the difference to the frame before, and
// nothing if they are equal. It has neither a clock nor a goroutine; the caller decides when to
// draw.
package renderer
