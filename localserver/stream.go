package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// eventTimeout is how long a caller may take to receive one event. It stands in
// for the limit of a whole answer, so that a slow model never meets a limit and a
// reader that is stuck does (docs/decisions/localserver.md, stream-time).
const eventTimeout = 30 * time.Second

// replies are how one side writes a reply.
type replies struct {
	whole    func(*play.Reply) any
	metadata func(*play.Reply) any
}

var webReplies = replies{
	whole:    func(r *play.Reply) any { return reply(r) },
	metadata: func(r *play.Reply) any { return wire.ReplyMetadata{Reply: reply(r)} },
}

var sdkReplies = replies{
	whole:    func(r *play.Reply) any { return sdkReply(r) },
	metadata: func(r *play.Reply) any { return wire.SDKReplyMetadata{SDKReply: sdkReply(r)} },
}

// stream binds a turn whose reply is sent as it comes.
func stream(as replies) binder {
	return func(s *service, api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *messageInput) (*huma.StreamResponse, error) {
			c := callOf(ctx)
			request, err := s.turnRequest(c, in)
			if err != nil {
				return nil, s.fail(ctx, err)
			}
			return &huma.StreamResponse{Body: func(huma.Context) {
				r, w := humago.Unwrap(c.humaContext)
				s.sendTurn(w, r, request, as)
			}}, nil
		})
	}
}

// sendTurn plays a turn and sends the reply as events. What fails before the
// first of them is an ordinary answer; after it, an event says so, and nothing of
// the turn was kept. The last event comes when the turn is kept.
func (s *service) sendTurn(w http.ResponseWriter, r *http.Request, request play.TurnRequest, as replies) {
	e := &events{w: w, control: http.NewResponseController(w), timeout: eventTimeout}
	request.Begin = func(reply play.Reply) error {
		e.begin(reply.Replayed)
		return e.send(wire.EventMetadata, as.metadata(&reply))
	}
	request.Emit = func(delta string) error {
		return e.send(wire.EventTextDelta, wire.TextDelta{Text: delta})
	}
	reply, err := s.playTurn(r.Context(), request)
	switch {
	case err == nil:
		_ = e.send(wire.EventDone, as.whole(&reply)) // The turn is kept; a caller who has gone can ask again.
		e.priced(reply.Tokens)
	case e.begun:
		_ = e.send(wire.EventError, s.fail(r.Context(), err).sdkBody(r.Context()))
	default:
		writeFailure(w, r, s.fail(r.Context(), err))
	}
}

// events writes server-sent events.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	begun   bool
}

// begin writes the head of the answer. X-Accel-Buffering asks proxies in front
// of the server to pass events on as they come.
func (e *events) begin(replayed bool) {
	e.begun = true
	h := e.w.Header()
	h.Set("Content-Type", contentEvents)
	h.Set("X-Accel-Buffering", "no")
	if replayed {
		h.Set(headerReplayed, "true")
	}
	e.w.WriteHeader(http.StatusOK)
}

// priced says behind the last event what the reply cost, in trailers.
func (e *events) priced(tokens play.Tokens) {
	if tokens != (play.Tokens{}) {
		h := e.w.Header()
		h.Set(http.TrailerPrefix+wire.HeaderLLMTokensIn, strconv.Itoa(tokens.In))
		h.Set(http.TrailerPrefix+wire.HeaderLLMTokensOut, strconv.Itoa(tokens.Out))
	}
}

// send writes one event: its name, its data as one line of JSON, an empty line.
func (e *events) send(name string, data any) error {
	var b bytes.Buffer
	b.WriteString("event: " + name + "\ndata: ")
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return err
	}
	b.WriteByte('\n')
	if err := e.control.SetWriteDeadline(time.Now().Add(e.timeout)); err != nil {
		return err
	}
	if _, err := e.w.Write(b.Bytes()); err != nil {
		return err
	}
	return e.control.Flush()
}
