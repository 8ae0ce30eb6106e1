package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// StreamMessage is SendMessage with a streamed reply (POST message/stream). It calls onDelta,
// unless nil, with each piece, and retries only before the first piece. An error of onDelta ends
// the call. ModelTimeout limits each pause in the stream.
func (c *Client) StreamMessage(
	ctx context.Context, id, machine string, body wire.Message, onDelta func(text string) error,
) (wire.Reply, error) {
	spec := newModelCall(wire.PathMessageStream, id, machine, body.Key, body)
	return streamAnswer(ctx, c, spec, onDelta, replyCost)
}

func streamAnswer[T any](
	ctx context.Context, c *Client, spec call, onDelta func(string) error, cost func(*T) *wire.Tokens,
) (whole T, err error) {
	err = c.sendWithRetries(ctx, spec, func(target *url.URL) ([]credential, error) {
		attempt := streamAttempt{Client: c, call: spec, target: target, onDelta: onDelta}
		spent, err := attempt.readWhole(ctx, &whole)
		*cost(&whole) = spent
		return attempt.credentials, attempt.markFinal(err)
	})
	return whole, err
}

type streamAttempt struct {
	*Client
	call
	target       *url.URL
	credentials  []credential
	onDelta      func(string) error
	explainBreak func(error) error
	tellWait     func(comment string)
	begun        bool
	pieces       plaintext.PieceJoiner
}

// markFinal prevents the repetition of a stream that has begun.
func (a *streamAttempt) markFinal(err error) error {
	if a.begun && err != nil {
		return finalError{err}
	}
	return err
}

type openAnswer struct {
	*Response
	raw       *http.Response
	body      io.Reader
	timedBody io.Reader
	silence   *time.Timer
	release   func()
}

// openStream sends the request and reads the response headers. The caller must call release.
func (a *streamAttempt) openStream(ctx context.Context, accept string) (opened openAnswer, err error) {
	if a.credentials, err = a.signCall(ctx, a.call); err != nil {
		return opened, err
	}
	bounded, cancel := context.WithCancel(ctx)
	limit := a.attemptTimeout(a.call)
	opened.silence = time.AfterFunc(limit, cancel)
	opened.release = func() { opened.silence.Stop(); cancel() }
	var connected atomic.Bool
	a.explainBreak = func(err error) error {
		return a.describeFailure(ctx, bounded, limit, connected.Load(), a.target, err)
	}
	request := a.newRequest(watchConnection(bounded, &connected), a.call, a.credentials).SetDoNotParseResponse(true)
	if accept != "" {
		request.SetHeader("Accept", accept)
	}
	answer, err := request.Execute(a.method, a.target.String())
	if err != nil {
		err = a.explainBreak(err) // before release, because a canceled context looks like a timeout
		opened.release()
		return opened, err
	}
	raw := answer.RawBody()
	opened.raw, opened.Response = answer.RawResponse, a.readHead(answer, a.target)
	opened.body = http.MaxBytesReader(nil, raw, MaxAnswer)
	opened.timedBody = http.MaxBytesReader(nil, timedReader{raw, opened.silence, limit}, MaxAnswer)
	stop := opened.release
	opened.release = func() { _ = raw.Close(); stop() }
	return opened, nil
}

func (a *streamAttempt) readWhole(ctx context.Context, result any) (spent wire.Tokens, err error) {
	accept := contentEvents
	if a.acceptsJSON {
		accept = eventsOrJSON
	}
	answer, err := a.openStream(ctx, accept)
	if err != nil {
		return spent, err
	}
	defer answer.release()
	if a.acceptsJSON && isSuccess(answer.Status) && mediaType(answer.Header.Get("Content-Type")) != contentEvents {
		if answer.Body, err = io.ReadAll(answer.body); err != nil {
			return spent, a.explainCut(err)
		}
		return readTokens(answer.Header), answer.decodeBody(result)
	}
	a.tellWait = func(comment string) {
		if notice, ok := strings.CutPrefix(comment, wire.CommentWaiting); ok {
			wire.ReadWaitNotice(ctx, notice)
		}
	}
	if err := a.readEvents(answer.Response, answer.timedBody, result); err != nil {
		return spent, err
	}
	answer.silence.Reset(trailerTimeout)
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.raw.Body, maxAfterDone))
	return readTokens(answer.raw.Trailer), nil
}

func isSuccess(status int) bool { return status >= 200 && status <= 299 }

func (a *streamAttempt) readEvents(response *Response, in io.Reader, result any) (err error) {
	if !isSuccess(response.Status) {
		if response.Body, err = io.ReadAll(in); err != nil {
			return a.explainBreak(err)
		}
		return a.checkStatus(response, a.credentials)
	}
	if media := mediaType(response.Header.Get("Content-Type")); media != contentEvents {
		return a.newNotServiceError(fmt.Sprintf("answered %q instead of a stream of events", media))
	}
	events := wire.NewEventReader(in)
	events.OnComment = a.tellWait
	for {
		e, err := events.Next()
		if err != nil {
			return a.explainCut(err)
		}
		if last, err := a.handleEvent(e, result); last || err != nil {
			return err
		}
	}
}

func (a *streamAttempt) explainCut(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return a.newNotServiceError(fmt.Sprintf("answered more than %d MiB", MaxAnswer>>20))
	}
	switch {
	case errors.Is(err, io.EOF):
		return a.explainBreak(errCut)
	case errors.Is(err, wire.ErrEventTooLong):
		return a.newNotServiceError(fmt.Sprintf("answered with an event of more than %d MiB", wire.MaxEvent>>20))
	}
	return a.explainBreak(err)
}

const (
	contentEvents = "text/event-stream"
	eventsOrJSON  = contentEvents + ", application/json;q=0.9"
)

type timedReader struct {
	io.ReadCloser
	silence *time.Timer
	limit   time.Duration
}

func (t timedReader) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		t.silence.Reset(t.limit)
	}
	return n, err
}

var errCut = errors.New("the stream ended before the reply was complete")

func (a *streamAttempt) handleEvent(event wire.Event, result any) (last bool, err error) {
	switch event.Name {
	case wire.EventTextDelta:
		var delta struct {
			Text plaintext.Piece `json:"text"`
		}
		if err := a.decodeEvent(event, &delta); err != nil {
			return false, err
		}
		a.begun = true
		text := a.pieces.JoinPiece(delta.Text)
		if a.onDelta == nil {
			return false, nil
		}
		return false, a.onDelta(text)
	case wire.EventDone:
		return true, a.decodeEvent(event, result)
	case wire.EventError:
		refusal := wire.ReadError(0, withoutSecrets(event.Data, a.credentials))
		refusal.Status = wire.StatusOf(refusal.Code)
		return true, refusal
	}
	return false, nil
}

func (a *streamAttempt) decodeEvent(e wire.Event, into any) error {
	if err := decodeJSON(e.Data, into); err != nil {
		return a.newNotServiceError(fmt.Sprintf("answered with an invalid event %s", e.Name))
	}
	return nil
}

func (a *streamAttempt) newNotServiceError(problem string) error {
	return &NotServiceError{URL: redactURL(a.target), Status: http.StatusOK, Problem: problem}
}
