package store

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// ListPersonas returns at most filter.Limit personas, newest first.
func (s *Store) ListPersonas(ctx context.Context, filter PersonaQuery) ([]PersonaSummary, error) {
	if filter.Name == "" {
		return listPersonas(ctx, s.database, filter)
	}
	return findNamedPersonas(ctx, s.database, filter)
}

const namedBatch = 1000

// SQLite ignores case only for ASCII, so Go compares the names.
func findNamedPersonas(ctx context.Context, backend database, filter PersonaQuery) ([]PersonaSummary, error) {
	summaries, batch := []PersonaSummary{}, filter
	batch.Limit = namedBatch
	for {
		items, err := listPersonas(ctx, backend, batch)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if len(summaries) == filter.Limit {
				return summaries, nil
			}
			if strings.HasPrefix(plaintext.FoldName(item.Name), plaintext.FoldName(filter.Name)) {
				summaries = append(summaries, item)
			}
		}
		if len(items) < namedBatch {
			return summaries, nil
		}
		batch.After = items[namedBatch-1].Cursor()
	}
}

// Cursor returns the position after the persona in a list.
func (p PersonaSummary) Cursor() ListCursor { return ListCursor{p.CreatedAt, p.ID} }

// CountPersonas returns the number of matching personas. CountPersonas ignores After, Limit and
// Name.
func CountPersonas(ctx context.Context, s *Store, filter PersonaQuery) (int, error) {
	n, err := fetch(ctx, s.database.Query, func(ctx context.Context, q *db.Queries) (int64, error) {
		switch {
		case filter.Mine:
			return q.CountOwnPersonas(ctx, db.CountOwnPersonasParams{
				Viewer: filter.Viewer, PublicOnly: filter.PublicOnly,
			})
		case filter.PublicOnly:
			return q.CountPublicPersonas(ctx)
		}
		return q.CountVisiblePersonas(ctx, filter.Viewer)
	})
	return int(n), err
}

// HasPersona reports whether the database contains a persona.
func HasPersona(ctx context.Context, s *Store) (bool, error) {
	return fetch(ctx, s.database.Query, func(ctx context.Context, q *db.Queries) (bool, error) {
		rows, err := q.HasPersona(ctx)
		return rows > 0, err
	})
}

func listPersonas(ctx context.Context, backend database, filter PersonaQuery) ([]PersonaSummary, error) {
	top := int64(max(filter.Limit, 0)) // SQLite takes a negative limit as unlimited
	before, id := int64(math.MaxInt64), filter.After.ID
	if id != "" {
		before = filter.After.CreatedAt.UnixMilli()
	}
	rows, err := fetch(ctx, backend.Query, func(ctx context.Context, q *db.Queries) ([]db.Persona, error) {
		switch {
		case filter.Mine:
			return q.OwnPersonas(ctx, db.OwnPersonasParams{
				Viewer: filter.Viewer, PublicOnly: filter.PublicOnly, Before: before, BeforeID: id, Top: top,
			})
		case filter.PublicOnly:
			return q.PublicPersonas(ctx, db.PublicPersonasParams{Before: before, BeforeID: id, Top: top})
		}
		return q.VisiblePersonas(ctx, db.VisiblePersonasParams{
			Viewer: filter.Viewer, Before: before, BeforeID: id, Top: top,
		})
	})
	list := make([]PersonaSummary, len(rows))
	for i, r := range rows {
		list[i] = PersonaSummary{
			ID: r.ID, OwnerID: r.OwnerID, Name: r.Name, Description: r.Description, Public: r.Public,
			CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt),
		}
	}
	return list, err
}

// SessionQuery selects sessions with a persona. A zero field matches all sessions. Outcome may be
// RunningOutcome. Since limits the time of the last message.
type SessionQuery struct {
	PersonaID, OwnerID string
	Outcome, State     string
	Version            int64
	Since              time.Time
	After              ListCursor
	Limit              int
}

// RunningOutcome selects unfinished sessions in a SessionQuery.
const RunningOutcome = "none"

// SessionItem is a list item for the persona's owner. It does not identify the player.
type SessionItem struct {
	ID, MachineID, MachineKey string
	Version, Turn             int64
	State                     string
	Score                     int
	Outcome                   personas.Outcome
	IsBranch                  bool
	StartedAt, LastMessageAt  time.Time
}

// OwnedSessions lists the sessions of all players with a persona, newest first. more is nil after
// the last page. OwnedSessions returns ErrNotFound for an invisible persona, and ErrForbidden for
// another user's persona.
func (s *Store) OwnedSessions(
	ctx context.Context, filter SessionQuery,
) (list []SessionItem, more *ListCursor, err error) {
	query := db.OwnedSessionsParams{
		PersonaID: filter.PersonaID, Owner: filter.OwnerID, Outcome: filter.Outcome, State: filter.State,
		Version: filter.Version,
		Before:  math.MaxInt64, Top: int64(filter.Limit) + 1,
	}
	switch filter.Outcome {
	case "":
		query.Outcome = "*"
	case RunningOutcome:
		query.Outcome = ""
	}
	if !filter.Since.IsZero() {
		query.Since = toMillis(filter.Since)
	}
	if filter.After.ID != "" {
		query.Before, query.BeforeID = toMillis(filter.After.CreatedAt), filter.After.ID
	}
	err = s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		persona, err := ownedPersona(ctx, q, filter.PersonaID, filter.OwnerID)
		if err != nil {
			return err
		}
		rows, err := q.OwnedSessions(ctx, query)
		list, more = make([]SessionItem, 0, len(rows)), nil
		for _, r := range rows {
			if len(list) == filter.Limit {
				last := &list[len(list)-1]
				more = &ListCursor{last.StartedAt, last.ID}
				break
			}
			list = append(list, SessionItem{
				ID: r.ID, MachineID: r.MachineID, MachineKey: persona.Machines.Keys[r.MachineID], Version: r.Version,
				Turn:  r.Turn,
				State: r.State, Score: int(r.Score), Outcome: personas.Outcome(r.Outcome), IsBranch: r.IsBranch,
				StartedAt: fromMillis(r.StartedAt), LastMessageAt: fromMillis(r.LastMessageAt),
			})
		}
		return err
	})
	return list, more, err
}

