package api

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// Options configures a Checker.
type Options struct {
	Store    *store.Store
	Verifier identity.Verifier
	// ChatNeedsToken requires a token on routes with the access Player.
	ChatNeedsToken bool
	RateLimit      bool
	// OnLimit is called once, for the first request that uses up a rate limit. perMinute is the
	// limit. OnLimit may be nil.
	OnLimit   func(category string, perMinute int)
	Faults    []FaultRule
	Telemetry *Telemetry
	Now       func() time.Time
	// Clock counts requests in a database that several servers share. The default is the clock of
	// the database.
	Clock func() time.Time
}

// A Checker checks requests before their handlers run. It is safe for concurrent use.
type Checker struct {
	Options
	limiter                  requestCounter
	faults                   []*countedRule
	smallBodies, largeBodies bodyBudgets
	smallAnswers             *budget
	pages, documents         *budget       // fair, because of slow readers
	stopping                 chan struct{} // closed by Stop
	stopOnce                 sync.Once
	limitOnce                sync.Once
}

// NewChecker returns a Checker with the options o.
func NewChecker(o Options) *Checker {
	c := &Checker{
		Options: o, faults: countRules(o.Faults), stopping: make(chan struct{}),
		smallBodies:  bodyBudgets{newBudget(maxReceived), newBudget(maxSmallBodyCost)},
		largeBodies:  bodyBudgets{newBudget(maxReceived), newBudget(maxBodyCost)},
		smallAnswers: newBudget(maxAnswers), pages: newFairBudget(maxAnswers), documents: newFairBudget(maxDocuments),
	}
	if o.RateLimit {
		c.limiter = newLimiter(limiterKeys, o.Now)
		if shared := store.SharedLimits(o.Store, window, o.Clock); shared != nil {
			c.limiter = &sharedCounter{counts: shared, now: o.Now, refused: map[string]time.Time{}}
		}
	}
	return c
}

// Stop rejects the requests that wait for memory. The server calls it during shutdown.
func (c *Checker) Stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

// A Call is an admitted request with its caller and its body.
type Call struct {
	// User is the signed-in caller. User.ID is "" if the request has no token.
	User identity.User
	// Key is the caller's API key. Key.ID is "" outside the Game SDK.
	Key store.Key
	// CallersModel contains the models and the provider keys from the request headers.
	CallersModel   llm.Caller
	Body           []byte
	Idempotency    play.Idempotency
	checker        *Checker
	memory, answer *share // both may be nil
}

// Admit checks a request for a route. It reads the body only after checking the credentials. After
// a nil error, the caller must call Release.
func (c *Checker) Admit(route *Route, w http.ResponseWriter, r *http.Request) (*Call, error) {
	call := &Call{checker: c}
	if err := c.checkRequest(route, w, r, call); err != nil {
		call.Release()
		return nil, err
	}
	return call, nil
}

func (c *Checker) checkRequest(route *Route, w http.ResponseWriter, r *http.Request, call *Call) (err error) {
	if !RateLimits[route.Limit].PerKey {
		if err = c.countByAddress(route.Limit, w, r); err != nil {
			return err
		}
	}
	if err = checkQuery(r.URL.RawQuery); err != nil {
		return err
	}
	if err = checkHeaders(r.Header); err != nil {
		return err
	}
	if err = c.identifyCaller(route, w, r, call); err != nil {
		return err
	}
	if err = c.receiveBody(route.BodyLimit(), w, r, call); err != nil {
		return err
	}
	if route.Idempotent {
		if call.Idempotency, err = readIdempotencyKey(r, call.Body); err != nil {
			return err
		}
	}
	return c.injectFault(route, r)
}

// AdmitReader counts a request for a page by client address. It returns an error if the rate limit
// is exceeded.
func (c *Checker) AdmitReader(p *Page, w http.ResponseWriter, r *http.Request) error {
	if p.Limit == "" {
		return nil
	}
	return c.countByAddress(p.Limit, w, r)
}

func checkQuery(raw string) error {
	values, err := url.ParseQuery(raw)
	switch {
	case err != nil && strings.Contains(raw, ";"):
		return BadRequest("the query contains a semicolon: separate parameters with &, and write a semicolon in a value as %3B")
	case err != nil:
		return BadRequest("the query is malformed: a % must be followed by two hexadecimal digits")
	}
	for name, texts := range values {
		if !utf8.ValidString(name + strings.Join(texts, "")) {
			return BadRequest("the query is not UTF-8")
		}
	}
	return nil
}

var singleHeaders = [...]string{
	"Authorization", wire.HeaderAPIKey, wire.HeaderIdempotencyKey, "Content-Type",
	wire.HeaderLLMKey, wire.HeaderLLMModel,
	wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel,
	wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel,
	wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel,
}

func checkHeaders(h http.Header) error {
	for _, name := range singleHeaders {
		if len(h.Values(name)) > 1 { // only the first value would be used
			return BadRequest("the request contains the header " + name + " twice: send it once")
		}
	}
	return nil
}
