package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// mostBytes is how many bytes of a paste the limiter of these tests lets through; any
// number that is much larger than a buffer does.
const mostBytes = 33_024

// source is a terminal that is typed into in pieces of one size.
type source struct {
	terminal
	text string
	size int
}

func (s *source) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.size)], s.text)
	s.text = s.text[n:]
	return n, nil
}

// through is what a paste limiter lets through of a text, and how much it dropped.
func through(text string, size int) (string, int) {
	s := NewPasteLimiter(&source{text: text, size: size}, mostBytes)
	var b bytes.Buffer
	p := make([]byte, 256)
	for {
		n, err := s.Read(p)
		b.Write(p[:n])
		if err != nil {
			return b.String(), s.TakeDropped()
		}
	}
}

func TestPasteLimiter(t *testing.T) {
	limit := mostBytes
	for _, c := range []struct {
		name, text, want string
		dropped          int
	}{
		{"keys", "abc\x1b[A\r\x1b[20~\x1b\x1b[200", "abc\x1b[A\r\x1b[20~\x1b\x1b[200", 0},
		{"a paste", "a" + pasteBegins + "b\x1b[201c" + pasteEnds + "d", "a" + pasteBegins + "b\x1b[201c" + pasteEnds + "d", 0},
		{"as much as goes through", pasteBegins + strings.Repeat("x", limit) + pasteEnds + "d", pasteBegins + strings.Repeat("x", limit) + pasteEnds + "d", 0},
		{"one more", pasteBegins + strings.Repeat("x", limit+1) + pasteEnds + "d", pasteBegins + strings.Repeat("x", limit) + pasteEnds + "d", 1},
		{"much more, twice", strings.Repeat(pasteBegins+strings.Repeat("x", limit)+strings.Repeat("é", 5000)+pasteEnds+"d", 2),
			strings.Repeat(pasteBegins+strings.Repeat("x", limit)+pasteEnds+"d", 2), 10000},
		{"keys like an end", pasteBegins + strings.Repeat("x", limit) + "\x1b[20y\x1b" + pasteEnds + "\x04", pasteBegins + strings.Repeat("x", limit) + pasteEnds + "\x04", 1},
		{"very many keys", strings.Repeat("x", 3*limit), strings.Repeat("x", 3*limit), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 5, 7, 100, 256} {
				got, dropped := through(c.text, size)
				if got != c.want || dropped != c.dropped {
					t.Errorf("%s in pieces of %d: %d bytes, not %d, and %d dropped, not %d", c.name, size, len(got), len(c.want), dropped, c.dropped)
				}
			}
		})
	}
}

func FuzzPasteLimiter(f *testing.F) {
	f.Add(pasteBegins+"a"+pasteEnds, 3, 20)
	f.Fuzz(func(t *testing.T, text string, size, more int) {
		size, more = 1+max(size, -size)%256, max(more, -more)%100
		if got, dropped := through(text, size); len(text) < mostBytes && (got != text || dropped != 0) {
			t.Errorf("%q became %q", text, got)
		}
		long := pasteBegins + strings.Repeat("y", mostBytes+more) + pasteEnds
		if got, dropped := through(long+text, size); !strings.HasSuffix(got, pasteEnds+text) && len(text) < mostBytes || dropped != more {
			t.Errorf("behind a paste %q is lost, %d dropped", text, dropped)
		}
	})
}
