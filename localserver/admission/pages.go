package admission

import (
	"net/http"

	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/request"
)

// AdmitReader counts a reader of a page by the address, and refuses one above the limit. A page
// without a category is not limited.
func (c *Checker) AdmitReader(p *endpoint.Page, w http.ResponseWriter, r *http.Request) error {
	if c.limiter == nil || p.Limit == "" {
		return nil
	}
	return c.countRequest(r.Context(), w, countedBy(p.Limit, request.Network(r.Context())))
}
