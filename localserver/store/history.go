package store

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// Limits of a history page. A larger message gets its own page.
const (
	// MaxPageBytes is the maximum size of the messages on a page.
	MaxPageBytes = 256 << 10
	maxPageRows  = 500
	messageBytes = 256
)

// HistoryPart selects the newest Limit messages before the message with the id Before. An empty
// Before means the end. A Limit of 0 means unlimited.
type HistoryPart struct {
	Before string
	Limit  int
}

// ErrNoMessage means that the session has no message with the given id.
var ErrNoMessage = errors.New("no such message in the session")

// A History reads messages page by page, oldest first. It holds no database connection between
// pages. It is not safe for concurrent use.
type History struct {
	PersonaID string
	Persona   PersonaHead // not set by OpenTraces
	Session   Session
	// LastTrace is the trace of the last message of a finished session, or "".
	LastTrace string
	// HasEarlier means that the session has messages, or traces, before this part.
	HasEarlier bool

	store     *Store
	traces    bool
	resets    int64
	next, end int64 // index of the next message to read, and of the first one after the part
	page      historyPage
}

type historyPage struct{ end, bytes int64 }

// OpenHistory opens the messages of the session that LoadSession would return. OpenHistory returns
// the errors of LoadSession and ErrNoMessage.
func (s *Store) OpenHistory(ctx context.Context, ref PlayerRef, machine string, part HistoryPart) (*History, error) {
	return s.openOwn(ctx, ref, machine, part, false)
}

// OpenOwnTraces opens the traces of the session that OpenHistory would open.
func (s *Store) OpenOwnTraces(ctx context.Context, ref PlayerRef, machine string, part HistoryPart) (*History, error) {
	return s.openOwn(ctx, ref, machine, part, true)
}

func (s *Store) openOwn(
	ctx context.Context, ref PlayerRef, machine string, part HistoryPart, traces bool,
) (*History, error) {
	history := &History{store: s, traces: traces}
	return history, s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		l, err := findSession(ctx, q, ref, machine)
		if err != nil {
			return err
		}
		history.Persona, history.PersonaID, history.Session = l.Persona, l.Persona.ID, l.Session
		if history.Session.Engine.IsFinished() {
			last := history.Session.MessageCount()
			rows, err := q.Traces(ctx, db.TracesParams{SessionID: history.Session.ID, First: last - 1, Behind: last})
			if err != nil {
				return err
			}
			for _, r := range rows {
				history.LastTrace = r.Trace
			}
		}
		return history.begin(ctx, q, part)
	})
}

// KeptConversation is a stored session with its messages, oldest first.
type KeptConversation struct {
	Session
	MachineKey string
	Messages   []Message
}

const sessionsOfAPage = 500

// EachConversation calls visit for each session with a persona of the given name. EachConversation
// includes all owners and players, without a permission check. EachConversation stops at the first
// error.
func (s *Store) EachConversation(ctx context.Context, persona string, visit func(*KeptConversation) error) error {
	named, err := fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) ([]db.NamedPersonasRow, error) {
		return q.NamedPersonas(ctx, persona)
	})
	for i := 0; i < len(named) && err == nil; i++ {
		err = s.eachSession(ctx, named[i].ID, named[i].OwnerID, visit)
	}
	return err
}

func (s *Store) eachSession(ctx context.Context, personaID, ownerID string, visit func(*KeptConversation) error) error {
	for after := ""; ; {
		var head PersonaHead
		var rows []db.Session
		err := s.database.Read(ctx, func(ctx context.Context, q *db.Queries) (err error) {
			if head, err = ownedPersona(ctx, q, personaID, ownerID); err == nil {
				rows, err = q.PersonaSessions(ctx, db.PersonaSessionsParams{
					PersonaID: personaID, After: after, Top: sessionsOfAPage,
				})
			}
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			n := KeptConversation{Session: sessionOf(&rows[i])}
			n.MachineKey = head.Machines.Keys[n.MachineID]
			if n.Messages, err = s.allMessages(ctx, personaID, n.Session); err != nil {
				return err
			}
			if err := visit(&n); err != nil {
				return err
			}
		}
		after = rows[len(rows)-1].ID
	}
}

func (s *Store) allMessages(ctx context.Context, personaID string, session Session) (all []Message, err error) {
	h := &History{store: s, PersonaID: personaID, Session: session}
	err = s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error { return h.begin(ctx, q, HistoryPart{}) })
	for err == nil && !h.IsAtEnd() {
		var page []Message
		page, err = h.NextPage(ctx)
		all = append(all, page...)
	}
	return all, err
}

