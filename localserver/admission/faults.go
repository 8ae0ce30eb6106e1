package admission

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/fault"
	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/personas/wire"
)

// faultAnswers are the codes and sentences of statuses that a rule asks for: the
// ones that requests really get. (A 401 and a 429 have their own.)
var faultAnswers = map[int]struct{ code, sentence string }{
	http.StatusBadRequest:            {wire.CodeBadRequest, "the body is not valid JSON"},
	http.StatusForbidden:             {wire.CodeForbidden, "only the persona's owner may do this"},
	http.StatusNotFound:              {wire.CodeNotFound, "there is no such persona"},
	http.StatusConflict:              {wire.CodeConflict, "another turn of this session came first, read the history and send it again"},
	http.StatusRequestEntityTooLarge: {wire.CodeTooLarge, fmt.Sprintf("the body is longer than %d bytes", wire.MaxBody)},
	http.StatusUnprocessableEntity:   {wire.CodeInvalid, "message: is required"},
	http.StatusInternalServerError:   {wire.CodeInternal, "internal error"},
	http.StatusBadGateway:            {wire.CodeModelFailed, "the model provider failed, send it again"},
	http.StatusServiceUnavailable:    {wire.CodeUnavailable, "the service is not available now, send it again"},
	http.StatusGatewayTimeout:        {wire.CodeModelTimeout, "the model provider did not answer in time, send it again"},
}

// injectFault applies the rules to a request that was admitted and read: a handler never sees a
// request that is answered here, so nothing of it is stored.
func (c *Checker) injectFault(row *endpoint.Route, r *http.Request) error {
	hit := c.faults.CountRequest(r.URL.Path)
	if hit.Latency > 0 {
		if err := waitOnPurpose(r.Context(), hit.Latency); err != nil {
			return err
		}
	}
	if hit.Status == 0 {
		return nil
	}
	c.Telemetry.CountFault(hit.Status)
	return faultAnswer(row, hit)
}

func faultAnswer(row *endpoint.Route, hit fault.Hit) *apierror.Error {
	switch hit.Status {
	case http.StatusTooManyRequests:
		return limitReached(countedBy(row.Limit, ""), limit.WholeSeconds(hit.RetryAfter))
	case http.StatusUnauthorized:
		if row.Access.NeedsAPIKey() {
			return apierror.UnknownKey("the API key is unknown or revoked")
		}
		return apierror.Unauthenticated(nil)
	}
	as := faultAnswers[hit.Status]
	e := apierror.New(hit.Status, as.code, as.sentence)
	e.RetryAfter = hit.RetryAfter
	if hit.Status == http.StatusUnprocessableEntity {
		e.Details = []wire.Detail{{Path: "message", Message: "is required"}}
	}
	return e
}

// waitOnPurpose waits, but not for a caller who has gone. A server that stops lets it come
// to its end, as any slow call.
func waitOnPurpose(ctx context.Context, latency time.Duration) error {
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
	}
	return apierror.Canceled()
}
