package play

import (
	"context"
	"encoding/json"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// HistoryPart selects a part of a history.
type HistoryPart = store.HistoryPart

// Pages is a history or a trace. Head is the answer without its list, whose items NextPage returns page by
// page, oldest first.
type Pages[Head, Item any] struct {
	*store.History
	Head Head
	// FirstID is the id of the first item's message, or "" before the first page.
	FirstID string
	toItem  func(*store.Message) (Item, error)
}

// NextPage reads the next items. It returns an *Error of kind Conflict if the session was reset or
// replaced after it was opened.
func (p *Pages[Head, Item]) NextPage(ctx context.Context) ([]Item, error) {
	rows, err := p.History.NextPage(ctx)
	if err != nil {
		return nil, refusalOf(err)
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

// HistoryPages is a history, and TracePages a trace.
type (
	HistoryPages = Pages[wire.History, wire.HistoryMessage]
	TracePages   = Pages[wire.Trace, wire.TurnTrace]
)

// History opens the history of the session on r.Machine, or of the session that was opened last if
// r.Machine is empty. It returns an *Error of kind NotFound or NoMessage.
func (s *Service) History(ctx context.Context, r Ref, part HistoryPart) (*HistoryPages, error) {
	pages, err := s.Store.OpenHistory(ctx, r.storePlayer(), r.Machine, part)
	if err != nil {
		return nil, refusalOf(err)
	}
	n := &pages.Session
	head := wire.History{
		SessionID: n.ID, PersonaID: pages.PersonaID, Messages: []wire.HistoryMessage{},
		CurrentState: n.Engine.State, Score: n.Engine.Score, Outcome: textOrNull(n.Engine.Outcome),
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender,
		StartedAt: wire.Time{Time: n.StartedAt}, LastMessageAt: wire.Time{Time: n.LastMessageAt},
	}
	if !n.Engine.IsFinished() {
		head.RedirectCount = &n.Engine.Redirects
	}
	head.Ending = s.endingName(ctx, pages)
	return &HistoryPages{History: pages, Head: head, toItem: func(m *store.Message) (wire.HistoryMessage, error) { return toHistoryMessage(m), nil }}, nil
}

// Hear is called with a conversation. machine is the key of the conversation's machine, and outcome
// is "" if the conversation has not ended.
type Hear = func(machine, outcome string, messages []wire.HistoryMessage) error

// EachConversation calls hear for each conversation with a persona of the given name, for all
// players. The messages are those that History returns. EachConversation stops at the first error.
func EachConversation(ctx context.Context, from *store.Store, persona string, hear Hear) error {
	return from.EachConversation(ctx, persona, func(n *store.KeptConversation) error {
		messages := make([]wire.HistoryMessage, len(n.Messages))
		for i := range messages {
			messages[i] = toHistoryMessage(&n.Messages[i])
		}
		return hear(n.MachineKey, string(n.Engine.Outcome), messages)
	})
}

// endingName returns "" for an ending without a name, and for a session of an older server.
func (s *Service) endingName(ctx context.Context, h *store.History) string {
	var last trace
	if h.LastTrace == "" || json.Unmarshal([]byte(h.LastTrace), &last) != nil {
		return ""
	}
	part, err := s.partOf(ctx, &h.Persona, &h.Session)
	if err != nil {
		return "" // The history is useful without the name.
	}
	return part.rules.EndingName(h.Session.Engine, last.Transition)
}

func toHistoryMessage(m *store.Message) wire.HistoryMessage {
	return wire.HistoryMessage{
		ID: m.ID, Role: m.Role, Content: m.Content, StateKeyAtTime: m.State, ScoreAtTime: m.Score,
		Decision: textOrNull(m.Decision), FollowUpTriggered: m.FollowUp, Aside: m.Aside, CreatedAt: wire.Time{Time: m.At},
	}
}
