package localserver

import (
	"net/http"
	"reflect"
	"strconv"
	"sync"

	"github.com/parley-npc/parley/personas/wire"
)

// page describes something that the server serves beside the interface.
type page struct {
	id, path      string
	kind          string // its Content-Type
	schema        string // the JSON type of its body
	statuses      []int
	errors        []int
	summary, text string
	// of is the Go type of a JSON body that has members worth describing.
	of reflect.Type
}

const (
	contentHTML = "text/html"
	contentText = "text/plain"
)

// pages are what the server serves beside the interface.
var pages = []page{
	{"about", "/", contentJSON, "object", []int{200}, []int{403, 500}, "What this is", "The service's name and version.", nil},
	{"sign-in", wire.PathSignIn, contentJSON, "object", []int{200}, []int{403, 404, 500}, "How to sign in", "Which OpenID provider issues the tokens that this server takes, and as which client commands sign in there. 404 where tokens are signed with a shared secret and come from elsewhere. An addition of this server to the interface.", typeOf[wire.SignIn]()},
	{"healthy", "/healthz", contentJSON, "object", []int{200}, []int{403, 500}, "Is the process alive", "Answers as long as the process does.", nil},
	{"ready", "/readyz", contentJSON, "object", []int{200}, []int{403, 500, 503}, "Can it serve", "Whether the database answers too.", nil},
	{"openapi", "/openapi.json", contentJSON, "object", []int{200}, []int{403, 500}, "This description", "The OpenAPI 3.1 document of this server, made of its routes.", nil},
	{"docs", "/docs", contentHTML, "string", []int{200}, []int{403, 500}, "This description to read", "The same document as a page, without scripts and without anything from elsewhere.", nil},
	{"play", "/play/{persona_id}", contentHTML, "string", []int{200, 404}, []int{403, 500}, "Play a persona", "The page behind the play link of publish: it plays the persona in a browser.", nil},
}

// servePages puts the description and the play page on the mux. The description
// is made when somebody first asks for it: a server that nobody asks does not pay
// for it.
func (s *service) servePages(mux *http.ServeMux) {
	document := sync.OnceValues(describe)
	mux.HandleFunc("GET /openapi.json", s.made(contentJSON, document))
	mux.HandleFunc("GET /docs", s.made(contentHTML+"; charset=utf-8", sync.OnceValues(func() ([]byte, error) {
		text, err := document()
		if err != nil {
			return nil, err
		}
		return renderDocs(text)
	})))
	mux.HandleFunc("GET /play/{persona_id}", s.servePlay)
}

// made serves what a function makes.
func (s *service) made(kind string, text func() ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := text()
		if err != nil {
			writeFailure(w, r, s.fail(r.Context(), internal(err)))
			return
		}
		w.Header().Set("Content-Security-Policy", docsPolicy)
		writePage(w, http.StatusOK, kind, content)
	}
}

func writePage(w http.ResponseWriter, status int, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	// The caller has gone away when this fails: there is nobody to tell.
	_, _ = w.Write(content)
}
