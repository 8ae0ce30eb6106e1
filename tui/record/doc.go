// Package record writes down what a player and a persona have said to each other, as
// Markdown, JSON or a page. ReadRecord reads it from a service, Formats are the ways to
// write it, ExportRecord and SavePlay are what both modes of the chat do with it. It
// opens no file itself: Files does.
package record
