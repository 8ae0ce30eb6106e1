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
	page.Total, page.Next = -1, nextQuery(response.Header).Get(wire.QueryAfter)
	if n, err := strconv.Atoi(response.Header.Get(wire.HeaderTotal)); err == nil && n >= 0 {
		page.Total = n
	}
	return page, response.decodeBody(&page.Items)
}

// PersonaPages returns personas from all pages, newest first. It returns at most limit items, or
// all if limit is 0. It ignores list.Limit and list.After. The result has the items of all pages,
// Total of the first page and Next of the last.
func (c *Client) PersonaPages(ctx context.Context, list PersonaList, limit int) (all PersonaPage, err error) {
	list.After = ""
	for first := true; ; first = false {
		list.Limit = wire.MaxListLimit
		if limit > 0 {
			list.Limit = min(limit-len(all.Items), wire.MaxListLimit)
		}
		page, err := c.PersonaPage(ctx, list)
		if err != nil {
			return all, err
		}
		if first {
			all.Total = page.Total
		}
		all.Items, all.Next = append(all.Items, page.Items...), page.Next
		if page.Next == "" || page.Next == list.After || len(page.Items) == 0 || limit > 0 && len(all.Items) >= limit {
			return all, nil
		}
		list.After = page.Next
	}
}

var nextLink = plaintext.Pattern(`<([^<>]*)>\s*;[^,]*\brel="?next\b`)

// nextQuery returns the query of the next page's URL from the Link headers, or nil on the last
// page.
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
