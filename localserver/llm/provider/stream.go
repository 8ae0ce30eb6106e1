package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

func startsEvents(body *bufio.Reader) bool {
	for n := 1; ; n++ {
		seen, err := body.Peek(n)
		if start := bytes.TrimLeft(seen, " \t\r\n\ufeff"); len(start) > 0 || err != nil {
			return len(start) > 0 && strings.ContainsRune(":deir", rune(start[0]))
		}
	}
}

func (f wireFormat) eventsIn(body io.Reader) func() (wire.Event, error) {
	if f.framing == serverSent {
		return wire.NewEventReader(body).Next
	}
	values := json.NewDecoder(body)
	return func() (wire.Event, error) {
		var value json.RawMessage
		err := values.Decode(&value)
		return wire.Event{Data: value}, err
	}
}

func (a *asker) readStream(ctx context.Context, answer io.Reader, out *answerText) error {
	next := a.format.eventsIn(answer)
	for !out.complete {
		event, err := next()
		isTorn := errors.Is(err, io.ErrUnexpectedEOF) && len(event.Data) > 0
		_, isGarbled := errors.AsType[*json.SyntaxError](err)
		switch {
		case errors.Is(err, io.EOF):
			return out.endAnswer()
		case isGarbled:
			return newUnreadable(err)
		case errors.Is(err, wire.ErrEventTooLong):
			return newTooMuch(wire.MaxEvent)
		case err != nil && !isTorn:
			return a.classifyError(ctx, err)
		case event.Name == "ping" || event.Data[0] == ':':
			continue
		}
		values := [][]byte{event.Data}
		if !json.Valid(event.Data) { // Some servers send no empty lines between their events.
			values = bytes.Split(event.Data, []byte("\n"))
		}
		err = nil
		for i := 0; i < len(values) && err == nil && !out.complete; i++ {
			err = a.format.readEvent(values[i], out)
		}
		if err == nil && event.Name == "error" {
			err = readMidStream(event.Data)
		}
		switch failed := failureOf(err); {
		case err != nil && isTorn && failed.providerText == "":
			return newCutOff(err)
		case err != nil:
			return err
		}
	}
	return out.endAnswer()
}

// A connection can be reused only after the end of the body.
func drainAnswer(answer io.Reader, limit time.Duration, cancel func()) {
	timer := time.AfterFunc(limit, cancel)
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer, maxRefusal))
}
