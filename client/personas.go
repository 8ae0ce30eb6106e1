package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// PersonaList filters a list of personas. The zero value lists published personas. Services without
// pages ignore Name, After and Include.
type PersonaList struct {
	// PublicOnly excludes unpublished personas. nil means the service's default, true.
	PublicOnly *bool
	// Mine selects the caller's own personas. It requires a token.
	Mine bool
	// Limit is at most wire.MaxListLimit. 0 means the service's default.
	Limit int
	// Name is a prefix of the names. Case is ignored.
	Name string
	// After is PersonaPage.Next of the previous page.
	After string
	// Include requests additional members such as wire.IncludeTotal.
	Include []string
}

func (l PersonaList) queryValues() url.Values {
	query := url.Values{}
	if l.PublicOnly != nil {
		query.Set("public_only", strconv.FormatBool(*l.PublicOnly))
	}
	if l.Mine {
		query.Set("my_personas", "true")
	}
	if l.Limit != 0 {
		query.Set("limit", strconv.Itoa(l.Limit))
	}
	if l.Name != "" {
		query.Set(wire.QueryName, l.Name)
	}
	if l.After != "" {
		query.Set(wire.QueryAfter, l.After)
	}
	if len(l.Include) > 0 {
		query.Set(wire.QueryInclude, strings.Join(l.Include, ","))
	}
	return query
}

// Personas lists personas, newest first (GET /personas).
func (c *Client) Personas(ctx context.Context, list PersonaList) ([]wire.PersonaItem, error) {
	return fetchAnswer[[]wire.PersonaItem](ctx, c, newReadCall(wire.PathPersonas, "", list.queryValues()))
}

// Persona returns the basic view of a persona (GET /personas/{id}).
func (c *Client) Persona(ctx context.Context, id string) (wire.Persona, error) {
	return fetchAnswer[wire.Persona](ctx, c, newReadCall(wire.PathPersona, id, nil))
}

// FullPersona returns a persona as it was saved (GET /personas/{id}/full).
func (c *Client) FullPersona(ctx context.Context, id string) (wire.FullPersona, error) {
	return fetchAnswer[wire.FullPersona](ctx, c, newReadCall(wire.PathFull, id, nil))
}

// SavePersona creates a persona, or updates the persona with the given id (POST creator/save). body
// is a personas.Persona, or a json.RawMessage to send unchanged. With ifMatch, the error is a 412
// unless ifMatch is the current updated_at.
func (c *Client) SavePersona(
	ctx context.Context, id string, body any, ifMatch string,
) (saved wire.Saved, created bool, err error) {
	if ifMatch != "" && ifMatch != "*" && !strings.HasPrefix(ifMatch, `"`) {
		ifMatch = `"` + ifMatch + `"`
	}
	spec := call{
		method: http.MethodPost, path: wire.PathSave, query: optionalQuery("persona_id", id),
		ifMatch: ifMatch, key: newIdempotencyKey(),
	}
	response, err := c.fetchResponse(ctx, spec.withBody(body))
	if err != nil {
		return saved, false, err
	}
	err = response.decodeBody(&saved)
	return saved, err == nil && response.Status == http.StatusCreated, err
}

// PublishPersona makes a persona public and returns its play link (POST creator/publish).
func (c *Client) PublishPersona(ctx context.Context, id string) (wire.Published, error) {
	query := url.Values{"persona_id": {id}}
	spec := call{method: http.MethodPost, path: wire.PathPublish, query: query, idempotent: true}
	return fetchAnswer[wire.Published](ctx, c, spec)
}

// DeletePersona deletes a persona with all sessions and progress (DELETE /personas/{id}). It
// returns a 404 if the response to an earlier attempt was lost.
func (c *Client) DeletePersona(ctx context.Context, id string) error {
	return c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: wire.PathPersona, id: id, idempotent: true})
}

// Progress returns a player's progress with a persona (GET progress).
func (c *Client) Progress(ctx context.Context, id, userSession string) (wire.Progress, error) {
	return fetchAnswer[wire.Progress](ctx, c, newReadCall(wire.PathProgress, id, playerQuery(userSession, "")))
}

// ResetProgress deletes a player's progress and sessions with a persona (DELETE progress).
func (c *Client) ResetProgress(ctx context.Context, id, userSession string) (wire.ProgressReset, error) {
	query := playerQuery(userSession, "")
	spec := call{method: http.MethodDelete, path: wire.PathProgress, id: id, query: query, idempotent: true}
	return fetchAnswer[wire.ProgressReset](ctx, c, spec)
}

// AvailableMachines lists the machines that a player can start (GET available-machines).
func (c *Client) AvailableMachines(ctx context.Context, id, userSession string) ([]wire.AvailableMachine, error) {
	spec := newReadCall(wire.PathAvailableMachines, id, playerQuery(userSession, ""))
	return fetchAnswer[[]wire.AvailableMachine](ctx, c, spec)
}

func newReadCall(path, id string, query url.Values) call {
	return call{method: http.MethodGet, path: path, id: id, query: query, idempotent: true}
}

func optionalQuery(name, value string) url.Values {
	if value == "" {
		return url.Values{}
	}
	return url.Values{name: {value}}
}

func playerQuery(userSession, machine string) url.Values {
	query := optionalQuery("machine_id", machine)
	query.Set("user_session_id", userSession)
	return query
}

// PersonaPage is one page of a list of personas.
type PersonaPage struct {
	Items []wire.ListedPersona
	// Total is the number of items on all pages. It is -1 if the service does not report the
	// number.
	Total int
	// Next is PersonaList.After for the next page. It is "" on the last page.
	Next string
}

// PersonaPage returns one page of personas, newest first (GET /personas).
func (c *Client) PersonaPage(ctx context.Context, list PersonaList) (page PersonaPage, err error) {
	response, err := c.fetchResponse(ctx, newReadCall(wire.PathPersonas, "", list.queryValues()))
	if err != nil {
		return page, err
	}
	page.Total, page.Next = readTotal(response.Header), nextQuery(response.Header).Get(wire.QueryAfter)
	return page, response.decodeBody(&page.Items)
}

func readTotal(header http.Header) int {
	n, err := strconv.Atoi(header.Get(wire.HeaderTotal))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// PersonaPages fetches up to limit personas, or all if limit is 0. It ignores list.Limit and
// list.After. The result has the first page's Total and the last page's Next.
func (c *Client) PersonaPages(ctx context.Context, list PersonaList, limit int) (all PersonaPage, err error) {
	list.After = ""
	spec := newReadCall(wire.PathPersonas, "", list.queryValues())
	all.Items, all.Total, all.Next, err = fetchPages[wire.ListedPersona](ctx, c, spec, limit)
	return all, err
}

func fetchPages[T any](
	ctx context.Context, c *Client, spec call, limit int,
) (all []T, total int, next string, err error) {
	for {
		most := wire.MaxListLimit
		if limit > 0 {
			most = min(limit-len(all), most)
		}
		spec.query.Set(wire.QueryLimit, strconv.Itoa(most))
		response, err := c.fetchResponse(ctx, spec)
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
		isComplete := limit > 0 && len(all) >= limit
		if isComplete || next == "" || next == last || len(page) == 0 {
			return all, total, next, nil
		}
		spec.query.Set(wire.QueryAfter, next)
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
