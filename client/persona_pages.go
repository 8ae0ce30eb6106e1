package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// PersonaPage is one page of a list of personas.
type PersonaPage struct {
	Items []wire.ListedPersona
	// Total is the number of items on all pages, or -1 if the service does not report it.
	Total int
	// Next is PersonaList.After for the next page. It is "" on the last page, and for a service
	// without pages.
	Next string
}

// PersonaPage returns one page of personas, newest first (GET /personas).
func (c *Client) PersonaPage(ctx context.Context, list PersonaList) (page PersonaPage, err error) {
	response, err := c.makeCall(ctx, newReadCall(wire.PathPersonas, "", list.queryValues()))
	if err != nil {
		return page, err
	}
	page.Total, page.Next = readTotal(response.Header), nextQuery(response.Header).Get(wire.QueryAfter)
	return page, response.decodeBody(&page.Items)
}

// readTotal returns the total number of items, or -1 if the service does not report it.
func readTotal(header http.Header) int {
	n, err := strconv.Atoi(header.Get(wire.HeaderTotal))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// PersonaPages fetches pages until it has limit personas, or all pages if limit is 0. It ignores
// list.Limit and list.After. The result has the first page's Total and the last page's Next.
func (c *Client) PersonaPages(ctx context.Context, list PersonaList, limit int) (all PersonaPage, err error) {
	list.After = ""
	all.Items, all.Total, all.Next, err = fetchPages[wire.ListedPersona](ctx, c, newReadCall(wire.PathPersonas, "", list.queryValues()), limit)
	return all, err
}

// fetchPages fetches pages until it has limit items, or all pages if limit is 0. next is the cursor
// of the following page, or "".
func fetchPages[T any](ctx context.Context, c *Client, k call, limit int) (all []T, total int, next string, err error) {
	for {
		most := wire.MaxListLimit
		if limit > 0 {
			most = min(limit-len(all), most)
		}
		k.query.Set(wire.QueryLimit, strconv.Itoa(most))
		response, err := c.makeCall(ctx, k)
		if err != nil {
			return all, total, next, err
		}
		var page []T
		if err := response.decodeBody(&page); err != nil {
			return all, total, next, err
		}
		if next == "" {
			total = readTotal(response.Header)
		}
		all = append(all, page...)
		last := next
		next = nextQuery(response.Header).Get(wire.QueryAfter)
		if next == "" || next == last || len(page) == 0 || limit > 0 && len(all) >= limit {
			return all, total, next, nil
		}
		k.query.Set(wire.QueryAfter, next)
	}
}

var nextLink = plaintext.Pattern(`<([^<>]*)>\s*;[^,]*\brel="?next\b`)

func nextQuery(header http.Header) url.Values {
	for _, value := range header.Values(wire.HeaderLink) {
		found := nextLink().FindStringSubmatch(value)
		if found == nil {
			continue
		}
		if link, err := url.Parse(found[1]); err == nil {
			return link.Query()
		}
	}
	return nil
}
