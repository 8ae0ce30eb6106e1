package localserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

type historyInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	MachineID     string `query:"machine_id"`
	Limit         int    `query:"limit" minimum:"1" maximum:"1000"`
	Before        string `query:"before" maxLength:"200"`
	Body          *namesBody
}

func (input *historyInput) playerRef(c *call) play.Ref {
	return c.playerRef(input.PersonaID, input.UserSessionID, input.MachineID)
}

func (input *historyInput) part() play.HistoryPart {
	return play.HistoryPart{Limit: input.Limit, Before: identity.FoldID(input.Before)}
}

func (h *handlers) openHistory(ctx context.Context, c *call, input *historyInput) (*play.HistoryPages, error) {
	return h.play.History(ctx, input.playerRef(c), input.part())
}

func (h *handlers) openSDKHistory(ctx context.Context, c *call, input *historyInput) (*play.HistoryPages, error) {
	p, err := h.openHistory(ctx, c, input)
	if err != nil {
		return nil, err
	}
	p.Head.RedirectCount, p.Head.Ending = nil, ""
	return p, nil
}

func (h *handlers) openTrace(ctx context.Context, c *call, input *historyInput) (*play.TracePages, error) {
	if c.User.ID == "" && !h.play.AllMayDirect(ctx) {
		return nil, api.Unauthenticated(nil)
	}
	return h.play.Trace(ctx, input.playerRef(c), input.part())
}

type opener[I, Answer, Item any] func(ctx context.Context, c *call, input *I) (*play.Pages[Answer, Item], error)

// respondInPages writes each page of a list before it reads the next page. All members before the
// list must be ids, because cutAtList searches the JSON for the name of the list.
func respondInPages[I, Answer, Item any](list string, open opener[I, Answer, Item]) registration {
	return func(api huma.API, op huma.Operation, log *slog.Logger) {
		respondWith(func(ctx context.Context, c *call, input *I) (none Answer, err error) {
			pages, first, err := openPages(ctx, c, input, open)
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

const maxHistoryOpenings = 3

func openPages[I, Answer, Item any](
	ctx context.Context, c *call, input *I, open opener[I, Answer, Item],
) (pages *play.Pages[Answer, Item], first []Item, err error) {
	for range maxHistoryOpenings {
		if pages, err = open(ctx, c, input); err != nil {
			return nil, nil, err
		}
		limit := pages.PageBytes()
		if !pages.IsLastPage() {
			limit = max(limit, store.MaxPageBytes)
		}
		if err = c.ReserveAnswer(ctx, limit); err != nil {
			return nil, nil, err
		}
		if first, err = pages.NextPage(ctx); !errors.Is(err, store.ErrChanged) {
			break
		}
	}
	return pages, first, err
}

func formatEarlierLink(c *call, firstID string) string {
	requestURL := c.URL()
	query := requestURL.Query()
	for _, name := range sessionNames {
		if text := c.Query(name); text != "" {
			query.Set(name, text)
		}
	}
	query.Set(wire.QueryBefore, firstID)
	return fmt.Sprintf(`<%s?%s>; rel="next"`, requestURL.EscapedPath(), query.Encode())
}

func cutAtList(answer any, list string) (before, after []byte, err error) {
	encoded := api.EncodeJSON(answer)
	name := fmt.Appendf(nil, "%q:", list)
	before, after, ok := bytes.Cut(encoded, append(name, "[]"...))
	if !ok {
		return nil, nil, fmt.Errorf("the answer does not contain an empty list %q", list)
	}
	return slices.Concat(before, name, []byte("[")), slices.Concat([]byte("]"), after), nil
}

type pageSource[Item any] interface {
	IsAtEnd() bool
	NextPage(ctx context.Context) ([]Item, error)
}

type pagedAnswer[Item any] struct {
	before []byte
	first  []Item
	more   pageSource[Item]
	after  []byte
}

// sendPages closes the connection after a failure. Otherwise callers would mistake a part of the
// list for the whole.
func (a pagedAnswer[Item]) sendPages(ctx context.Context, c *call, log *slog.Logger) {
	c.answered = true
	r, w := humago.Unwrap(c.humaContext)
	w.Header().Set("Content-Type", api.ContentJSON)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	a.send(ctx, w, log)
}

func (a pagedAnswer[Item]) send(ctx context.Context, w http.ResponseWriter, log *slog.Logger) {
	err := a.writePages(ctx, w)
	if err == nil {
		return
	}
	if !errors.Is(err, errNotTaken) && !errors.Is(err, store.ErrChanged) {
		_ = api.ForCaller(ctx, log, err) // only logs the error
	}
	panic(http.ErrAbortHandler)
}

var errNotTaken = errors.New("the caller does not receive the answer")

func (a pagedAnswer[Item]) writePages(ctx context.Context, w http.ResponseWriter) error {
	var page bytes.Buffer
	var limit api.PieceLimit
	writePage := func() error {
		err := limit.Extend(w)
		if err == nil {
			_, err = page.WriteTo(w)
		}
		if err != nil {
			return errors.Join(errNotTaken, err)
		}
		return nil
	}
	page.Write(a.before)
	for i, items := 0, a.first; ; {
		for ; len(items) > 0; i, items = i+1, items[1:] {
			if i > 0 {
				page.WriteByte(',')
			}
			page.Write(bytes.TrimSuffix(api.EncodeJSON(&items[0]), []byte("\n")))
		}
		if a.more.IsAtEnd() {
			break
		}
		err := writePage()
		if err == nil {
			items, err = a.more.NextPage(ctx)
		}
		if err != nil {
			return err
		}
	}
	page.Write(a.after)
	return writePage()
}

type playerInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	Body          *namesBody
}

func (input *playerInput) playerRef(c *call) play.Ref {
	return c.playerRef(input.PersonaID, input.UserSessionID, "")
}

func (h *handlers) getProgress(ctx context.Context, c *call, input *playerInput) (wire.Progress, error) {
	return h.play.Progress(ctx, input.playerRef(c))
}

func (h *handlers) resetProgress(ctx context.Context, c *call, input *playerInput) (wire.ProgressReset, error) {
	return h.play.ResetProgress(ctx, input.playerRef(c))
}

func (h *handlers) listAvailable(ctx context.Context, c *call, input *playerInput) ([]wire.AvailableMachine, error) {
	return h.play.Available(ctx, input.playerRef(c))
}

type migrateBody struct{ wire.Migrate }

type migrateInput struct{ Body migrateBody }

func (h *handlers) migrateProgress(ctx context.Context, c *call, input *migrateInput) (wire.Migrated, error) {
	return h.play.Migrate(ctx, c.User.ID, input.Body.OldSessionID)
}
