package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

type event struct {
	name string
	data []byte
}

const maxEvent = 1 << 20

var errEventTooLong = errors.New("an event is too long")

// eventReader reads server-sent events as the HTML standard requires. It ignores unknown fields. It
// drops the last event if no empty line follows it.
type eventReader struct {
	in   *bufio.Reader
	line []byte
	// afterCR means that the previous byte was a CR. If the next byte is a LF, the reader skips it,
	// because CR LF is one line end. The reader returns the line before it has read the LF, which
	// may arrive much later.
	afterCR   bool
	size      int // bytes of the event that were read so far
	onComment func(text string)
}

func newEventReader(in io.Reader) *eventReader {
	r := &eventReader{in: bufio.NewReader(in)}
	if start, _ := r.in.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		_, _ = r.in.Discard(3)
	}
	return r
}

func (r *eventReader) nextEvent() (event, error) {
	var e event
	var data []byte
	r.size = 0
	for {
		line, err := r.readLine()
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			if data == nil {
				e, r.size = event{}, 0
				continue
			}
			e.data = data[:len(data)-1]
			return e, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.name = string(value)
		case "data":
			data = append(append(data, value...), '\n')
		case "":
			if r.onComment != nil {
				r.onComment(string(value))
			}
		}
	}
}

// readLine returns the next line without its line end. The slice is valid until the next call.
func (r *eventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return nil, err
		}
		follows := r.afterCR && b == '\n'
		r.afterCR = b == '\r'
		switch {
		case follows:
		case b == '\n' || b == '\r':
			return r.line, nil
		default:
			if r.size++; r.size > maxEvent {
				return nil, errEventTooLong
			}
			r.line = append(r.line, b)
		}
	}
}
