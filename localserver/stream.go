package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// eventTimeout is the time limit for a caller to receive one event. It replaces the limit for a
// whole answer, so that it applies to stuck readers and not to slow models.
const eventTimeout = 30 * time.Second

// replyShape is how one side writes a reply.
type replyShape struct {
	whole    func(*play.Reply) any
	metadata func(*play.Reply) any
}

var webReply = replyShape{
	whole:    func(r *play.Reply) any { return r.Reply },
	metadata: func(r *play.Reply) any { return wire.ReplyMetadata{Reply: r.Reply} },
}

var sdkReply = replyShape{
	whole:    func(r *play.Reply) any { return r.SDKReply },
	metadata: func(r *play.Reply) any { return wire.SDKReplyMetadata{SDKReply: r.SDKReply} },
}

// streamReply registers a turn with a reply that is streamed.
func (h sessionHandlers) streamReply(as replyShape) registration {
	return func(routes huma.API, op huma.Operation, log *slog.Logger) {
		huma.Register(routes, op, func(ctx context.Context, in *messageInput) (*huma.StreamResponse, error) {
			c := callOf(ctx)
			request, err := h.turnRequest(c, in)
			if err != nil {
				return nil, api.ForCaller(ctx, log, err)
			}
			return &huma.StreamResponse{Body: func(huma.Context) {
				r, w := humago.Unwrap(c.humaContext)
				h.sendTurn(w, r, request, as, log)
			}}, nil
		})
	}
}

// sendTurn plays a turn and sends the reply as events.
func (h sessionHandlers) sendTurn(w http.ResponseWriter, r *http.Request, request play.TurnRequest, as replyShape, log *slog.Logger) {
	h.sendEvents(w, r, log, func(ctx context.Context, to listener) (lastEvent, error) {
		request.Wait, request.Emit = to.wait, to.emit
		request.Begin = func(reply play.Reply) error { return to.begin(as.metadata(&reply), reply.Replayed) }
		reply, err := h.playTurn(ctx, request)
		return lastEvent{as.whole(&reply), reply.Tokens, reply.Replayed}, err
	})
}

// sendOpening opens a session and sends the opening line as events.
func (h sessionHandlers) sendOpening(w http.ResponseWriter, r *http.Request, request play.OpenRequest, log *slog.Logger) {
	h.sendEvents(w, r, log, func(ctx context.Context, to listener) (lastEvent, error) {
		request.Wait, request.Emit = to.wait, to.emit
		request.Begin = func(o play.Opening) error { return to.begin(wire.OpeningMetadata{Opening: o.Opening}, o.Replayed) }
		o, err := h.play.Open(ctx, request)
		return lastEvent{o.Opening, o.Tokens, o.Replayed}, err
	})
}

// listener receives the progress of an answer: that it waits, the part known before its text, and
// each piece of the text.
type listener struct {
	wait  func()
	begin func(metadata any, replayed bool) error
	emit  func(delta string) error
}

// lastEvent is the whole answer, its cost, and whether it is a stored one.
type lastEvent struct {
	whole    any
	tokens   wire.Tokens
	replayed bool
}

// sendEvents produces an answer and sends it as events. A failure before the head is an ordinary
// answer; a later one is an event, and nothing is stored. The last event comes when everything is
// stored.
func (h sessionHandlers) sendEvents(w http.ResponseWriter, r *http.Request, log *slog.Logger, answer func(context.Context, listener) (lastEvent, error)) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	e := &eventWriter{w: w, control: http.NewResponseController(w), timeout: eventTimeout}
	beats := heartbeat{events: e, after: h.after, halfClosed: api.HalfClosed(ctx), giveUp: cancel}
	defer beats.stopBeats() // also if a model panics: later writes would go to a finished request
	ctx = llm.WithWaitNotice(ctx, func(n llm.WaitNotice) {
		e.writeHead(false)
		_ = e.writeText([]byte(": " + wire.CommentWaiting + waitNotice(n).Encode() + "\n")) // The beats detect a caller who has gone.
	})
	last, err := answer(ctx, listener{
		wait: beats.startBeats,
		begin: func(metadata any, replayed bool) error {
			e.writeHead(replayed)
			return e.sendEvent(wire.EventMetadata, metadata)
		},
		emit: func(delta string) error { return e.sendEvent(wire.EventTextDelta, wire.TextDelta{Text: delta}) },
	})
	beats.stopBeats()
	switch {
	case err == nil:
		_ = e.sendEvent(wire.EventDone, last.whole) // It is kept; a caller who has gone can ask again.
		e.writeTrailers(last)
	case e.begun:
		_ = e.sendEvent(wire.EventError, api.ForCaller(ctx, log, err).EventBody(ctx))
	default:
		api.Write(w, r, api.ForCaller(ctx, log, err))
	}
}

// eventWriter writes server-sent events. It is safe for concurrent use.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration

	mu       sync.Mutex
	begun    bool
	replayed bool // as the head says
}

// writeHead writes the head of the answer, unless it is written. X-Accel-Buffering asks
// proxies in front of the server to pass events on as they come.
func (e *eventWriter) writeHead(replayed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun {
		return
	}
	e.begun, e.replayed = true, replayed
	h := e.w.Header()
	h.Set("Content-Type", api.ContentEvents)
	h.Set("X-Accel-Buffering", "no")
	if replayed {
		h.Set(api.HeaderReplayed, "true")
	}
	e.w.WriteHeader(http.StatusOK)
}

// writeTrailers reports after the last event the cost of the answer, and whether it is a stored
// one, if the head was sent too early for that.
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

// sendEvent writes one event: its name, its data as one line of JSON, an empty line.
func (e *eventWriter) sendEvent(name string, data any) error {
	var b bytes.Buffer
	b.WriteString("event: " + name + "\ndata: ")
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return err
	}
	b.WriteByte('\n')
	return e.writeText(b.Bytes())
}

// sendComment writes a line that readers of events pass over: it shows that the server is
// there, and finds out whether the caller is.
func (e *eventWriter) sendComment() error { return e.writeText([]byte(": waiting\n")) }

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
