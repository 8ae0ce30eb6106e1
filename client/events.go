package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// event is one server-sent event.
type event struct {
	name string
	data []byte
}

// maxEvent is the longest event that is read, in bytes; a reply is far shorter.
const maxEvent = 1 << 20

// errEventTooLong is an event over maxEvent.
var errEventTooLong = errors.New("an event is too long")

// eventReader reads server-sent events as in the HTML standard: lines end with LF, CRLF or CR,
// several data lines form one text, comments and unknown fields are ignored, and an event without a
// closing empty line is dropped.
type eventReader struct {
	in   *bufio.Reader
	line []byte
	// afterCR means that an LF now belongs to the line end before it. It is not
	// waited for: it may come much later.
	afterCR bool
	size    int // of the event so far
	// onComment is called with each comment, unless it is nil.
	onComment func(text string)
}

func newEventReader(in io.Reader) *eventReader {
	r := &eventReader{in: bufio.NewReader(in)}
	if start, _ := r.in.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		_, _ = r.in.Discard(3)
	}
	return r
}

// nextEvent returns the next event that has data. At the end of the stream the error
// is io.EOF, even inside an event.
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
		switch field, value := cutField(line); field {
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

// cutField cuts a line at its colon, and one space behind it.
func cutField(line []byte) (field string, value []byte) {
	before, value, _ := bytes.Cut(line, []byte(":"))
	return string(before), bytes.TrimPrefix(value, []byte(" "))
}

// readLine returns the next line without its end; it is valid until the next call.
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
