package localserver

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

type pageServer struct {
	server                 *Server
	options                *Options
	store                  *store.Store
	auth                   *authentication
	origin                 func(*http.Request) string
	document, documentPage func() ([]byte, error)
}

type page struct {
	api.Page
	serve func(*pageServer, http.ResponseWriter, *http.Request)
}

var pageTable = []page{
	{api.Page{
		ID: "about", Path: "/", Limit: api.LimitPages, ContentType: api.ContentJSON, Schema: "object", Success: []int{200},
		Errors:  []int{403, 429, 500, 503},
		Summary: "What this is", Text: "The service's name and version.",
	}, (*pageServer).serveAbout},
	{api.Page{
		ID: "sign-in", Path: wire.PathSignIn, Limit: api.LimitPages, ContentType: api.ContentJSON, Schema: "object",
		Type: reflect.TypeFor[wire.SignIn](), Success: []int{200}, Errors: []int{403, 404, 429, 500, 503},
		Summary: "How to sign in",
		Text:    "The OpenID provider that issues the tokens for this server, and its client for commands that sign in. 404 if tokens are signed with a shared secret. An addition of this server to the interface.",
	}, (*pageServer).serveSignIn},
	{api.Page{
		ID: "protected-resource", Path: wire.PathProtectedResource, Limit: api.LimitPages, ContentType: api.ContentJSON,
		Schema: "object", Type: reflect.TypeFor[wire.ProtectedResource](), Success: []int{200},
		Errors:  []int{403, 429, 500, 503},
		Summary: "Which tokens are accepted",
		Text:    "The metadata of the server as a resource that accepts bearer tokens (RFC 9728). Every 401 for a bearer token contains the URL of the metadata in WWW-Authenticate, as resource_metadata. If the server's URL has a path, the metadata are also available at this path followed by that one. An addition of this server to the interface.",
	}, (*pageServer).serveResource},
	{api.Page{
		ID: "healthy", Path: "/healthz", ContentType: api.ContentJSON, Schema: "object", Success: []int{200},
		Errors:  []int{403, 500},
		Summary: "Is the process alive", Text: "Answers while the process is running.",
	}, (*pageServer).serveHealth},
	{api.Page{
		ID: "ready", Path: "/readyz", ContentType: api.ContentJSON, Schema: "object", Success: []int{200},
		Errors:  []int{403, 500, 503},
		Summary: "Can it serve",
		Text:    "200 if the database answers within 2 seconds and accepts writes and the server will not stop soon, else 503.",
	}, (*pageServer).serveReadiness},
	{api.Page{
		ID: "openapi", Path: "/openapi.json", Limit: api.LimitPages, ContentType: api.ContentJSON, Schema: "object",
		Success: []int{200}, Errors: []int{403, 429, 500, 503},
		Summary: "This description", Text: "The OpenAPI 3.1 document of this server, generated from its routes.",
	}, (*pageServer).serveDocument},
	{api.Page{
		ID: "docs", Path: "/docs", Limit: api.LimitPages, ContentType: api.ContentHTML, Schema: "string",
		Success: []int{200}, Errors: []int{403, 429, 500, 503},
		Summary: "This description as a page",
		Text:    "The same document as a page, without scripts and without resources of other sites.",
	}, (*pageServer).serveDocumentPage},
	{api.Page{
		ID: "metrics", Path: "/metrics", ContentType: api.ContentText, Schema: "string", Success: []int{200},
		Errors:  []int{403, 404, 500},
		Summary: "Metrics",
		Text:    "Requests, turns, tokens and durations in the text format of Prometheus, only for callers on this machine; for others the answer is 404. An addition of this server to the interface.",
	}, (*pageServer).serveMetrics},
	{api.Page{
		ID: "play", Path: "/play/{persona_id}", Limit: api.LimitPages, ContentType: api.ContentHTML, Schema: "string",
		Success: []int{200, 404}, Errors: []int{403, 429, 500, 503},
		Summary: "Play a persona", Text: "The page of the play link that publish returns: it plays a persona in a browser.",
	}, (*pageServer).servePlay},
}

func listPages() []api.Page {
	list := make([]api.Page, len(pageTable))
	for i := range pageTable {
		list[i] = pageTable[i].Page
	}
	return list
}

