package chat

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/views"
)

func chooseKeys(s *settings.Settings) (views.KeyMap, error) {
	own, table := s.ChatKeys(), map[string]string{}
	for action, set := range own {
		table[action] = set.Value
	}
	preset := s.Get(settings.ChatPreset)
	own["preset"] = preset
	keys, faults := views.MakeKeyMap(preset.Value, table)
	var refused []error
	for _, f := range faults {
		set := own[f.Action]
		refused = append(refused, fmt.Errorf("%s: %s %q: %w", set.Origin, settings.ChatActionKey(f.Action), set.Value, f.Err))
	}
	if len(refused) > 0 {
		return keys, cli.UsageError("%w", errors.Join(refused...))
	}
	return keys, nil
}
