package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestUnknownErrorsAreInternal(t *testing.T) {
	e := From(fmt.Errorf("disk: %w", errors.New("no space on /secret")))
	assert.True(t, e.Status == 500 && e.Message == "internal error" && e.Cause != nil, "%+v", e)
}

const site = "https://game.example"

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://game.example": site, "https://Game.Example/": site, "https://game.example:443": site, "http://game.example:80": "http://game.example",
		"https://game.example:80": "https://game.example:80", "http://[::1]:5173": "http://[::1]:5173", "capacitor://localhost": "", "http://localhost:5173": "http://localhost:5173",
		"ftp://game.example": "", "file://host": "", "chrome-extension://abcdef": "", "javascript://game.example": "", "null://x": "", "ws://game.example": "", "data://a": "",
		"http://localhost:99999": "", "http://localhost:0": "", "http://localhost:-1": "",
		"": "", "*": "", "null": "", "game.example": "", "https://": "", "https://*.game.example": "", "https://game.example/path": "", "https://u:p@game.example": "",
		"https://game.example?x": "", "https://game.example#x": "", "https://a.example,https://b.example": "", "https://game.example//": "", "https://ga me.example": "", "https://game.example:x": "",
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseOrigin(text)
			if want == "" && (err == nil || !strings.Contains(err.Error(), "such as")) || want != "" && (err != nil || got != want) {
				t.Errorf("%q: %q, %v, want %q", text, got, err, want)
			}
		})
	}
}

// FuzzParseOrigin: a parsed origin parses as itself, and cross-origin protection accepts it.
func FuzzParseOrigin(f *testing.F) {
	for _, text := range []string{site, "http://[::1]:5173", "https://a:443/", "x://*", "://", "https://%2f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origin, err := ParseOrigin(text)
		if err != nil {
			return
		}
		again, err := ParseOrigin(origin)
		assert.Must(t, err == nil && again == origin, "%q is %q, and that is %q, %v", text, origin, again, err)
		assert.Value(NewOrigins([]string{text}))(t)
	})
}

// timedWriter records the deadline of each piece.
type timedWriter struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
	pieces    []int
	fails     int // the piece that cannot be written; 0 means that all can
}

func (w *timedWriter) SetWriteDeadline(until time.Time) error {
	w.deadlines = append(w.deadlines, until)
	return nil
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.pieces = append(w.pieces, len(p))
	if len(w.pieces) == w.fails {
		return 10, errors.New("it is not taken")
	}
	return w.ResponseRecorder.Write(p)
}

// TestLargeAnswersAreTimed: a large answer is written in pieces. Each piece must be received within
// its timeout, and all of them within that of the answer; a small answer is written at once.
func TestLargeAnswersAreTimed(t *testing.T) {
	for name, c := range map[string]struct{ size, fails, pieces, deadlines, wrote int }{
		"small":         {pieceBytes, 0, 1, 0, pieceBytes},
		"one byte more": {pieceBytes + 1, 0, 2, 2, pieceBytes + 1},
		"large":         {4*pieceBytes + 7, 0, 5, 5, 4*pieceBytes + 7},
		"not taken":     {4*pieceBytes + 7, 2, 2, 2, pieceBytes + 10},
	} {
		t.Run(name, func(t *testing.T) {
			w := &timedWriter{ResponseRecorder: httptest.NewRecorder(), fails: c.fails}
			rec := &recorder{ResponseWriter: w}
			n, err := rec.Write(make([]byte, c.size))
			assert.Equal(t, n, c.wrote, "wrote %v %v %v", w.pieces, w.deadlines, err)
			assert.Equal(t, err != nil, c.fails > 0, "wrote %v %v %v", w.pieces, w.deadlines, err)
			assert.Equal(t, rec.bytes, int64(n), "wrote %v %v %v", w.pieces, w.deadlines, err)
			assert.Equal(t, rec.status, http.StatusOK, "wrote %v %v %v", w.pieces, w.deadlines, err)
			assert.Equal(t, len(w.pieces), c.pieces, "wrote %v %v %v", w.pieces, w.deadlines, err)
			assert.Equal(t, len(w.deadlines), c.deadlines, "wrote %v %v %v", w.pieces, w.deadlines, err)
			for _, until := range w.deadlines {
				left := time.Until(until)
				assert.True(t, left > 0 && left <= pieceTimeout, "a piece has %v", left)
			}
		})
	}
	w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
	rec := &recorder{ResponseWriter: w, limit: PieceLimit{Whole: time.Second}}
	_, err := rec.Write(make([]byte, pieceBytes+1))
	assert.True(t, err == nil && time.Until(w.deadlines[1]) <= time.Second, "an answer that is late has until %v, %v", w.deadlines, err)
}
