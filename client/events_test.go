package client

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parley-npc/parley/personas/assert"
)

// FuzzEvents: any bytes give the same events for any pieces and line ends, none longer than the limit.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"event: a\ndata: 1\n\n", "data: 1\r\ndata: 2\r\n\r\n", "data\rdata:\r\r", ":c\n\nid: 1\n\n", "\ufeffdata: x\n\n", "event: e\n\ndata: x", "data:\n\n", "\r\n\n\r",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		events, err := readAll(bytes.NewReader(text))
		assert.Must(t, errors.Is(err, io.EOF) || errors.Is(err, errEventTooLong), err)
		for _, e := range events {
			assert.True(t, len(e.data) <= maxEvent && !strings.ContainsAny(e.name, "\r\n") && !bytes.ContainsRune(e.data, '\r'),
				"%q", e)
		}
		same := func(what string, in io.Reader) {
			again, _ := readAll(in)
			equal := func(a, b event) bool { return a.name == b.name && bytes.Equal(a.data, b.data) }
			assert.True(t, slices.EqualFunc(events, again, equal), "%s: %q, else %q", what, again, events)
		}
		same("byte by byte", iotest.OneByteReader(bytes.NewReader(text)))
		if !bytes.Contains(text, []byte("\r")) && len(text) < maxEvent/2 {
			same("CRLF", bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))))
			same("CR", bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))))
		}
	})
}

func readAll(in io.Reader) (events []event, err error) {
	r := newEventReader(in)
	for {
		e, err := r.nextEvent()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestEventLimit(t *testing.T) {
	at := "data:" + strings.Repeat("x", maxEvent-5) + "\n\n"
	events, err := readAll(strings.NewReader(at + at))
	assert.True(t, len(events) == 2 && errors.Is(err, io.EOF), "%d events, %v", len(events), err)
	events, err = readAll(strings.NewReader("x" + at))
	assert.True(t, len(events) == 0 && errors.Is(err, errEventTooLong), "%d events, %v", len(events), err)
	// Comments and empty lines do not count towards the limit.
	_, err = readAll(strings.NewReader(strings.Repeat(": ping\n\n", maxEvent/4)))
	assert.ErrorIs(t, err, io.EOF)
}

// TestTextComesAtOnce: an event ends with its empty line, also where an LF could still follow a CR.
func TestTextComesAtOnce(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		in, out := io.Pipe()
		r := make(chan event)
		go func() {
			events := newEventReader(in)
			for {
				e, err := events.nextEvent()
				if err != nil {
					close(r)
					return
				}
				r <- e
			}
		}()
		for range 2 {
			_, _ = io.WriteString(out, "data: x"+end+end)
			e := <-r
			assert.Equal(t, string(e.data), "x", "%q", end)
		}
		_ = out.Close()
		<-r
	}
}
