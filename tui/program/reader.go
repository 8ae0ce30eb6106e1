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

// readSize is the maximum size of a read in bytes. maxReads is the maximum number of reads that
// wait to be decoded. stopWait is how long Stop waits for the end of a read.
const (
	readSize = 4096
	maxReads = 64
	stopWait = 500 * time.Millisecond
)

// Reader reads a terminal and sends the decoded messages. It must be stopped while another program
// uses the terminal. Otherwise it would consume the input of that program.
type Reader struct {
	in     io.Reader
	send   func(tea.Msg)
	fail   func(error)
	crash  *terminal.CrashGuard
	chunks chan []byte
	over   chan struct{} // closed by Close

	cancel cancelreader.CancelReader // nil while the reader is stopped
	ended  chan struct{}             // closed when the reading goroutine has ended
}

// NewReader returns a stopped reader of the given input. The reader sends the decoder's messages.
// It calls fail if reading fails, but not at the end of the input.
func NewReader(in io.Reader, decoder *Decoder, send func(tea.Msg), fail func(error), crash *terminal.CrashGuard) *Reader {
	r := &Reader{in: in, send: send, fail: fail, crash: crash, chunks: make(chan []byte, maxReads), over: make(chan struct{})}
	go r.decode(decoder)
	return r
}

// Start starts reading.
func (r *Reader) Start() error {
	reader, err := cancelreader.NewReader(r.in)
	if err != nil {
		return fmt.Errorf("reading the terminal: %w", err)
	}
	r.cancel, r.ended = reader, make(chan struct{})
	go r.read(reader, r.ended)
	return nil
}

// Stop stops reading. Messages for input that was already read are still sent.
func (r *Reader) Stop() {
	if r.cancel == nil {
		return
	}
	if r.cancel.Cancel() {
		select {
		case <-r.ended:
		case <-time.After(stopWait):
		}
	}
	_ = r.cancel.Close()
	r.cancel = nil
}

// Close stops the reader permanently.
func (r *Reader) Close() {
	r.Stop()
	close(r.over)
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
			case <-r.over:
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
			case chunk := <-r.chunks: // Input has arrived while the screen was busy.
				r.sendAll(decoder.Feed(chunk))
			default:
				r.sendAll(decoder.Expire())
			}
		case <-r.over:
			return
		}
	}
}

func (r *Reader) sendAll(msgs []tea.Msg) {
	for _, msg := range msgs {
		r.send(msg)
	}
}
