package tui

import (
	"cmp"
	"maps"
	"slices"
)

// notebook is a Memory in memory: the present session of each persona, and the
// earlier ones under their own ids.
type notebook map[string]SavedSession

func (n notebook) Recall(persona string) (SavedSession, bool) { k, ok := n[persona]; return k, ok }

func (n notebook) Remember(k SavedSession) error {
	was, ok := n[k.Persona]
	if ok && was.UserSessionID != k.UserSessionID {
		n[was.UserSessionID] = was
	}
	if was.UserSessionID != k.UserSessionID {
		was = n[k.UserSessionID]
	}
	k.Label = cmp.Or(k.Label, was.Label)
	delete(n, k.UserSessionID)
	n[k.Persona] = k
	return nil
}

func (n notebook) Sessions() ([]SavedSession, error) {
	return slices.SortedFunc(maps.Values(n), func(a, b SavedSession) int {
		return cmp.Or(b.UsedAt.Compare(a.UsedAt), cmp.Compare(a.UserSessionID, b.UserSessionID))
	}), nil
}

func (n notebook) Rename(_, userSession, label string) error {
	for key, k := range n {
		if k.UserSessionID == userSession {
			k.Label = label
			n[key] = k
		}
	}
	return nil
}

func (n notebook) Forget(_, userSession string) error {
	maps.DeleteFunc(n, func(_ string, k SavedSession) bool { return k.UserSessionID == userSession })
	return nil
}
