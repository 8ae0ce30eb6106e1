package localserver

import "net/http"

// Endpoint is an endpoint as a command may name it.
type Endpoint struct {
	Method  string `json:"method"`
	Path    string `json:"path"` // a pattern
	Summary string `json:"summary"`
	// SDK says that an API key says who calls, ModelKey that a provider's key is
	// needed too, Idempotent that an Idempotency-Key is honoured.
	SDK        bool `json:"sdk"`
	ModelKey   bool `json:"model_key"`
	Idempotent bool `json:"idempotent"`
}

// Endpoints lists what the service answers: the interface's endpoints and our
// additions, then what the server says about itself.
func Endpoints() []Endpoint {
	list := make([]Endpoint, 0, len(routes)+len(pages))
	for i := range routes {
		r := &routes[i]
		list = append(list, Endpoint{
			Method: r.method, Path: r.path, Summary: textOf(r).summary,
			SDK: r.who == sdk || r.who == sdkPlayer, ModelKey: r.who == sdkPlayer, Idempotent: r.idempotent,
		})
	}
	for _, p := range pages {
		list = append(list, Endpoint{Method: http.MethodGet, Path: p.path, Summary: p.summary})
	}
	return list
}
