// Package editor is where the player writes a message: a text of several lines with a
// cursor, up to the longest message that the service takes, and the input history.
package editor
