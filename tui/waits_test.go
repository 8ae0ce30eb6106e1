package tui

import (
	"testing"
	"time"
)

// TestThinkingIsCounted: a long wait is shown in seconds, and Esc ends it and gives the words back.
func TestThinkingIsCounted(t *testing.T) {
	d := playing(t).press("wait for me", "enter").showing("Mira is thinking")
	d.hides("(Esc)")
	d.later(4 * time.Second)
	d.hides("(Esc)")
	d.later(3*time.Second).shows("Mira is thinking", "7 s (Esc)")
	d.later(114 * time.Second).shows("121 s (Esc)")
	d.press("esc").shows("› wait for me")
	d.hides("(Esc)", "is thinking")
}
