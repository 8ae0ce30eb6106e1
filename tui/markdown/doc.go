// Package markdown draws Markdown as lines for a terminal: paragraphs, emphasis, code, lists,
// quotes and headings. The rest stays unchanged.
package markdown
