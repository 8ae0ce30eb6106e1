package localserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// historyInput identifies a session. This server adds Limit and Before to the service's HTTP interface
// (docs/interface.md, long histories).
type historyInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	MachineID     string `query:"machine_id"`
	Limit         int    `query:"limit" minimum:"1" maximum:"1000"`
	Before        string `query:"before" maxLength:"200"`
	Body          *namesBody
}

func (in *historyInput) playerRef(c *call) play.Ref {
	return c.playerRef(in.PersonaID, in.UserSessionID, in.MachineID)
}

func (in *historyInput) part() play.HistoryPart {
	return play.HistoryPart{Limit: in.Limit, Before: identity.FoldID(in.Before)}
}

func (h sessionHandlers) openHistory(ctx context.Context, c *call, in *historyInput) (*play.HistoryPages, error) {
	return h.play.History(ctx, in.playerRef(c), in.part())
}

// openSDKHistory omits members that the service's HTTP interface does not define for games.
func (h sessionHandlers) openSDKHistory(ctx context.Context, c *call, in *historyInput) (*play.HistoryPages, error) {
	p, err := h.openHistory(ctx, c, in)
	if err != nil {
		return nil, err
	}
	p.Head.RedirectCount, p.Head.Ending = nil, ""
	return p, nil
}

// openTrace requires a token, unless all callers may direct.
func (h sessionHandlers) openTrace(ctx context.Context, c *call, in *historyInput) (*play.TracePages, error) {
	if c.User.ID == "" && !h.play.AllMayDirect(ctx) {
		return nil, api.Unauthenticated(nil)
	}
	return h.play.Trace(ctx, in.playerRef(c), in.part())
}

type opener[I, Answer, Item any] func(ctx context.Context, c *call, in *I) (*play.Pages[Answer, Item], error)

// respondInPages answers with the list that the member list names. It writes each page before it reads the
// next one. All members before the list must be ids, because cutAtList searches for the name of the list.
func respondInPages[I, Answer, Item any](list string, open opener[I, Answer, Item]) registration {
	return func(api huma.API, op huma.Operation, log *slog.Logger) {
		respondWith(func(ctx context.Context, c *call, in *I) (none Answer, err error) {
			pages, first, err := openPages(ctx, c, in, open)
			if err != nil {
				return none, err
			}
			if pages.HasEarlier {
				c.SetHeader(wire.HeaderLink, formatEarlierLink(c, pages.FirstID))
			}
			before, after, err := cutAtList(pages.Head, list)
			if err == nil {
				pagedAnswer[Item]{before, first, pages, after}.sendPages(ctx, c, log)
			}
			return none, err
		})(api, op, log)
	}
}

// maxHistoryOpenings is the maximum number of attempts. One fails if the session is reset or replaced
// before the first page is read.
const maxHistoryOpenings = 3

func openPages[I, Answer, Item any](ctx context.Context, c *call, in *I, open opener[I, Answer, Item]) (pages *play.Pages[Answer, Item], first []Item, err error) {
	for range maxHistoryOpenings {
		if pages, err = open(ctx, c, in); err != nil {
			return nil, nil, err
		}
		most := pages.PageBytes()
		if !pages.IsLastPage() {
			most = max(most, store.MaxPageBytes)
		}
		if err = c.ReserveAnswer(ctx, most); err != nil {
			return nil, nil, err
		}
		if first, err = pages.NextPage(ctx); !errors.Is(err, store.ErrChanged) {
			break
		}
	}
	return pages, first, err
}

func formatEarlierLink(c *call, firstID string) string {
	asked := c.URL()
	query := asked.Query()
	for _, name := range sessionNames {
		if text := c.Query(name); text != "" {
			query.Set(name, text)
		}
	}
	query.Set(wire.QueryBefore, firstID)
	return fmt.Sprintf(`<%s?%s>; rel="next"`, asked.EscapedPath(), query.Encode())
}

func cutAtList(answer any, list string) (before, after []byte, err error) {
	whole := api.EncodeJSON(answer)
	name := fmt.Appendf(nil, "%q:", list)
	before, after, ok := bytes.Cut(whole, append(name, "[]"...))
	if !ok {
		return nil, nil, fmt.Errorf("the answer does not contain an empty list %q", list)
	}
	return slices.Concat(before, name, []byte("[")), slices.Concat([]byte("]"), after), nil
}