func ownedPersona(ctx context.Context, q *db.Queries, personaID, ownerID string) (PersonaHead, error) {
	persona, err := findHead(ctx, q, PlayerRef{PersonaID: personaID, UserID: ownerID})
	if err == nil && persona.OwnerID != ownerID {
		return PersonaHead{}, ErrForbidden
	}
	return persona, err
}

// DeleteOwnedSession deletes a session for the persona's owner, and a player without further
// sessions. DeleteOwnedSession returns the errors of OwnedSessions, and ErrNoSession.
func (s *Store) DeleteOwnedSession(ctx context.Context, personaID, ownerID, sessionID string) error {
	return s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		if _, err := ownedPersona(ctx, q, personaID, ownerID); err != nil {
			return err
		}
		playerID, err := q.OwnedPlayer(ctx, db.OwnedPlayerParams{ID: sessionID, PersonaID: personaID, Owner: ownerID})
		if err != nil {
			return ifMissing(err, ErrNoSession)
		}
		if err := q.DropOwnedSession(ctx, sessionID); err != nil {
			return err
		}
		remaining, err := q.CountSessions(ctx, playerID)
		if err != nil {
			return err
		}
		if remaining == 0 {
			if err := q.DeletePlayer(ctx, playerID); err != nil {
				return err
			}
		}
		return q.DropVersions(ctx, personaID)
	})
}

const maxIdleDeleted = 200

// DeleteIdle deletes players without messages since the given time, at most 200. If more is true,
// call DeleteIdle again.
func (s *Store) DeleteIdle(ctx context.Context, since time.Time) (deleted int, more bool, err error) {
	idle, err := fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) ([]db.IdlePlayersRow, error) {
		return q.IdlePlayers(ctx, db.IdlePlayersParams{Since: toMillis(since), Top: maxIdleDeleted})
	})
	if err != nil || len(idle) == 0 {
		return 0, false, err
	}
	deleted, err = fetch(ctx, s.database.Write, func(ctx context.Context, q *db.Queries) (deleted int, err error) {
		personas := map[string]bool{}
		for _, p := range idle {
			n, err := q.DeleteIdlePlayer(ctx, db.DeleteIdlePlayerParams{ID: p.ID, Since: toMillis(since)})
			if err != nil {
				return deleted, err
			}
			deleted += int(n)
			personas[p.PersonaID] = true
		}
		for id := range personas {
			if err := q.DropVersions(ctx, id); err != nil {
				return deleted, err
			}
		}
		return deleted, nil
	})
	return deleted, len(idle) == maxIdleDeleted && deleted > 0, err
}

// Branch is a player in a tree of forks, with the last used session. Parent is "" for the root and
// after the parent was deleted.
type Branch struct {
	UserSessionID, Label string
	Parent               string // user_session_id
	ForkedMachineID      string
	ForkedTurn           int64
	SessionID, MachineID string
	Turn                 int64
	State                string
	Score, Redirects     int
	Outcome              personas.Outcome
	LastMessageAt        time.Time
}

// Branches returns the branches of the player's tree, oldest first. Branches returns the errors of
// LoadSession.
func (s *Store) Branches(ctx context.Context, ref PlayerRef) (head PersonaHead, list []Branch, err error) {
	err = s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		if head, err = findHead(ctx, q, ref); err != nil {
			return err
		}
		list, err = loadBranches(ctx, q, ref)
		return err
	})
	return head, list, err
}

func loadBranches(ctx context.Context, q *db.Queries, ref PlayerRef) ([]Branch, error) {
	id, err := findPlayer(ctx, q, ref)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, ErrNoSession
	}
	player, err := q.PlayerRow(ctx, id)
	if err != nil {
		return nil, err
	}
	rows, err := q.Branches(ctx, db.BranchesParams{
		RootID: rootOf(&player), Space: ref.ownSpace(), Shared: ref.sharedSpace(),
	})
	names := map[string]string{}
	for i := range rows {
		names[rows[i].ID] = rows[i].UserSessionID
	}
	list := make([]Branch, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = Branch{
			UserSessionID: r.UserSessionID, Label: r.Label, Parent: names[r.ParentID],
			ForkedMachineID: r.ForkedMachineID, ForkedTurn: r.ForkedTurn,
			SessionID: r.SessionID, MachineID: r.MachineID, Turn: r.Turn, State: r.State, Score: int(r.Score),
			Redirects: int(r.Redirects),
			Outcome:   personas.Outcome(r.Outcome), LastMessageAt: fromMillis(r.LastMessageAt),
		}
	}
	return list, err
}
