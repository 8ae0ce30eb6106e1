// Package memory implements conversation.Memory in memory, for tests.
package memory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/parley-npc/parley/tui/conversation"
)

// Notebook is a conversation.Memory. Current sessions are stored by persona id, and earlier
// sessions by session id.
type Notebook map[string]conversation.SavedSession

func (n Notebook) Recall(persona string) (conversation.SavedSession, bool) {
	k, ok := n[persona]
	return k, ok
}

func (n Notebook) Remember(k conversation.SavedSession) error {
	old, ok := n[k.Persona]
	if ok && old.UserSessionID != k.UserSessionID {
		n[old.UserSessionID] = old
	}
	if old.UserSessionID != k.UserSessionID {
		old = n[k.UserSessionID]
	}
	k.Label = cmp.Or(k.Label, old.Label)
	delete(n, k.UserSessionID)
	n[k.Persona] = k
	return nil
}

func (n Notebook) Sessions() ([]conversation.SavedSession, error) {
	return slices.SortedFunc(maps.Values(n), func(a, b conversation.SavedSession) int {
		return cmp.Or(b.UsedAt.Compare(a.UsedAt), cmp.Compare(a.UserSessionID, b.UserSessionID))
	}), nil
}

func (n Notebook) Rename(_, userSession, label string) error {
	for key, k := range n {
		if k.UserSessionID == userSession {
			k.Label = label
			n[key] = k
		}
	}
	return nil
}

func (n Notebook) Forget(_, userSession string) error {
	maps.DeleteFunc(n, func(_ string, k conversation.SavedSession) bool { return k.UserSessionID == userSession })
	return nil
}
