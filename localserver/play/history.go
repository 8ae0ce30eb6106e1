package play

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// HistoryPart selects messages of a session.
type HistoryPart = store.HistoryPart

// Pages reads a history or a trace page by page. Head is the response without its list.
type Pages[Head, Item any] struct {
	*store.History
	Head Head
	// FirstID is the message id of the first item. It is "" before the first page.
	FirstID string
	toItem  func(*store.Message) (Item, error)
}

// NextPage returns the next items, oldest first. NextPage returns an *Error of kind Conflict if the
// session was reset or replaced.
func (p *Pages[Head, Item]) NextPage(ctx context.Context) ([]Item, error) {
	rows, err := p.History.NextPage(ctx)
	if err != nil {
		return nil, callerError(err)
	}
	items := make([]Item, len(rows))
	for i := range rows {
		if items[i], err = p.toItem(&rows[i]); err != nil {
			return nil, err
		}
	}
	if p.FirstID == "" && len(rows) > 0 {
		p.FirstID = rows[0].ID
	}
	return items, nil
}

// HistoryPages is a history. TracePages is a trace.
type (
	HistoryPages = Pages[wire.History, wire.HistoryMessage]
	TracePages   = Pages[wire.Trace, wire.TurnTrace]
)

// History opens the message history of a session. An empty ref.Machine selects the session that was
// opened last. The error kind is NotFound, Forbidden or NoMessage.
func (s *Service) History(ctx context.Context, ref Ref, part HistoryPart) (*HistoryPages, error) {
	pages, err := s.Store.OpenHistory(ctx, ref.storePlayer(), ref.Machine, part)
	if err != nil {
		return nil, callerError(err)
	}
	session := &pages.Session
	head := wire.History{
		SessionID: session.ID, PersonaID: pages.PersonaID, Messages: []wire.HistoryMessage{},
		CurrentState: session.Engine.State, Score: session.Engine.Score, Outcome: textOrNull(session.Engine.Outcome),
		PlayerName: session.PlayerName, PlayerGender: session.PlayerGender,
		StartedAt: wire.Time{Time: session.StartedAt}, LastMessageAt: wire.Time{Time: session.LastMessageAt},
	}
	if !session.Engine.IsFinished() {
		head.RedirectCount = &session.Engine.Redirects
	}
	head.Ending = s.endingName(ctx, pages)
	toItem := func(message *store.Message) (wire.HistoryMessage, error) { return toHistoryMessage(message), nil }
	return &HistoryPages{History: pages, Head: head, toItem: toItem}, nil
}

// Hear receives a conversation. machine is a machine key. outcome is "" for an open conversation.
type Hear = func(machine, outcome string, messages []wire.HistoryMessage) error

// EachConversation calls hear for each conversation with a persona of the given name.
// EachConversation includes all players, and stops at the first error.
func EachConversation(ctx context.Context, from *store.Store, persona string, hear Hear) error {
	return from.EachConversation(ctx, persona, func(conversation *store.KeptConversation) error {
		messages := make([]wire.HistoryMessage, len(conversation.Messages))
		for i := range messages {
			messages[i] = toHistoryMessage(&conversation.Messages[i])
		}
		return hear(conversation.MachineKey, string(conversation.Engine.Outcome), messages)
	})
}

func (s *Service) endingName(ctx context.Context, h *store.History) string {
	var last trace
	if h.LastTrace == "" || json.Unmarshal([]byte(h.LastTrace), &last) != nil {
		return ""
	}
	part, err := s.sessionMachine(ctx, &h.Persona, &h.Session)
	if err != nil {
		return "" // The history is useful without the name.
	}
	return part.rules.EndingName(h.Session.Engine, last.Transition)
}

func toHistoryMessage(message *store.Message) wire.HistoryMessage {
	return wire.HistoryMessage{
		ID: message.ID, Role: message.Role, Content: message.Content, StateKeyAtTime: message.State,
		ScoreAtTime: message.Score,
		Decision:    textOrNull(message.Decision), FollowUpTriggered: message.FollowUp, Aside: message.Aside,
		CreatedAt: wire.Time{Time: message.At},
	}
}

// Session returns a session without its messages. An empty ref.Machine selects the session that was
// opened last. The error kind is NotFound or Forbidden.
func (s *Service) Session(ctx context.Context, ref Ref) (wire.Session, error) {
	loaded, err := s.Store.LoadSession(ctx, ref.storePlayer(), ref.Machine, 0)
	if err != nil {
		return wire.Session{}, callerError(err)
	}
	session := &loaded.Session
	return wire.Session{
		SessionID: session.ID, PersonaID: loaded.Persona.ID, MachineID: session.MachineID,
		CurrentState: session.Engine.State, Score: session.Engine.Score, Outcome: textOrNull(session.Engine.Outcome),
		PlayerName: session.PlayerName, PlayerGender: session.PlayerGender,
		StartedAt: wire.Time{Time: session.StartedAt}, LastMessageAt: wire.Time{Time: session.LastMessageAt},
	}, nil
}

// OwnedSessions lists the sessions of all players with a persona, for its owner. The cursor is nil
// after the last page. The error kind is NotFound or Forbidden.
func (s *Service) OwnedSessions(
	ctx context.Context, query store.SessionQuery,
) ([]wire.OwnedSession, *store.ListCursor, error) {
	rows, more, err := s.Store.OwnedSessions(ctx, query)
	if err != nil {
		return nil, nil, ownersRefusal(err)
	}
	list := make([]wire.OwnedSession, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = wire.OwnedSession{
			SessionID: r.ID, MachineID: r.MachineID, MachineKey: r.MachineKey, Version: int(r.Version),
			Turn:         int(r.Turn),
			CurrentState: r.State, Score: r.Score, Outcome: textOrNull(r.Outcome), IsBranch: r.IsBranch,
			StartedAt: wire.Time{Time: r.StartedAt}, LastMessageAt: wire.Time{Time: r.LastMessageAt},
		}
	}
	return list, more, nil
}

const (
	maxOpenConversations = 50
	maxOpenTurns         = 200
)

// OpenConversations returns the newest 50 unfinished conversations with a persona, for its owner.
// Each conversation contains at most its first 200 turns. The error kind is NotFound or Forbidden.
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

// DeleteOwnedSession deletes a session with a persona, for its owner. The error kind is NotFound or
// Forbidden.
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
	return callerError(err)
}
