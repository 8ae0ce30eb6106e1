package localserver

import (
	"context"
	"log/slog"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	// publishedPage is the number of personas on a page. Their texts have at most 220 KB together.
	publishedPage = 25
	// personaBytes is the maximum size in bytes of a persona in the list, without its name and description.
	personaBytes = 256
)

type publishedPersonas struct {
	store *store.Store
	query store.PersonaQuery
	atEnd bool
	bytes int64 // size of the last page
}

func (p *publishedPersonas) IsAtEnd() bool { return p.atEnd }

func (p *publishedPersonas) NextPage(ctx context.Context) ([]wire.SDKPersona, error) {
	rows, err := p.store.ListPersonas(ctx, p.query)
	if err != nil {
		return nil, err
	}
	list := make([]wire.SDKPersona, len(rows))
	p.bytes = 0
	for i, row := range rows {
		list[i] = wire.SDKPersona{
			ID: row.ID, Name: row.Name, Description: row.Description,
			CreatedAt: wire.Time{Time: row.CreatedAt}, UpdatedAt: wire.Time{Time: row.UpdatedAt},
		}
		p.query.After = row.Cursor()
		p.bytes += int64(len(row.Name) + len(row.Description) + personaBytes)
	}
	p.atEnd = len(rows) < p.query.Limit
	return list, nil
}

func (h personaHandlers) listForSDK(api huma.API, op huma.Operation, log *slog.Logger) {
	respondWith(func(ctx context.Context, c *call, _ *struct{}) ([]wire.SDKPersona, error) {
		pages := &publishedPersonas{store: h.store, query: store.PersonaQuery{
			Viewer: c.Key.OwnerID, Mine: true, PublicOnly: true, Limit: publishedPage,
		}}
		first, err := pages.NextPage(ctx)
		most := pages.bytes
		if !pages.atEnd {
			most = store.MaxPageBytes
		}
		if err == nil {
			err = c.ReserveAnswer(ctx, most)
		}
		if err == nil {
			pagedAnswer[wire.SDKPersona]{[]byte("["), first, pages, []byte("]\n")}.sendPages(ctx, c, log)
		}
		return nil, err
	})(api, op, log)
}
