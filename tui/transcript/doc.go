// Package transcript shows the conversation, with a window that stays where the player reads while
// words come in below. It draws Markdown as lines: paragraphs, emphasis, code, lists, quotes and
// headings; the rest stays unchanged.
package transcript
