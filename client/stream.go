package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// StreamMessage is SendMessage with the reply's text as it comes (POST
// message/stream): onDelta, which may be nil, is told each piece, and the whole
// reply is given at the end. Until the first piece it is retried as SendMessage
// is; after it, never: whoever asks again with the same body.Key, here or of
// SendMessage, gets the reply if the turn was kept, else another one. An error of
// onDelta ends the turn. ModelTimeout bounds each silence of the service, and not
// the whole.
func (c *Client) StreamMessage(ctx context.Context, id, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error) {
	k, err := chat(wire.PathMessageStream, id, machine, body.Key, body)
	if err != nil {
		return wire.Reply{}, err
	}
	return listen(ctx, c, k, onDelta, replyCost)
}

// listen makes a call whose answer is a stream and gives the reply at its end;
// cost is where the reply keeps what it cost.
func listen[T any](ctx context.Context, c *Client, k call, onDelta func(string) error, cost func(*T) *wire.Tokens) (reply T, err error) {
	err = c.try(ctx, k, func(target *url.URL) ([]credential, bool, error) {
		l := listener{Client: c, call: k, target: target, onDelta: onDelta}
		spent, err := l.listen(ctx, &reply)
		*cost(&reply) = spent
		return l.who, !l.begun, err
	})
	return reply, err
}

// listener is one attempt to hear a reply.
type listener struct {
	*Client
	call
	target  *url.URL
	who     []credential
	onDelta func(string) error
	// broken names what broke the connection.
	broken func(error) error
	// begun says that text has come.
	begun bool
}

// opened is an answer of which the head has come.
type opened struct {
	*Response
	raw *http.Response
	// body is read as it comes, and ends with an error after MaxAnswer bytes;
	// patiently lets every piece of it begin the silence anew.
	body      io.Reader
	patiently io.Reader
	silence   *time.Timer
	close     func()
}

// open makes the attempt. A service that is silent for too long is given up.
// Whoever gets an answer closes it.
func (l *listener) open(ctx context.Context, accept string) (o opened, err error) {
	if l.who, err = l.sign(ctx, l.call); err != nil {
		return o, err
	}
	bounded, cancel := context.WithCancel(ctx)
	limit := l.limit(l.call)
	o.silence = time.AfterFunc(limit, cancel)
	o.close = func() { o.silence.Stop(); cancel() }
	var connected atomic.Bool
	l.broken = func(err error) error {
		return l.failure(ctx, bounded, limit, connected.Load(), l.target, err)
	}
	request := l.request(watch(bounded, &connected), l.call, l.who).SetDoNotParseResponse(true)
	if accept != "" {
		request.SetHeader("Accept", accept)
	}
	answer, err := request.Execute(l.method, l.target.String())
	if err != nil {
		err = l.broken(err) // before closing, which looks like a silence
		o.close()
		return o, err
	}
	raw := answer.RawBody()
	o.raw, o.body, o.patiently = answer.RawResponse, http.MaxBytesReader(nil, raw, MaxAnswer), http.MaxBytesReader(nil, heard{raw, o.silence, limit}, MaxAnswer)
	o.Response = &Response{Status: answer.StatusCode(), Proto: answer.Proto(), Header: answer.Header(), url: shown(l.target)}
	stop := o.close
	o.close = func() { _ = raw.Close(); stop() }
	return o, nil
}

// listen makes the attempt and hears the reply.
func (l *listener) listen(ctx context.Context, reply any) (spent wire.Tokens, err error) {
	answer, err := l.open(ctx, contentEvents)
	if err != nil {
		return spent, err
	}
	defer answer.close()
	if err := l.hear(answer.Response, answer.patiently, reply); err != nil {
		return spent, err
	}
	return l.afterwards(answer.raw, answer.silence), nil
}

// hear reads an answer, which is a stream or a refusal.
func (l *listener) hear(response *Response, in io.Reader, reply any) (err error) {
	if response.Status < 200 || response.Status > 299 {
		if response.Body, err = io.ReadAll(in); err != nil {
			return l.broken(err)
		}
		return l.judge(response, l.who)
	}
	if media := mediaType(response.Header.Get("Content-Type")); media != contentEvents {
		return l.strange(fmt.Sprintf("answered %q instead of a stream of events", media))
	}
	events := newEventReader(in)
	for {
		e, err := events.next()
		if err != nil {
			return l.cut(err)
		}
		if whole, err := l.take(e, reply); whole || err != nil {
			return err
		}
	}
}

// cut says why a stream ended before the reply was whole.
func (l *listener) cut(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return l.strange(fmt.Sprintf("answered more than %d MiB", MaxAnswer>>20))
	}
	switch {
	case errors.Is(err, io.EOF):
		return l.broken(errCut)
	case errors.Is(err, errEventTooLong):
		return l.strange(fmt.Sprintf("answered with an event of more than %d MiB", maxEvent>>20))
	}
	return l.broken(err)
}

const contentEvents = "text/event-stream"

// heard begins the silence anew with everything that is read.
type heard struct {
	io.ReadCloser
	silence *time.Timer
	limit   time.Duration
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if n > 0 {
		h.silence.Reset(h.limit)
	}
	return n, err
}

// errCut is a stream that ended before the reply did.
var errCut = errors.New("the stream ended before the reply was whole")

// take takes an event; whole says that it was the last one.
func (l *listener) take(e event, reply any) (whole bool, err error) {
	switch e.name {
	case wire.EventTextDelta:
		return false, l.tell(e)
	case wire.EventDone:
		return true, l.read(e, reply)
	case wire.EventError:
		refusal := wire.ReadError(0, withoutSecrets(e.data, l.who))
		refusal.Status = wire.StatusOf(refusal.Code)
		return true, refusal
	}
	return false, nil
}

func (l *listener) tell(e event) error {
	var delta wire.TextDelta
	if err := l.read(e, &delta); err != nil {
		return err
	}
	l.begun = true
	if l.onDelta == nil {
		return nil
	}
	return l.onDelta(delta.Text)
}

func (l *listener) read(e event, into any) error {
	if err := json.Unmarshal(e.data, into); err != nil {
		return l.strange(fmt.Sprintf("answered with an event %s that cannot be read", e.name))
	}
	return nil
}

func (l *listener) strange(problem string) error {
	return &NotService{URL: shown(l.target), Status: http.StatusOK, Problem: problem}
}
