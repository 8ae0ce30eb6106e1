package localserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

type listInput struct {
	PublicOnly bool     `query:"public_only" default:"true"`
	MyPersonas bool     `query:"my_personas"`
	Limit      int      `query:"limit" default:"20" minimum:"1" maximum:"100"`
	Name       string   `query:"name" maxLength:"200"`
	After      string   `query:"after"`
	Include    []string `query:"include" enum:"updated_at,total"`
}

// my_personas disables the default of public_only, because the default would hide the caller's
// unpublished personas.
func (h *handlers) listPersonas(ctx context.Context, c *call, input *listInput) ([]wire.ListedPersona, error) {
	if input.MyPersonas && c.User.ID == "" {
		return nil, api.Unauthenticated(nil)
	}
	after, err := parseCursor(input.After)
	if err != nil {
		return nil, err
	}
	query := store.PersonaQuery{
		Viewer: c.User.ID, Mine: input.MyPersonas, PublicOnly: input.PublicOnly, Name: input.Name,
		After: after, Limit: input.Limit + 1,
	}
	if input.MyPersonas && c.Query("public_only") == "" {
		query.PublicOnly = false
	}
	rows, err := h.store.ListPersonas(ctx, query)
	if err != nil {
		return nil, err
	}
	if slices.Contains(input.Include, wire.IncludeTotal) {
		total, err := store.CountPersonas(ctx, h.store, query)
		if err != nil {
			return nil, err
		}
		c.SetHeader(wire.HeaderTotal, strconv.Itoa(total))
	}
	if len(rows) > input.Limit {
		rows = rows[:input.Limit]
		c.SetHeader(wire.HeaderLink, formatNextLink(c.URL(), rows[input.Limit-1].Cursor()))
	}
	return listItems(rows, slices.Contains(input.Include, wire.IncludeUpdatedAt)), nil
}

func listItems(rows []store.PersonaSummary, withUpdates bool) []wire.ListedPersona {
	items := make([]wire.ListedPersona, len(rows))
	for i, row := range rows {
		items[i].PersonaItem = basicView(row).PersonaItem
		if withUpdates {
			items[i].UpdatedAt = &wire.Time{Time: row.UpdatedAt}
		}
	}
	return items
}

func formatNextLink(requestURL url.URL, cursor store.ListCursor) string {
	query := requestURL.Query()
	query.Set(wire.QueryAfter, fmt.Sprintf("%d-%s", cursor.CreatedAt.UnixMilli(), cursor.ID))
	return fmt.Sprintf(`<%s?%s>; rel="next"`, requestURL.EscapedPath(), query.Encode())
}

func parseCursor(text string) (store.ListCursor, error) {
	if text == "" {
		return store.ListCursor{}, nil
	}
	millis, id, ok := strings.Cut(text, "-")
	unixMillis, err := strconv.ParseInt(millis, 10, 64)
	if !ok || err != nil || id == "" {
		return store.ListCursor{}, api.BadRequest("after must be the value from the header Link of the previous page")
	}
	return store.ListCursor{CreatedAt: time.UnixMilli(unixMillis), ID: id}, nil
}

type ownedInput struct {
	PersonaID string `path:"persona_id"`
	Outcome   string `query:"outcome" enum:"ACCEPT,REJECT,KICK_OUT,none"`
	State     string `query:"state" maxLength:"200"`
	Version   int    `query:"version" minimum:"1"`
	Since     string `query:"since" maxLength:"40"`
	Limit     int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	After     string `query:"after" maxLength:"200"`
}

func (h *handlers) listOwned(ctx context.Context, c *call, input *ownedInput) ([]wire.OwnedSession, error) {
	after, err := parseCursor(input.After)
	if err != nil {
		return nil, err
	}
	query := store.SessionQuery{
		PersonaID: input.PersonaID, OwnerID: c.User.ID, Outcome: input.Outcome, State: input.State,
		Version: int64(input.Version), After: after, Limit: input.Limit,
	}
	if input.Since != "" {
		if query.Since, err = time.Parse(time.RFC3339, input.Since); err != nil {
			return nil, api.BadRequest("since must be a time such as 2026-05-01T00:00:00Z")
		}
	}
	list, more, err := h.play.OwnedSessions(ctx, query)
	if more != nil {
		c.SetHeader(wire.HeaderLink, formatNextLink(c.URL(), *more))
	}
	return list, err
}

type ownedSessionInput struct {
	PersonaID string `path:"persona_id"`
	SessionID string `path:"session_id"`
}

func (h *handlers) deleteOwned(ctx context.Context, c *call, input *ownedSessionInput) error {
	return h.play.DeleteOwnedSession(ctx, input.PersonaID, c.User.ID, identity.FoldID(input.SessionID))
}

const (
	// A page of publishedPage personas has at most 220 KB of text.
	publishedPage = 25
	personaBytes  = 256
)

type publishedPersonas struct {
	store *store.Store
	query store.PersonaQuery
	atEnd bool
	bytes int64 // of the last page
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

func (h *handlers) listForSDK(api huma.API, op huma.Operation, log *slog.Logger) {
	respondWith(func(ctx context.Context, c *call, _ *struct{}) ([]wire.SDKPersona, error) {
		pages := &publishedPersonas{store: h.store, query: store.PersonaQuery{
			Viewer: c.Key.OwnerID, Mine: true, PublicOnly: true, Limit: publishedPage,
		}}
		first, err := pages.NextPage(ctx)
		limit := pages.bytes
		if !pages.atEnd {
			limit = store.MaxPageBytes
		}
		if err == nil {
			err = c.ReserveAnswer(ctx, limit)
		}
		if err == nil {
			pagedAnswer[wire.SDKPersona]{[]byte("["), first, pages, []byte("]\n")}.sendPages(ctx, c, log)
		}
		return nil, err
	})(api, op, log)
}
