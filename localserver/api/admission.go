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

// Options configure the checks of requests.
type Options struct {
	Store    *store.Store
	Verifier identity.Verifier
	// ChatNeedsToken means that rows of Player are as those of Account.
	ChatNeedsToken bool
	// RateLimit reports whether the rows' limits are enforced.
	RateLimit bool
	// OnLimit is called when a limit is used up, with its category and its number of requests a
	// minute. It may be nil.
	OnLimit func(category string, perMinute int)
	// Faults make requests go wrong on purpose.
	Faults    []Rule
	Telemetry *Telemetry
	Now       func() time.Time
	// Clock is used by servers with a shared database to count requests; nil means the clock of the
	// database.
	Clock func() time.Time
}

// Checker admits requests. It is safe for concurrent use.
type Checker struct {
	Options
	// limiter is nil where nothing is counted.
	limiter requestCounter
	faults  *Plan
	bodies  bodyMemory
	answers answerMemory
	// stopping is closed when the server accepts no more requests: pure waits end then.
	stopping chan struct{}
	stopOnce sync.Once
	tellOnce sync.Once
}

// NewChecker returns a checker.
func NewChecker(o Options) *Checker {
	c := &Checker{Options: o, faults: NewFaultPlan(o.Faults), bodies: newBodyMemory(), answers: newAnswerMemory(), stopping: make(chan struct{})}
	if o.RateLimit {
		c.limiter = newCounter(&c.Options)
	}
	return c
}

// Stop ends what only waits for time to pass.
func (c *Checker) Stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

// Call is an admitted request: the caller, and the content.
type Call struct {
	// User is the signed-in caller; its ID is "" without a token.
	User identity.User
	// Key is the API key of a call of the SDK side; its ID is "" on the web side.
	Key store.Key
	// CallersModel contains the models and keys of a caller of the SDK side.
	CallersModel llm.Caller
	Body         []byte
	Idempotency  play.Idempotency
	checker      *Checker
	// memory is the share for the body, answer the one for the answer; either may be nil.
	memory, answer *share
}

// Admit runs the route's checks, cheapest first, so that an unauthenticated request never has its
// body read. Injected faults run last. After a successful Admit the caller must call Release at the
// end.
func (c *Checker) Admit(row *Route, w http.ResponseWriter, r *http.Request) (*Call, error) {
	call := &Call{checker: c}
	if err := c.checkRequest(row, w, r, call); err != nil {
		call.Release()
		return nil, err
	}
	return call, nil
}

func (c *Checker) checkRequest(row *Route, w http.ResponseWriter, r *http.Request, call *Call) error {
	err := c.limitAddress(row, w, r)
	if err != nil {
		return err
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

// AdmitReader counts a reader of a page by the address, and refuses one above the limit. A page
// without a category is not limited.
func (c *Checker) AdmitReader(p *Page, w http.ResponseWriter, r *http.Request) error {
	if c.limiter == nil || p.Limit == "" {
		return nil
	}
	return c.countRequest(r.Context(), w, countedBy(p.Limit, identity.Network(r.Context())))
}

// checkQuery refuses an ambiguous query: parts that package url drops, and invalid text.
func checkQuery(raw string) error {
	values, err := url.ParseQuery(raw)
	switch {
	case err != nil && strings.Contains(raw, ";"):
		return BadRequest("the query has a semicolon: parameters are joined by &, and a semicolon in a value is written %3B")
	case err != nil:
		return BadRequest("the query cannot be read: a % must be followed by two hexadecimal digits")
	}
	for name, texts := range values {
		if !utf8.ValidString(name + strings.Join(texts, "")) {
			return BadRequest("the query is not UTF-8")
		}
	}
	return nil
}

// singleHeaders identify the caller, the keys, and the call.
var singleHeaders = [...]string{
	"Authorization", wire.HeaderAPIKey, wire.HeaderIdempotencyKey, "Content-Type",
	wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel,
	wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel,
}

// checkHeaders refuses a request with two of one of these headers, since the second would be
// ignored.
func checkHeaders(h http.Header) error {
	for _, name := range singleHeaders {
		if len(h.Values(name)) > 1 {
			return BadRequest("the header " + name + " is there twice: send it once")
		}
	}
	return nil
}
