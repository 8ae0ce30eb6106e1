package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestParseAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"none", "", 0},
		{"seconds", "7", 7 * time.Second},
		{"no wait", "0", 0},
		{"decimal", "0.5", 500 * time.Millisecond},
		{"a day", "86400", 24 * time.Hour},
		{"at the bound", "3153600000", MaxRetryAfter},
		{"one before the bound", "3153599999", MaxRetryAfter - time.Second},
		{"one past the bound", "3153600001", MaxRetryAfter},
		{"less than nothing", "-3", 0},
		{"no number", "NaN", 0},
		{"two points", "1.2.3", 0},
		{"a point", ".", 0},
		{"a space", " 7", 0},
		{"a word", "soon", 0},
		{"a date", at(time.Minute), time.Minute},
		{"this moment", at(0), 0},
		{"a past date", at(-time.Second), 0},
		{"a date past the bound", "Fri, 31 Dec 9999 23:59:59 GMT", MaxRetryAfter},
		{"the first date of all", "Mon, 01 Jan 0001 00:00:00 GMT", 0},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, ParseRetryAfter(tt.value, now), tt.want, tt.value) })
	}
}

func TestParseAfterMs(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"none", "", 0},
		{"milliseconds", "250", 250 * time.Millisecond},
		{"decimal", "0.5", 500 * time.Microsecond},
		{"at the bound", "3153600000000", MaxRetryAfter},
		{"one past the bound", "3153600000001", MaxRetryAfter},
		{"less than nothing", "-1", 0},
		{"a date", "Fri, 02 Jan 2026 03:04:05 GMT", 0},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, ParseRetryAfterMs(tt.value), tt.want, tt.value) })
	}
}

func FuzzParseAfter(f *testing.F) {
	for _, seed := range []string{"", "7", "0.5", "-3", "1e300", "3153600001", "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(seed)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		for _, got := range []time.Duration{ParseRetryAfter(value, now), ParseRetryAfterMs(value)} {
			assert.True(t, got >= 0 && got <= MaxRetryAfter, "%q is %s", value, got)
		}
	})
}
