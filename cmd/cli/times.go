package cli

import "time"

// MinuteLayout is how commands show a time to people. Where it is alone, outside of a
// table, " MST" follows, the name of its zone.
const MinuteLayout = "2006-01-02 15:04"

// ShownTime brings a time into the zone in which stdout shows it: the local one on a
// terminal, and UTC elsewhere, so that what programs read is the same on every machine.
func (s *Streams) ShownTime(t time.Time) time.Time {
	if s.TTY.Out {
		return LocalTime(t)
	}
	return t.UTC()
}

// LocalTime brings a time into the local zone, for what people see though stdout is no
// terminal: talk on stderr, and descriptions of completions.
func LocalTime(t time.Time) time.Time { return t.Local() }
