package api

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Maximum values in a FaultRule.
const (
	MaxLatency    = 5 * time.Minute
	MaxRetryAfter = time.Hour
	MaxEvery      = 1_000_000_000
)

// FaultStatuses lists the valid values of FaultRule.Status. All except 503 are error statuses in
// docs/interface.md.
var FaultStatuses = []int{400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504}

// A FaultRule defines an injected fault and the requests that it affects. ParseFault returns valid
// rules.
type FaultRule struct {
	// Status is the response status. 0 leaves the response unchanged.
	Status int
	// RetryAfter is the Retry-After header of a 429 or a 503, in whole seconds. 0 omits the header.
	RetryAfter time.Duration
	Latency    time.Duration
	// Rate is the fraction of matching requests to affect. Seed selects these requests.
	Rate float64
	// Every n selects each n-th matching request. Without Rate and Every, all matching requests are
	// affected.
	Every int64
	// Path is a sequence of whole path segments. "/message" matches
	// "/api/v1/chat/ID/message/stream". "" matches every path.
	Path string
	Seed uint64
}

type countedRule struct {
	FaultRule
	seed uint64
	seen atomic.Int64 // requests whose path matches
}

func countRules(rules []FaultRule) (list []*countedRule) {
	for i, r := range rules {
		// With the index, rules with the same seed affect different requests.
		list = append(list, &countedRule{FaultRule: r, seed: r.Seed ^ uint64(i)<<32})
	}
	return list
}

func combineFaults(rules []*countedRule, path string) (hit FaultRule) {
	for _, r := range rules {
		if !strings.Contains(path+"/", r.Path+"/") || !r.hitsRequest(r.seen.Add(1)) {
			continue
		}
		hit.Latency += r.Latency
		if hit.Status == 0 {
			hit.Status, hit.RetryAfter = r.Status, r.RetryAfter
		}
	}
	return hit
}

func (r *countedRule) hitsRequest(n int64) bool {
	switch {
	case r.Every > 0:
		return n%r.Every == 0
	case r.Rate > 0:
		random := rand.New(rand.NewPCG(r.seed, uint64(n))) //nolint:gosec // the same seed must give the same faults
		return random.Float64() < r.Rate
	}
	return true
}

// ParseFault parses a rule of comma-separated members in the form name=value. Its errors contain
// the rule and the invalid member.
func ParseFault(text string) (FaultRule, error) {
	var r FaultRule
	seen := map[string]bool{}
	for member := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		err := r.setMember(name, value)
		if err == nil && seen[name] {
			err = errors.New("is set twice")
		}
		if err != nil {
			return FaultRule{}, fmt.Errorf("fault %q: member %q: %w", text, strings.TrimSpace(member), err)
		}
		seen[name] = true
	}
	if err := r.checkMembers(seen); err != nil {
		return FaultRule{}, fmt.Errorf("fault %q: %w", text, err)
	}
	return r, nil
}

func (r *FaultRule) setMember(name, value string) (err error) {
	switch name {
	case "status":
		if r.Status, err = strconv.Atoi(value); err != nil || !slices.Contains(FaultStatuses, r.Status) {
			return fmt.Errorf("must be one of %s", strings.Trim(fmt.Sprint(FaultStatuses), "[]"))
		}
	case "retry-after":
		seconds, err := strconv.ParseUint(value, 10, 32)
		r.RetryAfter = time.Duration(seconds) * time.Second
		if err != nil || seconds == 0 || r.RetryAfter > MaxRetryAfter {
			return fmt.Errorf("must be whole seconds from 1 to %d", MaxRetryAfter/time.Second)
		}
	case "latency":
		if r.Latency, err = time.ParseDuration(value); err != nil || r.Latency <= 0 || r.Latency > MaxLatency {
			return fmt.Errorf("must be a duration such as 200ms or 2s, at most %s", MaxLatency)
		}
	case "rate":
		if r.Rate, err = strconv.ParseFloat(value, 64); err != nil || !(r.Rate > 0 && r.Rate <= 1) {
			return errors.New("must be a number above 0 and at most 1")
		}
	case "every":
		if r.Every, err = strconv.ParseInt(value, 10, 64); err != nil || r.Every < 1 || r.Every > MaxEvery {
			return fmt.Errorf("must be a whole number from 1 to %d", MaxEvery)
		}
	case "path":
		r.Path = strings.TrimSuffix(value, "/")
		isUnprintable := func(c rune) bool { return c <= ' ' || c > '~' }
		hasSlashes := strings.HasPrefix(r.Path, "/") && !strings.HasSuffix(r.Path, "/")
		if !hasSlashes || strings.ContainsFunc(r.Path, isUnprintable) {
			return errors.New("must begin with a slash and contain at least one segment, as in /message")
		}
	case "seed":
		if r.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return errors.New("must be a whole number, 0 or more")
		}
	default:
		return errors.New("must be one of status, latency, retry-after, rate, every, path and seed, as name=value")
	}
	return nil
}

