package cmd_test

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
)

// TestEveryKeyIsHidden: a provider that is added to the table has its keys hidden from
// other programs.
func TestEveryKeyIsHidden(t *testing.T) {
	hidden := service.HiddenVariables()
	for _, p := range localserver.Providers() {
		for _, name := range append(p.KeyVariables, localserver.KeyVariables()...) {
			if !slices.Contains(hidden, name) {
				t.Errorf("%s of %s is not hidden", name, p.Title)
			}
		}
	}
}
