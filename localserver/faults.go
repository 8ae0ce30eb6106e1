package localserver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/parley-npc/parley/localserver/fault"
	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/personas/wire"
)

// Fault is a rule by which requests go wrong on purpose.
type Fault = fault.Rule

// ParseFault reads a rule such as status=503,rate=0.1. An error names the rule
// and its member.
func ParseFault(text string) (Fault, error) { return fault.Parse(text) }

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

// goWrong lets the rules happen to a request that has been let in and read: the
// handler never sees one that is answered here, so nothing of it is kept.
func (s *service) goWrong(row *route, r *http.Request) error {
	hit := s.gate.faults.Strike(r.URL.Path)
	if hit.Latency > 0 {
		if err := s.gate.delay(r.Context(), hit.Latency); err != nil {
			return err
		}
	}
	if hit.Status == 0 {
		return nil
	}
	s.gate.telemetry.faulted(hit.Status)
	return faultAnswer(row, hit)
}

func faultAnswer(row *route, hit fault.Hit) *failure {
	switch hit.Status {
	case http.StatusTooManyRequests:
		return tooMany(fmt.Sprintf("the limit of %d requests a minute (%s) is reached", limits[row.limit].most, row.limit), limit.Seconds(hit.RetryAfter))
	case http.StatusUnauthorized:
		if row.who == sdk || row.who == sdkPlayer {
			return unknownKey("the API key is unknown or revoked")
		}
		return unauthenticated(nil)
	}
	as := faultAnswers[hit.Status]
	f := refuse(hit.Status, as.code, as.sentence)
	f.RetryAfter = hit.RetryAfter
	if hit.Status == http.StatusUnprocessableEntity {
		f.Details = []wire.Detail{{Path: "message", Message: "is required"}}
	}
	return f
}

// delay waits, but neither for a caller who has gone nor when the server stops.
func (g *gate) delay(ctx context.Context, latency time.Duration) error {
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
	case <-g.stopping:
	}
	return brokenOff()
}
