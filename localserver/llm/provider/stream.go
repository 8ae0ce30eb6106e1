package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// maxLine is the maximum length of a line and of an event of a stream, in bytes.
	maxLine       = 1 << 20
	byteOrderMark = "\uFEFF"
)

func newLongLine() *failure {
	return &failure{kind: Down, problem: fmt.Sprintf("an event of the answer is longer than %d bytes", maxLine)}
}

// bodyKind is the actual form of a response body. It may differ from the requested form, because
// some servers and proxies always stream, and others never do.
type bodyKind int

const (
	unknownBody bodyKind = iota
	wholeBody
	streamedBody
)

var fieldStarts = []string{"data:", "event:", "id:", "retry:", ":"}

func sniffBody(in *bufio.Reader, framing streamKind) bodyKind {
	start := peekStart(in)
	switch {
	case strings.HasPrefix(start, "["):
		return wholeBody
	case framing == jsonLines && strings.HasPrefix(start, "{"):
		// An event is a single line. If the JSON continues on the next line, it is a whole body.
		if strings.TrimLeft(start[1:], "\r\n") != start[1:] {
			return wholeBody
		}
		return streamedBody
	case strings.HasPrefix(start, "{"):
		return wholeBody
	}
	for _, field := range fieldStarts {
		if framing == serverSent && strings.HasPrefix(start, field) {
			return streamedBody
		}
	}
	return unknownBody
}

func peekStart(in *bufio.Reader) string {
	for n := 1; n <= 256; n++ {
		seen, err := in.Peek(n)
		start := strings.TrimLeft(string(bytes.TrimPrefix(seen, []byte("\uFEFF"))), " \t\r\n\uFEFF")
		switch {
		case err != nil, len(start) >= len("event:"):
			return start
		case strings.HasPrefix(start, "{") && len(start) > 1, strings.HasPrefix(start, "["), strings.HasPrefix(start, ":"):
			return start
		}
	}
	return ""
}

func (a *asker) readStream(ctx context.Context, answer io.Reader, out *answerText) error {
	events := newEventReader(answer, a.client.options.Limits.Body, a.format.framing == jsonLines)
	for !out.over {
		data, err := events.nextEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if f, ok := errors.AsType[*failure](err); ok {
			return f
		}
		if err != nil {
			return a.classifyError(ctx, err)
		}
		err = a.format.readEvent(data, out)
		if err == nil && events.name == "error" {
			err = readMidStream(data)
		}
		if err != nil {
			if f := failureOf(err); events.torn && f.providerText == "" {
				return newCutOff(err)
			}
			return err
		}
	}
	return out.endAnswer()
}

// drainAnswer reads the data after the end mark, so that the connection can be reused. If the body
// does not end within the time limit, it cancels the call.
func drainAnswer(answer io.Reader, limit time.Duration, cancel func()) {
	timer := time.AfterFunc(limit, cancel)
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer, maxRefusal))
}

type eventReader struct {
	in         *bufio.Reader
	most, left int // bytes
	// lines means that each line is an event, without the framing of server-sent events.
	lines bool
	name  string
	// pending is the first data line of the next event, or nil.
	pending []byte
	torn    bool
	// afterCR means that the last line ended in CR. An LF that follows does not end another line.
	afterCR bool
}

func newEventReader(in io.Reader, most int, lines bool) *eventReader {
	e := &eventReader{in: bufio.NewReader(in), most: most, left: most, lines: lines}
	if start, _ := e.in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		e.discard(len(byteOrderMark))
	}
	return e
}

// nextEvent returns the data of the next event. It skips comments, ids and keep-alive events. A
// keep-alive event is named ping, or has a comment and no data.
func (e *eventReader) nextEvent() ([]byte, error) {
	for {
		data, err := e.readEvent()
		text := bytes.TrimSpace(data)
		isKeepAlive := !e.lines && (len(text) == 0 || text[0] == ':' || e.name == "ping")
		if err != nil || !isKeepAlive {
			return data, err
		}
	}
}

func (e *eventReader) readEvent() ([]byte, error) {
	if e.lines {
		return e.nextFullLine()
	}
	data, count := e.pending, 0
	if data != nil {
		e.pending, count = nil, 1
	} else {
		e.name = ""
	}
	for {
		line, err := e.nextLine()
		switch {
		case errors.Is(err, io.EOF) && count > 0:
			return data, nil
		case err != nil:
			return nil, err
		case len(line) == 0 && count > 0:
			return data, nil
		case len(line) == 0:
			e.name = ""
		}
		if name, ok := bytes.CutPrefix(line, []byte("event:")); ok {
			e.name = string(bytes.TrimSpace(name))
		}
		text, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		text = bytes.TrimPrefix(text, []byte(" "))
		if count == 1 && startsEvent(text) && json.Valid(data) {
			// This server sends no empty line between its events.
			e.pending = bytes.Clone(text)
			return data, nil
		}
		if count++; count > 1 {
			data = append(data, '\n')
		}
		if data = append(data, text...); len(data) > maxLine {
			return nil, newLongLine()
		}
	}
}

func (e *eventReader) nextFullLine() ([]byte, error) {
	for {
		line, err := e.nextLine()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

func startsEvent(text []byte) bool {
	return bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[DONE]"))
}

// nextLine returns the next line without LF, CR or CRLF. It never waits for the byte after a CR.
func (e *eventReader) nextLine() ([]byte, error) {
	var line []byte
	for {
		if _, err := e.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				e.torn = true
				return line, nil
			}
			return nil, err
		}
		part, ended := e.takePart()
		line = append(line, part...)
		switch {
		case e.left < 0:
			return nil, newTooMuch(e.most)
		case len(line) >= maxLine:
			return nil, newLongLine()
		case ended:
			return line, nil
		}
	}
}

func (e *eventReader) takePart() (part []byte, ended bool) {
	come, _ := e.in.Peek(e.in.Buffered())
	if e.afterCR {
		e.afterCR = false
		if come[0] == '\n' {
			e.discard(1)
			come = come[1:]
		}
	}
	end := bytes.IndexAny(come, "\r\n")
	if end < 0 {
		e.discard(len(come))
		return come, false
	}
	e.afterCR = come[end] == '\r'
	e.discard(end + 1)
	return come[:end], true
}

func (e *eventReader) discard(n int) {
	e.left -= n
	_, _ = e.in.Discard(n)
}