func (r *FaultRule) checkMembers(members map[string]bool) error {
	switch {
	case !members["status"] && !members["latency"]:
		return errors.New("a status or a latency is required, as in status=503,rate=0.1 or latency=2s")
	case members["rate"] && members["every"]:
		return errors.New("rate and every are mutually exclusive")
	case members["seed"] && !members["rate"]:
		return errors.New("seed requires rate")
	case members["retry-after"] && r.Status != 429 && r.Status != 503:
		return errors.New("retry-after requires status=429 or status=503")
	case r.Status == 429:
		// In the interface, every 429 has a Retry-After.
		r.RetryAfter = cmp.Or(r.RetryAfter, time.Second)
	}
	return nil
}

var faultAnswers = map[int]struct{ code, sentence string }{
	http.StatusBadRequest: {wire.CodeBadRequest, "the body is not valid JSON"},
	http.StatusForbidden:  {wire.CodeForbidden, "only the persona's owner may do this"},
	http.StatusNotFound:   {wire.CodeNotFound, "there is no such persona"},
	http.StatusConflict: {
		wire.CodeConflict, "another turn of this session came first, read the history and send it again",
	},
	http.StatusRequestEntityTooLarge: {
		wire.CodeTooLarge, fmt.Sprintf("the body is longer than %d bytes", wire.MaxBody),
	},
	http.StatusUnprocessableEntity: {wire.CodeInvalid, "message: is required"},
	http.StatusInternalServerError: {wire.CodeInternal, "internal error"},
	http.StatusBadGateway:          {wire.CodeModelFailed, "the model provider failed, send it again"},
	http.StatusServiceUnavailable:  {wire.CodeUnavailable, "the service is not available now, send it again"},
	http.StatusGatewayTimeout: {
		wire.CodeModelTimeout, "the model provider did not answer in time, send it again",
	},
}

func (c *Checker) injectFault(route *Route, r *http.Request) error {
	hit := combineFaults(c.faults, r.URL.Path)
	if hit.Latency > 0 {
		select {
		case <-time.After(hit.Latency):
		case <-r.Context().Done():
			return Canceled()
		}
	}
	if hit.Status == 0 {
		return nil
	}
	c.Telemetry.counter("parley_faults_total{status=%q}", strconv.Itoa(hit.Status)).Inc()
	return faultAnswer(route, hit)
}

func faultAnswer(route *Route, hit FaultRule) *Error {
	switch hit.Status {
	case http.StatusTooManyRequests:
		return limitReached(countedBy(route.Limit, ""), WholeSeconds(hit.RetryAfter))
	case http.StatusUnauthorized:
		if route.Access.NeedsAPIKey() {
			return UnknownKey("the API key is unknown or revoked")
		}
		return Unauthenticated(nil)
	}
	answer := faultAnswers[hit.Status]
	e := NewError(hit.Status, answer.code, answer.sentence)
	e.RetryAfter = hit.RetryAfter
	if hit.Status == http.StatusUnprocessableEntity {
		e.Details = []wire.Detail{{Path: "message", Message: "is required"}}
	}
	return e
}
