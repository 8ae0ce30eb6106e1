package localserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// eventTimeout limits the write of one event. A limit for the whole stream would also limit slow
// models.
const eventTimeout = 30 * time.Second

func replyEvents(r *play.Reply, isSDK bool) (metadata, complete any) {
	if isSDK {
		return wire.SDKReplyMetadata{SDKReply: r.SDKReply}, r.SDKReply
	}
	return wire.ReplyMetadata{Reply: r.Web()}, r.Web()
}

func (h *handlers) streamReply(isSDK bool) registration {
	return func(routes huma.API, op huma.Operation, log *slog.Logger) {
		huma.Register(routes, op, func(ctx context.Context, input *messageInput) (*huma.StreamResponse, error) {
			c := callOf(ctx)
			request, err := h.turnRequest(c, input)
			if err != nil {
				return nil, api.ForCaller(ctx, log, err)
			}
			return &huma.StreamResponse{Body: func(huma.Context) {
				r, w := humago.Unwrap(c.humaContext)
				h.sendTurn(w, r, request, isSDK, log)
			}}, nil
		})
	}
}

func (h *handlers) sendTurn(
	w http.ResponseWriter, r *http.Request, request play.TurnRequest, isSDK bool, log *slog.Logger,
) {
	h.sendEvents(w, r, log, func(ctx context.Context, to listener) (lastEvent, error) {
		request.Wait, request.Emit = to.wait, to.emit
		request.Begin = func(reply play.Reply) error {
			metadata, _ := replyEvents(&reply, isSDK)
			return to.begin(metadata, reply.Replayed)
		}
		reply, err := h.playTurn(ctx, request)
		_, complete := replyEvents(&reply, isSDK)
		return lastEvent{complete, reply.Tokens, reply.Replayed}, err
	})
}

func (h *handlers) sendOpening(w http.ResponseWriter, r *http.Request, request play.OpenRequest, log *slog.Logger) {
	h.sendEvents(w, r, log, func(ctx context.Context, to listener) (lastEvent, error) {
		request.Wait, request.Emit = to.wait, to.emit
		request.Begin = func(o play.Opening) error { return to.begin(wire.OpeningMetadata{Opening: o.Opening}, o.Replayed) }
		o, err := h.play.Open(ctx, request)
		return lastEvent{o.Opening, o.Tokens, o.Replayed}, err
	})
}

type listener struct {
	wait  func()
	begin func(metadata any, replayed bool) error
	emit  func(delta string) error
}

type lastEvent struct {
	complete any
	tokens   wire.Tokens
	replayed bool
}

func (h *handlers) sendEvents(
	w http.ResponseWriter, r *http.Request, log *slog.Logger, answer func(context.Context, listener) (lastEvent, error),
) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	events := &eventWriter{w: w, control: http.NewResponseController(w), timeout: eventTimeout}
	ended := make(chan struct{})
	var beats sync.WaitGroup
	startBeats := sync.OnceFunc(func() { beats.Go(func() { events.beatUntil(ended, halfClosed(ctx), h.after, cancel) }) })
	stopBeats := sync.OnceFunc(func() { close(ended); beats.Wait() })
	defer stopBeats() // even after a panic, because the handler must not write after its return
	ctx = wire.WithWaitNotice(ctx, func(n wire.WaitNotice) {
		events.writeHead(false)
		_ = events.writeText([]byte(": " + wire.CommentWaiting + n.Encode() + "\n")) // beatUntil detects a closed connection.
	})
	last, err := answer(ctx, listener{
		wait: startBeats,
		begin: func(metadata any, replayed bool) error {
			events.writeHead(replayed)
			return events.sendEvent(wire.EventMetadata, metadata)
		},
		emit: func(delta string) error { return events.sendEvent(wire.EventTextDelta, wire.TextDelta{Text: delta}) },
	})
	stopBeats()
	switch {
	case err == nil:
		_ = events.sendEvent(wire.EventDone, last.complete) // A disconnected caller can request the stored response again.
		events.writeTrailers(last)
	case events.begun:
		_ = events.sendEvent(wire.EventError, api.ForCaller(ctx, log, err).EventBody(ctx))
	default:
		api.Write(w, r, api.ForCaller(ctx, log, err))
	}
}

type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration

	mu       sync.Mutex
	begun    bool
	replayed bool // in the head
}

func (e *eventWriter) writeHead(replayed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun {
		return
	}
	e.begun, e.replayed = true, replayed
	h := e.w.Header()
	h.Set("Content-Type", api.ContentEvents)
	h.Set("X-Accel-Buffering", "no") // for proxies
	if replayed {
		h.Set(api.HeaderReplayed, "true")
	}
	e.w.WriteHeader(http.StatusOK)
}

func (e *eventWriter) writeTrailers(last lastEvent) {
	h := e.w.Header()
	if last.tokens != (wire.Tokens{}) {
		h.Set(http.TrailerPrefix+wire.HeaderLLMTokensIn, strconv.Itoa(last.tokens.In))
		h.Set(http.TrailerPrefix+wire.HeaderLLMTokensOut, strconv.Itoa(last.tokens.Out))
	}
	if last.replayed && !e.replayed {
		h.Set(http.TrailerPrefix+api.HeaderReplayed, "true")
	}
}

func (e *eventWriter) sendEvent(name string, data any) error {
	return e.writeText(fmt.Appendf(nil, "event: %s\ndata: %s\n", name, api.EncodeJSON(data)))
}

func (e *eventWriter) writeText(text []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.control.SetWriteDeadline(time.Now().Add(e.timeout)); err != nil {
		return err
	}
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}

// The head of a stream is sent with the first event, or after headDelay. Before the head, the
// response can still be an ordinary error. Comments then keep the connection through proxies open.
const (
	headDelay       = 500 * time.Millisecond
	commentInterval = 10 * time.Second
	closedInterval  = time.Second // after the caller has closed its sending side
)

func (e *eventWriter) beatUntil(
	ended, halfClosed <-chan struct{}, after func(time.Duration) <-chan time.Time, giveUp func(),
) {
	interval, next := commentInterval, after(headDelay)
	for {
		select {
		case <-ended:
			return
		case <-halfClosed:
			halfClosed, interval = nil, closedInterval
		case <-next:
			e.writeHead(false)
			if e.writeText([]byte(": waiting\n")) != nil {
				giveUp()
				return
			}
		}
		next = after(interval)
	}
}

// withWaitNotices sends each wait notice as an interim status 102. A request header must enable the
// notices, because some HTTP libraries take any 1xx for the final response.
func withWaitNotices(ctx context.Context, c *call) context.Context {
	r, w := humago.Unwrap(c.humaContext)
	if r.Header.Get(wire.HeaderTellWaits) != "1" || !r.ProtoAtLeast(1, 1) {
		return ctx
	}
	return wire.WithWaitNotice(ctx, func(n wire.WaitNotice) {
		w.Header().Set(wire.HeaderWaitNotice, n.Encode())
		w.WriteHeader(http.StatusProcessing)
		w.Header().Del(wire.HeaderWaitNotice)
	})
}
