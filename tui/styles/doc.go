// Package styles is how the full screen looks: themes and their colours, the first and
// the last line of a screen, paragraphs, one-line fields. It asks the terminal nothing.
package styles
