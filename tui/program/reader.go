package program

import (
	"errors"
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/cancelreader"

	"github.com/parley-npc/parley/tui/terminal"
)

const (
	readSize        = 4096
	maxPendingReads = 64
	stopTimeout     = 500 * time.Millisecond
)

// Reader reads a terminal and sends the decoded messages. A Reader must be stopped while another
// program reads the terminal.
type Reader struct {
	input  io.Reader
	send   func(tea.Msg)
	fail   func(error)
	crash  *terminal.CrashGuard
	chunks chan []byte
	closed chan struct{}

	cancel cancelreader.CancelReader // nil if stopped
	ended  chan struct{}
}

// NewReader returns a stopped Reader. fail receives read errors except io.EOF.
func NewReader(
	input io.Reader, decoder *Decoder, send func(tea.Msg), fail func(error), crash *terminal.CrashGuard,
) *Reader {
	r := &Reader{
		input: input, send: send, fail: fail, crash: crash,
		chunks: make(chan []byte, maxPendingReads), closed: make(chan struct{}),
	}
	go r.decode(decoder)
	return r
}

// Start starts reading.
func (r *Reader) Start() error {
	reader, err := cancelreader.NewReader(r.input)
	if err != nil {
		return fmt.Errorf("reading the terminal: %w", err)
	}
	r.cancel, r.ended = reader, make(chan struct{})
	go r.read(reader, r.ended)
	return nil
}

// Stop stops reading. Input from earlier reads is still sent.
func (r *Reader) Stop() {
	if r.cancel == nil {
		return
	}
	if r.cancel.Cancel() {
		select {
		case <-r.ended:
		case <-time.After(stopTimeout):
		}
	}
	_ = r.cancel.Close()
	r.cancel = nil
}

// Close stops the reader permanently.
func (r *Reader) Close() {
	r.Stop()
	close(r.closed)
}

func (r *Reader) read(from io.Reader, ended chan struct{}) {
	defer r.crash.CatchPanic()
	defer close(ended)
	for {
		chunk := make([]byte, readSize)
		n, err := from.Read(chunk)
		if n > 0 {
			select {
			case r.chunks <- chunk[:n]:
			case <-r.closed:
				return
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, cancelreader.ErrCanceled):
			return
		default:
			r.fail(fmt.Errorf("reading the terminal: %w", err))
			return
		}
	}
}

func (r *Reader) decode(decoder *Decoder) {
	defer r.crash.CatchPanic()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Stop()
		if wait := decoder.Wait(); wait > 0 {
			timer.Reset(wait)
		}
		select {
		case chunk := <-r.chunks:
			r.sendAll(decoder.Feed(chunk))
		case <-timer.C:
			select {
			case chunk := <-r.chunks: // arrived while the screen was busy
				r.sendAll(decoder.Feed(chunk))
			default:
				r.sendAll(decoder.Expire())
			}
		case <-r.closed:
			return
		}
	}
}

func (r *Reader) sendAll(msgs []tea.Msg) {
	for _, msg := range msgs {
		r.send(msg)
	}
}
