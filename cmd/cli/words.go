package cli

import (
	"fmt"
	"time"
)

// Pluralize returns a number and a noun. The noun gets an s unless n is 1.
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

// MinuteLayout is the layout of times in output for users. Outside a table, " MST" is appended for
// the time zone.
const MinuteLayout = "2006-01-02 15:04"

// ShownTime converts a time to the zone of stdout. The zone is local on a terminal and UTC
// elsewhere, so that programs read the same on every machine.
func (s *Streams) ShownTime(t time.Time) time.Time {
	if s.TTY.Out {
		return LocalTime(t)
	}
	return t.UTC()
}

// LocalTime converts a time to the local zone. It is for texts that users see even if stdout is not
// a terminal, such as texts on stderr and descriptions of completions.
func LocalTime(t time.Time) time.Time { return t.Local() }
