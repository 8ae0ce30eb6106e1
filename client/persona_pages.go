package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// PersonaPage is a part of a list of personas.
type PersonaPage struct {
	Items []wire.ListedPersona
	// Total is the number of items on all pages, or -1 if the service does not report it.
	Total int
	// Next is PersonaList.After for the next page. It is "" on the last page, or if the service has
	// no pages.
	Next string
}

// PersonaPage lists a page of personas, newest first (GET /personas).
func (c *Client) PersonaPage(ctx context.Context, list PersonaList) (page PersonaPage, err error) {
	response, err := c.makeCall(ctx, newReadCall(wire.PathPersonas, "", list.queryValues()))
	if err != nil {
		return page, err
	}
	page.Total, page.Next = -1, nextQuery(response.Header).Get(wire.QueryAfter)
	if n, err := strconv.Atoi(response.Header.Get(wire.HeaderTotal)); err == nil && n >= 0 {
		page.Total = n
	}
	return page, response.decodeBody(&page.Items)
}

// PersonaPages lists personas over all pages, newest first: at most so many, 0 is all. It ignores
// Limit and After of the list. The returned page has the items of all pages, Total of the first one
// and Next of the last.
func (c *Client) PersonaPages(ctx context.Context, list PersonaList, most int) (all PersonaPage, err error) {
	list.After = ""
	for first := true; ; first = false {
		list.Limit = wire.MaxListLimit
		if most > 0 {
			list.Limit = min(most-len(all.Items), wire.MaxListLimit)
		}
		page, err := c.PersonaPage(ctx, list)
		if err != nil {
			return all, err
		}
		if first {
			all.Total = page.Total
		}
		all.Items, all.Next = append(all.Items, page.Items...), page.Next
		if page.Next == "" || page.Next == list.After || len(page.Items) == 0 || most > 0 && len(all.Items) >= most {
			return all, nil
		}
		list.After = page.Next
	}
}

// nextLink is a link to the next page in a header Link.
var nextLink = plaintext.Pattern(`<([^<>]*)>\s*;[^,]*\brel="?next\b`)

// nextQuery reads from a header Link the query of the next page, nil for none.
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
