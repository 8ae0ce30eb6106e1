package wire_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func readAll(in io.Reader) (events []wire.Event, err error) {
	r := wire.NewEventReader(in)
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestEvents(t *testing.T) {
	for text, want := range map[string]string{
		"data: a\n\ndata: b\n\n":              "a|b",
		"data:a\r\n\r\ndata:  b\r\n\r\n":      "a| b",
		"\ufeffdata: a\n\n":                   "a",
		": comment\n\nevent: x\ndata: a\n\n":  "x a",
		"data: a\ndata: b\n\n":                "a\nb",
		"data\n\n\n\ndata: a\n\n":             "a",
		"data: a\r\rdata: b\r\r":              "a|b",
		"data: a\r\ndata: b\r\n\rdata: c\n\r": "a\nb|c",
		"event: ping\n\nid: 1\n\n":            "",
		"event: x\n\ndata: 茶\n\n":             "茶",
	} {
		t.Run(text, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
				events, err := readAll(in)
				assert.ErrorIs(t, err, io.EOF)
				var got []string
				for _, e := range events {
					name := e.Name
					if name != "" {
						name += " "
					}
					got = append(got, name+string(e.Data))
				}
				assert.Equal(t, strings.Join(got, "|"), want)
			}
		})
	}
	e, err := wire.NewEventReader(strings.NewReader("event: x\ndata: [DONE]")).Next()
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, e.Name, "x")
	assert.Equal(t, string(e.Data), "[DONE]")
}

// FuzzEvents: any bytes give the same events for any pieces and line ends, none longer than the limit.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"event: a\ndata: 1\n\n", "data: 1\r\ndata: 2\r\n\r\n", ":c\n\nid: 1\n\n", "\ufeffdata: x\n\n", "event: e\n\ndata: x", "data:\n\n", "\r\n\n\r",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		events, err := readAll(bytes.NewReader(text))
		assert.Must(t, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, wire.ErrEventTooLong), err)
		for _, e := range events {
			assert.True(t, len(e.Data) <= wire.MaxEvent && !strings.Contains(e.Name, "\n"), "%q", e)
		}
		same := func(what string, in io.Reader) {
			again, _ := readAll(in)
			equal := func(a, b wire.Event) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }
			assert.True(t, slices.EqualFunc(events, again, equal), "%s: %q, else %q", what, again, events)
		}
		same("byte by byte", iotest.OneByteReader(bytes.NewReader(text)))
		if !bytes.Contains(text, []byte("\r")) && len(text) < wire.MaxEvent/2 {
			same("CRLF", bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))))
			same("CR", bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))))
		}
	})
}

func TestEventLimit(t *testing.T) {
	at := "data:" + strings.Repeat("x", wire.MaxEvent-5) + "\n\n"
	events, err := readAll(strings.NewReader(at + at))
	assert.True(t, len(events) == 2 && errors.Is(err, io.EOF), "%d events, %v", len(events), err)
	for _, long := range []string{"data:" + strings.Repeat("x", wire.MaxEvent) + "\n\n", strings.Repeat("data:"+strings.Repeat("x", wire.MaxEvent/4)+"\n", 5)} {
		events, err = readAll(strings.NewReader(long))
		assert.True(t, len(events) == 0 && errors.Is(err, wire.ErrEventTooLong), "%d events, %v", len(events), err)
	}
	// Comments and empty lines do not count towards the limit.
	_, err = readAll(strings.NewReader(strings.Repeat(": ping\n\n", wire.MaxEvent/4)))
	assert.ErrorIs(t, err, io.EOF)
}

// TestTextComesAtOnce: an event ends with its empty line, also where an LF could still follow a CR.
func TestTextComesAtOnce(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		in, out := io.Pipe()
		defer out.Close()
		r := wire.NewEventReader(in)
		for range 2 {
			go func() { _, _ = io.WriteString(out, "data: x"+end+end) }()
			e, err := r.Next()
			assert.True(t, err == nil && string(e.Data) == "x", "%q: %q, %v", end, e, err)
		}
	}
}
