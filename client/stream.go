package client

import (
	"context"
	"encoding/json"
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

// StreamMessage is SendMessage with a streamed reply (POST message/stream): it calls onDelta, which
// may be nil, with each piece, and returns the whole reply at the end. Until the first piece it is
// retried like SendMessage, and never after it. Another call with the same body.Key, of this method
// or of SendMessage, returns the reply if the turn was stored, else another one. An error of
// onDelta ends the turn. ModelTimeout bounds each silence of the service, not the whole.
func (c *Client) StreamMessage(ctx context.Context, id, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error) {
	k, err := newModelCall(wire.PathMessageStream, id, machine, body.Key, body)
	if err != nil {
		return wire.Reply{}, err
	}
	return streamAnswer(ctx, c, k, onDelta, replyCost)
}

// streamAnswer makes a call with a streamed answer and returns the whole at its end. cost points to
// the field for the cost in it.
func streamAnswer[T any](ctx context.Context, c *Client, k call, onDelta func(string) error, cost func(*T) *wire.Tokens) (whole T, err error) {
	err = c.tryCall(ctx, k, func(target *url.URL) ([]credential, bool, error) {
		l := streamAttempt{Client: c, call: k, target: target, onDelta: onDelta}
		spent, err := l.readWhole(ctx, &whole)
		*cost(&whole) = spent
		return l.credentials, !l.begun, err
	})
	return whole, err
}

// streamAttempt is one attempt of a call with a streamed answer.
type streamAttempt struct {
	*Client
	call
	target      *url.URL
	credentials []credential
	onDelta     func(string) error
	// explainBreak makes the error of a broken connection.
	explainBreak func(error) error
	// tellWait is called with comments.
	tellWait func(comment string)
	// begun is true once text has come.
	begun bool
	// pieces joins characters that were cut in two.
	pieces plaintext.PieceJoiner
}

// openAnswer is an answer with complete headers and an open body.
type openAnswer struct {
	*Response
	raw *http.Response
	// body is the plain body; timedBody starts the time limit again with every piece
	// that is read. Both end with an error after MaxAnswer bytes.
	body      io.Reader
	timedBody io.Reader
	silence   *time.Timer
	release   func()
}

// openStream sends the request and waits for the headers. It gives up when the
// service is silent for longer than the time limit. The caller must release the
// answer.
func (a *streamAttempt) openStream(ctx context.Context, accept string) (o openAnswer, err error) {
	if a.credentials, err = a.signCall(ctx, a.call); err != nil {
		return o, err
	}
	bounded, cancel := context.WithCancel(ctx)
	limit := a.attemptTimeout(a.call)
	o.silence = time.AfterFunc(limit, cancel)
	o.release = func() { o.silence.Stop(); cancel() }
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
		err = a.explainBreak(err) // before closing, which looks like a silence
		o.release()
		return o, err
	}
	raw := answer.RawBody()
	o.raw, o.body, o.timedBody = answer.RawResponse, http.MaxBytesReader(nil, raw, MaxAnswer), http.MaxBytesReader(nil, timedReader{raw, o.silence, limit}, MaxAnswer)
	o.Response = &Response{Status: answer.StatusCode(), Proto: answer.Proto(), Header: answer.Header(), url: redactURL(a.target)}
	stop := o.release
	o.release = func() { _ = raw.Close(); stop() }
	return o, nil
}

// readWhole makes the attempt and reads the whole answer, from the stream's last event or,
// where that will do, from an answer that came whole.
func (a *streamAttempt) readWhole(ctx context.Context, whole any) (spent wire.Tokens, err error) {
	accept := contentEvents
	if a.takesWhole {
		accept = eventsOrJSON
	}
	answer, err := a.openStream(ctx, accept)
	if err != nil {
		return spent, err
	}
	defer answer.release()
	if a.takesWhole && isSuccess(answer.Status) && mediaType(answer.Header.Get("Content-Type")) != contentEvents {
		return a.readUnstreamed(answer, whole)
	}
	a.tellWait = func(comment string) {
		if notice, ok := strings.CutPrefix(comment, wire.CommentWaiting); ok {
			wire.ReadWaitNotice(ctx, notice)
		}
	}
	if err := a.readEvents(answer.Response, answer.timedBody, whole); err != nil {
		return spent, err
	}
	return a.readTrailers(answer.raw, answer.silence), nil
}

