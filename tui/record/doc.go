// Package record writes down a player's conversation with a persona, as Markdown, JSON or a page.
// ReadRecord reads it from a service, Formats are the ways to write it, ExportRecord and SavePlay
// serve both modes of the chat. It opens no file itself: Files does.
package record
