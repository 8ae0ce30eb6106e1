package cmd_test

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
)

// TestEveryKeyIsHidden: a provider that is added to the table has its keys hidden from other programs.
func TestEveryKeyIsHidden(t *testing.T) {
	hidden := service.HiddenVariables()
	for _, p := range models.Providers() {
		for _, name := range append(p.KeyVariables, models.KeyVariables()...) {
			assert.True(t, slices.Contains(hidden, name), "%s of %s is not hidden", name, p.Title)
		}
	}
}
