// Package record exports a player's conversation with a persona as Markdown, JSON or HTML.
// ReadRecord reads the conversation from a service, and Formats lists the formats. ExportRecord and
// SavePlay implement commands of the chat. The package does not open files. The caller provides
// Files.
package record