// OpenTraces opens the traces of a web session for the persona's owner, ref.UserID. If several
// players share a user session id, the owner's player comes first, then an anonymous player, then
// the newest. OpenTraces returns ErrForbidden for another user, and the errors of OpenHistory.
func (s *Store) OpenTraces(ctx context.Context, ref PlayerRef, machine string, part HistoryPart) (*History, error) {
	h := &History{store: s, traces: true, PersonaID: ref.PersonaID}
	return h, s.database.Read(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		if h.Session, err = authorsSession(ctx, q, ref, machine); err != nil {
			return err
		}
		return h.begin(ctx, q, part)
	})
}

func (h *History) begin(ctx context.Context, q *db.Queries, part HistoryPart) (err error) {
	h.resets, h.end = h.Session.Revision-h.Session.Turn, h.Session.MessageCount()
	if part.Before != "" {
		h.end, err = q.MessagePlace(ctx, db.MessagePlaceParams{SessionID: h.Session.ID, ID: part.Before})
		if err != nil {
			return ifMissing(err, ErrNoMessage)
		}
	}
	if part.Limit > 0 {
		if h.next, err = h.findPlace(ctx, q, part.Limit); err != nil {
			return err
		}
		h.HasEarlier = h.next > 0
	}
	h.page, err = h.planPage(ctx, q, h.next)
	return err
}

func (h *History) findPlace(ctx context.Context, q *db.Queries, count int) (int64, error) {
	if !h.traces {
		return max(h.end-int64(count), 0), nil
	}
	place, err := q.TracePlace(ctx, db.TracePlaceParams{
		SessionID: h.Session.ID, Behind: h.end, Skipped: int64(count) - 1,
	})
	return place, ifMissing(err, nil)
}

func (h *History) planPage(ctx context.Context, q *db.Queries, first int64) (historyPage, error) {
	page := historyPage{end: first}
	if first >= h.end {
		return page, nil
	}
	rows, err := q.MessageSizes(ctx, db.MessageSizesParams{
		SessionID: h.Session.ID, First: first, Behind: h.end, Top: maxPageRows,
	})
	for i, row := range rows {
		size := row.Content + messageBytes
		if h.traces {
			size = row.Trace + messageBytes
		}
		if i > 0 && page.bytes+size > MaxPageBytes {
			break
		}
		page.end, page.bytes = row.Seq+1, page.bytes+size
	}
	if len(rows) == 0 && err == nil {
		return page, ErrChanged
	}
	return page, err
}

// IsAtEnd reports whether all pages have been read.
func (h *History) IsAtEnd() bool { return h.next >= h.end }

// PageBytes returns the approximate size of the next page in bytes.
func (h *History) PageBytes() int64 { return h.page.bytes }

// IsLastPage reports whether the next page is the last one.
func (h *History) IsLastPage() bool { return h.page.end >= h.end }

// NextPage returns the messages on the next page, or ErrChanged after a reset. For traces, a page
// may be empty, and only Trace, ID and At are set.
func (h *History) NextPage(ctx context.Context) (messages []Message, err error) {
	read, after := h.page, historyPage{}
	err = h.store.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		resets, err := q.SessionResets(ctx, h.Session.ID)
		switch {
		case err != nil:
			return ifMissing(err, ErrChanged)
		case resets != h.resets:
			return ErrChanged
		}
		if messages, err = h.readPage(ctx, q); err != nil {
			return err
		}
		after, err = h.planPage(ctx, q, read.end)
		return err
	})
	if err != nil {
		return nil, err
	}
	h.next, h.page = read.end, after
	return messages, nil
}

func (h *History) readPage(ctx context.Context, q *db.Queries) ([]Message, error) {
	if h.traces {
		rows, err := q.Traces(ctx, db.TracesParams{SessionID: h.Session.ID, First: h.next, Behind: h.page.end})
		messages := make([]Message, len(rows))
		for i, r := range rows {
			messages[i] = Message{ID: r.ID, At: fromMillis(r.CreatedAt), Trace: r.Trace}
		}
		return messages, err
	}
	return readMessages(ctx, q, db.MessagesParams{SessionID: h.Session.ID, First: h.next, Behind: h.page.end})
}

// FirstMessages returns the opening line of a session and the messages of its first turns.
func (s *Store) FirstMessages(ctx context.Context, sessionID string, turns int64) ([]Message, error) {
	return fetch(ctx, s.database.Query, func(ctx context.Context, q *db.Queries) ([]Message, error) {
		return readMessages(ctx, q, db.MessagesParams{SessionID: sessionID, Behind: 2*turns + 1})
	})
}

func readMessages(ctx context.Context, q *db.Queries, part db.MessagesParams) ([]Message, error) {
	rows, err := q.Messages(ctx, part)
	messages := make([]Message, len(rows))
	for i, r := range rows {
		messages[i] = Message{
			ID: r.ID, Role: r.Role, Content: r.Content, State: r.State, Score: int(r.Score),
			Decision: personas.Decision(r.Decision), FollowUp: r.FollowUp, Aside: r.Aside, At: fromMillis(r.CreatedAt),
		}
	}
	return messages, err
}
