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

// Options configures the checks of requests.
type Options struct {
	Store    *store.Store
	Verifier identity.Verifier
	// ChatNeedsToken means that routes with the access Player require a token. Routes with the
	// access Account always require one.
	ChatNeedsToken bool
	// RateLimit enables the rate limits of the routes.
	RateLimit bool
	// OnLimit is called once, for the first request that uses up a rate limit. Its arguments are
	// the category of the request and the limit per minute. OnLimit may be nil.
	OnLimit func(category string, perMinute int)
	// Faults makes requests slow or fail on purpose.
	Faults    []FaultRule
	Telemetry *Telemetry
	Now       func() time.Time
	// Clock is used to count requests if several servers share a database. Nil means the clock of
	// the database.
	Clock func() time.Time
}

// A Checker checks requests before their handlers run. It is safe for concurrent use.
type Checker struct {
	Options
	limiter requestCounter
	faults  []*countedRule
	// Budgets of memory for request bodies. Small bodies have their own budgets.
	smallBodies, largeBodies bodyBudgets
	// Budgets of memory for answers. One caller may use at most a quarter of pages and of
	// documents, so that a slow reader does not block others.
	smallAnswers, pages, documents *budget
	// stopping is closed when the server stops. Then requests that wait for memory are rejected.
	stopping chan struct{}
	stopOnce sync.Once
	tellOnce sync.Once
}

// NewChecker returns a checker.
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

// Stop rejects the requests that wait for memory. The server calls it when it stops.
func (c *Checker) Stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

// A Call is an admitted request with its caller and its content.
type Call struct {
	// User is the signed-in caller. User.ID is "" if the request has no token.
	User identity.User
	// Key is the caller's API key on the SDK side. Key.ID is "" on the web side.
	Key store.Key
	// CallersModel contains the models, and the keys of model providers, that a caller on the SDK
	// side sent.
	CallersModel llm.Caller
	Body         []byte
	Idempotency  play.Idempotency
	checker      *Checker
	// memory is reserved for the request body. answer is reserved for the answer. Either may be
	// nil.
	memory, answer *share
}

// Admit runs the route's checks, the cheapest first. It never reads the body of an unauthenticated
// request. Injected faults run last. After Admit succeeds, the caller must call Release at the end.
func (c *Checker) Admit(row *Route, w http.ResponseWriter, r *http.Request) (*Call, error) {
	call := &Call{checker: c}
	if err := c.checkRequest(row, w, r, call); err != nil {
		call.Release()
		return nil, err
	}
	return call, nil
}

func (c *Checker) checkRequest(row *Route, w http.ResponseWriter, r *http.Request, call *Call) (err error) {
	if !RateLimits[row.Limit].PerKey {
		if err = c.countRequest(r.Context(), w, countedBy(row.Limit, identity.Network(r.Context()))); err != nil {
			return err
		}
	}
	if err = checkQuery(r.URL.RawQuery); err != nil {
		return err
	}
	if err = checkHeaders(r.Header); err != nil {
		return err
	}
	if err = c.identifyCaller(row, w, r, call); err != nil {
		return err
	}
	if err = c.receiveBody(row.BodyLimit(), w, r, call); err != nil {
		return err
	}
	if row.Idempotent {
		if call.Idempotency, err = readIdempotencyKey(r, call.Body); err != nil {
			return err
		}
	}
	return c.injectFault(row, r)
}

// AdmitReader counts a request for a page by the caller's address. It returns an error if the limit
// of the page's category is exceeded. A page without a category is not limited.
func (c *Checker) AdmitReader(p *Page, w http.ResponseWriter, r *http.Request) error {
	if p.Limit == "" {
		return nil
	}
	return c.countRequest(r.Context(), w, countedBy(p.Limit, identity.Network(r.Context())))
}

// checkQuery rejects a query that is not valid UTF-8, and a query with parts that url.ParseQuery
// would drop.
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
	wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel,
	wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel,
}

// checkHeaders rejects a request that repeats one of singleHeaders, because only the first value
// would be used.
func checkHeaders(h http.Header) error {
	for _, name := range singleHeaders {
		if len(h.Values(name)) > 1 {
			return BadRequest("the request contains the header " + name + " twice: send it once")
		}
	}
	return nil
}