func newPageServer(s *pageServer) *pageServer {
	s.document = sync.OnceValues(describeInterface)
	s.documentPage = sync.OnceValues(func() ([]byte, error) {
		document, err := s.document()
		if err != nil {
			return nil, err
		}
		var order []string
		for _, r := range knownRoutes() {
			order = append(order, r.ID)
		}
		for i := range pageTable {
			order = append(order, pageTable[i].ID)
		}
		return api.RenderPage(document, order)
	})
	return s
}

func (s *pageServer) mount(mux *http.ServeMux) {
	for i := range pageTable {
		row := &pageTable[i]
		if row.ID == "sign-in" && s.auth.signIn == nil {
			continue
		}
		serve := func(w http.ResponseWriter, r *http.Request) { s.servePage(row, w, r) }
		mux.HandleFunc(exactPattern(row.Path), serve)
		if row.Path == wire.PathProtectedResource && s.auth.resource.Path() != "" {
			path := row.Path + strings.TrimSuffix(s.auth.resource.Path(), "/")
			mux.HandleFunc(exactPattern(path), serve)
			mux.HandleFunc(exactPattern(path+"/"), serve)
		}
	}
}

func exactPattern(path string) string {
	if strings.HasSuffix(path, "/") {
		path += "{$}"
	}
	return "GET " + path
}

func (s *pageServer) servePage(row *page, w http.ResponseWriter, r *http.Request) {
	if err := s.server.checks.AdmitReader(&row.Page, w, r); err != nil {
		s.writeError(w, r, err)
		return
	}
	row.serve(s, w, r)
}

func (s *pageServer) serveAbout(w http.ResponseWriter, _ *http.Request) {
	api.WriteJSON(w, http.StatusOK, map[string]string{
		"service": wire.LocalService, "version": s.options.Version, "interface": wire.Prefix,
	})
}

func (s *pageServer) serveHealth(w http.ResponseWriter, _ *http.Request) {
	api.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

const readyTimeout = 2 * time.Second

func (s *pageServer) serveReadiness(w http.ResponseWriter, r *http.Request) {
	if s.server.leaving.Load() {
		s.writeError(w, r, api.NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, "the server will stop soon"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	err := s.store.Ping(ctx)
	if store.IsUnkept(err) {
		s.writeError(w, r, api.NothingKept(err))
		return
	}
	if err != nil {
		e := api.NewError(http.StatusServiceUnavailable, wire.CodeInternal, "the database does not answer")
		e.Cause = err
		s.writeError(w, r, e)
		return
	}
	api.WriteJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

func (s *pageServer) serveSignIn(w http.ResponseWriter, _ *http.Request) {
	api.WriteJSON(w, http.StatusOK, s.auth.signIn)
}

func (s *pageServer) serveResource(w http.ResponseWriter, r *http.Request) {
	api.WriteJSON(w, http.StatusOK, s.auth.describeResource(s.origin(r)))
}

func (s *pageServer) serveDocument(w http.ResponseWriter, r *http.Request) {
	s.writeDescription(w, r, api.ContentJSON, s.document)
}

func (s *pageServer) serveDocumentPage(w http.ResponseWriter, r *http.Request) {
	s.writeDescription(w, r, api.ContentHTML+"; charset=utf-8", s.documentPage)
}

func (s *pageServer) writeDescription(
	w http.ResponseWriter, r *http.Request, contentType string, render func() ([]byte, error),
) {
	content, err := render()
	if err != nil {
		s.writeError(w, r, api.Internal(err))
		return
	}
	w.Header().Set("Content-Security-Policy", api.PagePolicy)
	writePage(w, http.StatusOK, contentType, content)
}

func (s *pageServer) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !identity.IsLocal(r.Context()) {
		api.Write(w, r, api.NoSuchPath())
		return
	}
	w.Header().Set("Content-Type", api.ContentType)
	s.server.telemetry.WriteMetrics(w)
}

func (s *pageServer) writeError(w http.ResponseWriter, r *http.Request, err error) {
	api.Write(w, r, api.ForCaller(r.Context(), s.options.Log, err))
}

func writePage(w http.ResponseWriter, status int, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(content)
}
