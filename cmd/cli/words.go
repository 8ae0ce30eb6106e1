package cli

import (
	"fmt"
	"time"
)

// Pluralize returns a number and a noun, with an s unless n is 1.
func Pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// ValueOr returns *text, or other if text is nil.
func ValueOr(text *string, other string) string {
	if text == nil {
		return other
	}
	return *text
}

// MinuteLayout is the layout of times for users. Outside a table, " MST" is appended.
const MinuteLayout = "2006-01-02 15:04"

// ShownTime converts a time to the local zone on a terminal. Elsewhere it converts to UTC, so that
// the output for programs is the same on every machine.
func (s *Streams) ShownTime(t time.Time) time.Time {
	if s.TTY.Out {
		return LocalTime(t)
	}
	return t.UTC()
}

// LocalTime converts a time to the local zone, for texts that users see even without a terminal on
// stdout.
func LocalTime(t time.Time) time.Time { return t.Local() }
