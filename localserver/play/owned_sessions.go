package play

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// OwnedSessions lists the sessions of all players with a persona, for its owner. The cursor of the next
// page is nil after the last page. OwnedSessions returns an *Error of kind NotFound or Forbidden.
func (s *Service) OwnedSessions(ctx context.Context, q store.SessionQuery) ([]wire.OwnedSession, *store.ListCursor, error) {
	rows, more, err := s.Store.OwnedSessions(ctx, q)
	if err != nil {
		return nil, nil, ownersRefusal(err)
	}
	list := make([]wire.OwnedSession, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = wire.OwnedSession{
			SessionID: r.ID, MachineID: r.MachineID, MachineKey: r.MachineKey, Version: int(r.Version), Turn: int(r.Turn),
			CurrentState: r.State, Score: r.Score, Outcome: textOrNull(r.Outcome), IsBranch: r.IsBranch,
			StartedAt: wire.Time{Time: r.StartedAt}, LastMessageAt: wire.Time{Time: r.LastMessageAt},
		}
	}
	return list, more, nil
}

// OpenConversations returns at most this many conversations, and this many turns of each.
const (
	maxOpenConversations = 50
	maxOpenTurns         = 200
)

// OpenConversations returns the newest 50 conversations with a persona that have not ended, for its owner.
// Each has at most its first 200 turns. It returns an *Error of kind NotFound or Forbidden.
func (s *Service) OpenConversations(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error) {
	query := store.SessionQuery{
		PersonaID: personaID, OwnerID: ownerID, Outcome: store.RunningOutcome, Limit: maxOpenConversations,
	}
	rows, _, err := s.Store.OwnedSessions(ctx, query)
	if err != nil {
		return nil, ownersRefusal(err)
	}
	list := make([]playtest.Conversation, len(rows))
	for i := range rows {
		turns := min(rows[i].Turn, maxOpenTurns)
		if list[i], err = s.conversation(ctx, rows[i].ID, rows[i].MachineKey, turns, ""); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// DeleteOwnedSession deletes a session with a persona, for the persona's owner. It returns an
// *Error of kind NotFound or Forbidden.
func (s *Service) DeleteOwnedSession(ctx context.Context, personaID, ownerID, sessionID string) error {
	return ownersRefusal(s.Store.DeleteOwnedSession(ctx, personaID, ownerID, sessionID))
}

func ownersRefusal(err error) error {
	switch {
	case errors.Is(err, store.ErrForbidden):
		return &Error{Kind: Forbidden, Message: "only the persona's owner may list and delete its sessions", Cause: err}
	case errors.Is(err, store.ErrNoSession):
		return &Error{Kind: NotFound, Message: "the persona has no such session", Cause: err}
	}
	return refusalOf(err)
}
