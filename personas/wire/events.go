package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxEvent is the maximum size in bytes of a line and of an event's data.
const MaxEvent = 1 << 20

// ErrEventTooLong means that an event or a line exceeds MaxEvent.
var ErrEventTooLong = errors.New("an event is too long")

// Event is a server-sent event.
type Event struct {
	Name string
	Data []byte
}

// EventReader reads server-sent events. It skips unknown fields and events without data.
type EventReader struct {
	lines *bufio.Scanner
	// OnComment, if not nil, is called with the text of each comment.
	OnComment func(text string)
}

// NewEventReader returns a reader of server-sent events.
func NewEventReader(r io.Reader) *EventReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxEvent+2)
	afterCR := false
	// A line ends with LF, CR or CRLF. A CR ends the line at once, because the next byte may arrive
	// much later.
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		start := 0
		if afterCR && bytes.HasPrefix(data, []byte("\n")) {
			start = 1
		}
		rest := data[start:]
		if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
			afterCR = rest[end] == '\r'
			return start + end + 1, rest[:end], nil
		}
		if atEOF && len(rest) > 0 {
			return len(data), rest, nil
		}
		afterCR = afterCR && start == 0
		return start, nil, nil
	})
	return &EventReader{lines: lines}
}

// Next returns the next event, or io.EOF at the end of the stream. If the stream ends within an
// event, Next returns the event and io.ErrUnexpectedEOF.
func (r *EventReader) Next() (Event, error) {
	var event Event
	for r.lines.Scan() {
		line := bytes.TrimPrefix(r.lines.Bytes(), []byte("\ufeff"))
		if len(line) == 0 {
			if len(event.Data) > 0 {
				return event, nil
			}
			event = Event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			event.Name = string(value)
		case "data":
			if len(event.Data) > 0 {
				event.Data = append(event.Data, '\n')
			}
			if event.Data = append(event.Data, value...); len(event.Data) > MaxEvent {
				return Event{}, ErrEventTooLong
			}
		case "":
			if r.OnComment != nil {
				r.OnComment(string(value))
			}
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Event{}, ErrEventTooLong
	case err != nil:
		return Event{}, err
	case len(event.Data) > 0:
		return event, io.ErrUnexpectedEOF
	}
	return Event{}, io.EOF
}
