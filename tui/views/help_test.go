package views_test

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// TestHelpHasAllUnderItsHeadings: all keys and commands have a heading, and no heading has too many.
func TestHelpHasAllUnderItsHeadings(t *testing.T) {
	keys, commands := map[string]bool{}, map[string]bool{}
	for _, group := range conversation.Groups() {
		count := 0
		for _, a := range views.KeyActions() {
			if a.Group == group {
				keys[a.Name] = true
				count++
			}
		}
		for _, c := range conversation.Commands() {
			if c.Group == group {
				commands[c.Name] = true
				count++
			}
		}
		assert.True(t, count != 0 && count <= 14, "%s: %d rows", group, count)
	}
	assert.Equal(t, len(keys), len(views.KeyActions()), "keys")
	assert.Equal(t, len(commands), len(conversation.Commands()), "commands")
}
