package localserver

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/store"
)

type pageSource[Item any] interface {
	IsAtEnd() bool
	NextPage(ctx context.Context) ([]Item, error)
}

// pagedAnswer is an answer with a list that is written page by page. before and after are the JSON around
// the items.
type pagedAnswer[Item any] struct {
	before []byte
	first  []Item
	more   pageSource[Item]
	after  []byte
}

// sendPages closes the connection after a failure, so that callers do not mistake a part of the answer for
// the whole.
func (a pagedAnswer[Item]) sendPages(ctx context.Context, c *call, log *slog.Logger) {
	c.answered = true
	r, w := humago.Unwrap(c.humaContext)
	w.Header().Set("Content-Type", api.ContentJSON)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	a.send(ctx, newPageWriter(w, writeTimeout), log)
}

func (a pagedAnswer[Item]) send(ctx context.Context, to *pageWriter, log *slog.Logger) {
	err := a.writePages(ctx, to)
	if err == nil {
		return
	}
	if !errors.Is(err, errNotTaken) && !errors.Is(err, store.ErrChanged) {
		_ = api.ForCaller(ctx, log, err) // Only to log the error; the answer has already begun.
	}
	panic(http.ErrAbortHandler)
}

func (a pagedAnswer[Item]) writePages(ctx context.Context, to *pageWriter) (err error) {
	to.page.Write(a.before)
	for i, items := 0, a.first; ; {
		for ; len(items) > 0; i, items = i+1, items[1:] {
			if i > 0 {
				to.page.WriteByte(',')
			}
			to.page.Write(bytes.TrimSuffix(api.EncodeJSON(&items[0]), []byte("\n")))
		}
		if a.more.IsAtEnd() {
			break
		}
		if err := to.writePage(); err != nil {
			return err
		}
		if items, err = a.more.NextPage(ctx); err != nil {
			return err
		}
	}
	to.page.Write(a.after)
	return to.writePage()
}

const pageTimeout = 30 * time.Second

// errNotTaken means that the caller has disconnected or receives the answer too slowly.
var errNotTaken = errors.New("the caller does not receive the answer")

// pageWriter writes an answer page by page, with a time limit for each page and for the whole
// answer.
type pageWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // for one page
	end     time.Time     // when the caller must have received the whole answer
	page    bytes.Buffer
}

func newPageWriter(w http.ResponseWriter, whole time.Duration) *pageWriter {
	return &pageWriter{w: w, control: http.NewResponseController(w), timeout: pageTimeout, end: time.Now().Add(whole)}
}

func (p *pageWriter) writePage() error {
	until := time.Now().Add(p.timeout)
	if until.After(p.end) {
		until = p.end
	}
	if err := p.control.SetWriteDeadline(until); err != nil {
		return errors.Join(errNotTaken, err)
	}
	if _, err := p.w.Write(p.page.Bytes()); err != nil {
		return errors.Join(errNotTaken, err)
	}
	p.page.Reset()
	return nil
}