// readUnstreamed reads an answer of a service that does not stream it.
func (a *streamAttempt) readUnstreamed(answer openAnswer, whole any) (spent wire.Tokens, err error) {
	if answer.Body, err = io.ReadAll(answer.body); err != nil {
		return spent, a.explainCut(err)
	}
	return readTokens(answer.Header), answer.decodeBody(whole)
}

func isSuccess(status int) bool { return status >= 200 && status <= 299 }

// readEvents reads the events of an answer until it is whole, or the error of a
// refusal.
func (a *streamAttempt) readEvents(response *Response, in io.Reader, whole any) (err error) {
	if !isSuccess(response.Status) {
		if response.Body, err = io.ReadAll(in); err != nil {
			return a.explainBreak(err)
		}
		return a.checkStatus(response, a.credentials)
	}
	if media := mediaType(response.Header.Get("Content-Type")); media != contentEvents {
		return a.newNotServiceError(fmt.Sprintf("answered %q instead of a stream of events", media))
	}
	events := newEventReader(in)
	events.onComment = a.tellWait
	for {
		e, err := events.nextEvent()
		if err != nil {
			return a.explainCut(err)
		}
		if last, err := a.handleEvent(e, whole); last || err != nil {
			return err
		}
	}
}

// explainCut makes the error of an answer that ended before it was whole.
func (a *streamAttempt) explainCut(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return a.newNotServiceError(fmt.Sprintf("answered more than %d MiB", MaxAnswer>>20))
	}
	switch {
	case errors.Is(err, io.EOF):
		return a.explainBreak(errCut)
	case errors.Is(err, errEventTooLong):
		return a.newNotServiceError(fmt.Sprintf("answered with an event of more than %d MiB", maxEvent>>20))
	}
	return a.explainBreak(err)
}

// What a stream is asked for with; JSON too where a whole answer will do.
const (
	contentEvents = "text/event-stream"
	eventsOrJSON  = contentEvents + ", application/json;q=0.9"
)

// timedReader starts the time limit again with every piece that is read.
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

// errCut is a stream that ended before the reply did.
var errCut = errors.New("the stream ended before the reply was whole")

// handleEvent handles one event; last is true for the last one, which is read into
// whole.
func (a *streamAttempt) handleEvent(e event, whole any) (last bool, err error) {
	switch e.name {
	case wire.EventTextDelta:
		return false, a.passDelta(e)
	case wire.EventDone:
		return true, a.decodeEvent(e, whole)
	case wire.EventError:
		refusal := wire.ReadError(0, withoutSecrets(e.data, a.credentials))
		refusal.Status = wire.StatusOf(refusal.Code)
		return true, refusal
	}
	return false, nil
}

// passDelta hands a piece of the answer's text to onDelta.
func (a *streamAttempt) passDelta(e event) error {
	var delta struct {
		Text plaintext.Piece `json:"text"`
	}
	if err := a.decodeEvent(e, &delta); err != nil {
		return err
	}
	a.begun = true
	text := a.pieces.JoinPiece(delta.Text)
	if a.onDelta == nil {
		return nil
	}
	return a.onDelta(text)
}

func (a *streamAttempt) decodeEvent(e event, into any) error {
	if err := json.Unmarshal(e.data, into); err != nil {
		return a.newNotServiceError(fmt.Sprintf("answered with an event %s that cannot be read", e.name))
	}
	return nil
}

// newNotServiceError returns the error for an answer with status 200 that does not come from the
// service.
func (a *streamAttempt) newNotServiceError(problem string) error {
	return &NotServiceError{URL: redactURL(a.target), Status: http.StatusOK, Problem: problem}
}
