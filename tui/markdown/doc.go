// Package markdown draws Markdown as lines for a terminal: paragraphs, emphasis, code,
// lists, quotes and headings. Anything else stays as it was written.
package markdown
