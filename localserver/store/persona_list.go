package store

import (
	"context"
	"math"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/plaintext"
)

// ListPersonas lists personas, newest first, at most Limit.
func (s *Store) ListPersonas(ctx context.Context, l PersonaQuery) ([]PersonaItem, error) {
	if l.Name == "" {
		return listPersonas(ctx, s.database, l)
	}
	return findNamedPersonas(ctx, s.database, l)
}

// namedBatch is how many personas are read at a time where their names are compared.
const namedBatch = 1000

// findNamedPersonas reads personas until there are enough whose name fits. SQLite knows
// capitals of ASCII only, so the names are compared here.
func findNamedPersonas(ctx context.Context, kept database, l PersonaQuery) ([]PersonaItem, error) {
	found, batch := []PersonaItem{}, l
	batch.Limit = namedBatch
	for {
		items, err := listPersonas(ctx, kept, batch)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if len(found) == l.Limit {
				return found, nil
			}
			if beginsWithName(item.Name, l.Name) {
				found = append(found, item)
			}
		}
		if len(items) < namedBatch {
			return found, nil
		}
		batch.After = items[namedBatch-1].Cursor()
	}
}

// beginsWithName reports whether a name begins with wanted, whatever the case, the Unicode
// form and the spaces around the two.
func beginsWithName(name, wanted string) bool {
	return strings.HasPrefix(plaintext.FoldName(name), plaintext.FoldName(wanted))
}

// Cursor is the place in a list behind the persona.
func (p PersonaItem) Cursor() PersonaCursor { return PersonaCursor{p.CreatedAt, p.ID} }

// CountPersonas returns how many personas there are that a query chooses, wherever its list
// begins and ends, and whatever they are called.
func CountPersonas(ctx context.Context, s *Store, l PersonaQuery) (n int, err error) {
	err = s.database.Query(ctx, func(ctx context.Context, q db.Querier) error {
		rows, err := countPersonas(ctx, q, l)
		n = int(rows)
		return err
	})
	return n, err
}

// HasPersona reports whether there is any persona, whoever sees it.
func HasPersona(ctx context.Context, s *Store) (has bool, err error) {
	err = s.database.Query(ctx, func(ctx context.Context, q db.Querier) error {
		rows, err := q.HasPersona(ctx)
		has = rows > 0
		return err
	})
	return has, err
}

func countPersonas(ctx context.Context, q db.Querier, l PersonaQuery) (int64, error) {
	switch {
	case l.Mine:
		return q.CountOwnPersonas(ctx, db.CountOwnPersonasParams{Viewer: l.Viewer, PublicOnly: l.PublicOnly})
	case l.PublicOnly:
		return q.CountPublicPersonas(ctx)
	}
	return q.CountVisiblePersonas(ctx, l.Viewer)
}

func listPersonas(ctx context.Context, kept database, l PersonaQuery) (list []PersonaItem, err error) {
	err = kept.Query(ctx, func(ctx context.Context, q db.Querier) error {
		list, err = queryPersonas(ctx, q, l)
		return err
	})
	return list, err
}

func queryPersonas(ctx context.Context, q db.Querier, l PersonaQuery) ([]PersonaItem, error) {
	top := int64(max(l.Limit, 0)) // a negative one would be no limit to SQLite
	before, id := int64(math.MaxInt64), l.After.ID
	if id != "" {
		before = l.After.CreatedAt.UnixMilli()
	}
	switch {
	case l.Mine:
		rows, err := q.OwnPersonas(ctx, db.OwnPersonasParams{Viewer: l.Viewer, PublicOnly: l.PublicOnly, Before: before, BeforeID: id, Top: top})
		return itemsOf(rows, err, func(r db.OwnPersonasRow) itemRow { return itemRow(r) })
	case l.PublicOnly:
		rows, err := q.PublicPersonas(ctx, db.PublicPersonasParams{Before: before, BeforeID: id, Top: top})
		return itemsOf(rows, err, func(r db.PublicPersonasRow) itemRow { return itemRow(r) })
	}
	rows, err := q.VisiblePersonas(ctx, db.VisiblePersonasParams{Viewer: l.Viewer, Before: before, BeforeID: id, Top: top})
	return itemsOf(rows, err, func(r db.VisiblePersonasRow) itemRow { return itemRow(r) })
}

// itemRow has the columns that the three lists share.
type itemRow struct {
	ID          string
	Name        string
	Description string
	Public      bool
	CreatedAt   int64
	UpdatedAt   int64
}

func itemsOf[Row any](rows []Row, err error, as func(Row) itemRow) ([]PersonaItem, error) {
	list := make([]PersonaItem, len(rows))
	for i := range rows {
		r := as(rows[i])
		list[i] = PersonaItem{ID: r.ID, Name: r.Name, Description: r.Description, Public: r.Public, CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt)}
	}
	return list, err
}
