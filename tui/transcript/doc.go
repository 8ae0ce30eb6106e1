// Package transcript shows the conversation, with a window that stays where the player reads while
// words come in below.
package transcript
