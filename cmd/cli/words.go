package cli

import (
	"fmt"
	"time"
)

// Pluralize returns a number and a thing, with an s behind the thing unless n is 1.
func Pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// ValueOr returns the text, or other if text is nil.
func ValueOr(text *string, other string) string {
	if text == nil {
		return other
	}
	return *text
}

// MinuteLayout is the layout of times for people. Outside of a table, " MST" follows, the name of
// the zone.
const MinuteLayout = "2006-01-02 15:04"

// ShownTime converts a time to the zone that stdout shows: local time on a terminal, and UTC
// elsewhere, so that programs read the same on every machine.
func (s *Streams) ShownTime(t time.Time) time.Time {
	if s.TTY.Out {
		return LocalTime(t)
	}
	return t.UTC()
}

// LocalTime converts a time to the local zone, for texts that people see even if stdout is not a
// terminal: stderr, and descriptions of completions.
func LocalTime(t time.Time) time.Time { return t.Local() }
