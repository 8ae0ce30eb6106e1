//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// doors is a persona with two machines; the good ending of the first moves the player straight on
// to the second, and opens a third.
const doors = `
name: Doors
description: One door behind another.
persona_identity_prompt: You open doors.
machines:
  - machine_key: first
    name: The first door
    is_entry_machine: true
    pass_threshold: 1
    states:
      - {state_key: shut, label: Shut, is_initial_state: true}
      - {state_key: ajar, label: Ajar, is_terminal_state: true}
    transitions:
      - {from_state_key: shut, to_state_key: ajar, decision_type: pass, score_delta: 1, condition: opens it}
  - machine_key: second
    name: The second door
    scoring_mode: pass_fail
    states:
      - {state_key: far, label: Far away, is_initial_state: true}
      - {state_key: near, label: Near, is_terminal_state: true}
    transitions:
      - {from_state_key: far, to_state_key: near, decision_type: pass, condition: goes there}
  - machine_key: cupboard
    name: The cupboard
    scoring_mode: pass_fail
    states:
      - {state_key: dark, label: Dark, is_initial_state: true}
      - {state_key: light, label: Light, is_terminal_state: true}
    transitions:
      - {from_state_key: dark, to_state_key: light, decision_type: pass, condition: finds a lamp}
machine_links:
  - {source_machine_key: first, target_machine_key: second, condition_type: outcome, condition_value: ACCEPT, is_auto_advance: true}
  - {source_machine_key: first, target_machine_key: cupboard, condition_type: always}
`

// thin is a proxy to a stage that breaks at the end of a streamed reply: the server is killed then,
// after it has stored the turn and before the player has its answer. Nothing listens at address
// until the next server starts.
type thin struct {
	address string
	broken  chan struct{}
}

func newThin(t *testing.T, s *serverFixture) *thin {
	t.Helper()
	target := assert.Value(url.Parse(s.Address))(t)
	way := &thin{broken: make(chan struct{})}
	through := cmdtest.NewProxyTo(target)
	through.FlushInterval = -1
	through.ErrorLog = log.New(io.Discard, "", 0) // It would tell of the break.
	address := assert.Value(cmdtest.FreeAddress())(t)
	listener := assert.Value(net.Listen("tcp", address))(t)
	way.address = listener.Addr().String()
	outside := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = target.Host
		through.ServeHTTP(w, r)
	})}}
	through.ModifyResponse = func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/stream") {
			r.Body = &cutShort{ReadCloser: r.Body, cut: func() {
				s.Kill()
				_ = listener.Close()
				go func() { // Closing waits for what is under way, which is this.
					outside.CloseClientConnections()
					outside.Close()
					close(way.broken)
				}()
			}}
		}
		return nil
	}
	outside.Start()
	return way
}

// cutShort is a stream of events that breaks before the last one.
type cutShort struct {
	io.ReadCloser
	cut func()
}

func (c *cutShort) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if i := bytes.Index(p[:n], []byte("event: done")); i >= 0 {
		c.cut()
		return i, io.ErrUnexpectedEOF
	}
	return n, err
}

// TestEndingWhoseAnswerWasLost: an ending stored before the server was killed appears after a countdown, once.
func TestEndingWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	stage := newServerFixtureOf(t, doors, narrator(nil), "--llm", "offline")
	way := newThin(t, stage)
	behind := *stage
	behind.Server = &cmdtest.Server{Address: "http://" + way.address}
	at := newTerminalPlayer(t, &behind)
	at.resize(90, 40)
	cmdtest.WaitForText(t, at.screen, "Say something")
	at.types("please open [[pass]]\r", "not sent yet, again in", "nothing answers at http://127.0.0.1:", "waits: please open [[pass]]")
	select {
	case <-way.broken:
	case <-time.After(cmdtest.Patience):
		t.Fatal("the way to the server never closes")
	}
	stage.open(way.address)
	at.types("", "your previous message did arrive")
	cmdtest.WaitForTexts(t, at.screen, "please open", "→ Ajar  +1  (1 of 1)", "You made it", "This opens The second door and The cupboard.", "What now?", "› 1 Go on to The second door", "2 Go on to The cupboard")
	at.types("\r", "── The second door ──", "Say something")
	assert.EqualSlices(t, stage.saidIn(at.user(&behind), "first"), []string{"please open [[pass]]"}, "the server has kept")
	at.types("\x04")
	at.leaves(0)
}

// saidIn returns the player's messages that the server has stored for a machine.
func (s *serverFixture) saidIn(user, machine string) []string {
	s.t.Helper()
	h := assert.Value(cmdtest.NewClient(s.t, s.Address, "").History(s.t.Context(), s.persona, user, machine))(s.t)
	var said []string
	for _, m := range h.Messages {
		if m.Role == wire.RoleUser {
			said = append(said, m.Content)
		}
	}
	return said
}
