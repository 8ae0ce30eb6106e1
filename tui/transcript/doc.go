// Package transcript shows what was said, with a window on it that stays where the
// player reads while words come in below.
package transcript
