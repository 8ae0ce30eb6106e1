package wire

import (
	"strconv"
	"time"
)

// MaxRetryAfter is the maximum wait that ParseRetryAfter returns.
const MaxRetryAfter = 100 * 365 * 24 * time.Hour

// ParseRetryAfter parses the header Retry-After (RFC 9110, section 10.2.3). Its value is a number
// of seconds, which may be decimal, or an HTTP date. It returns 0 if the value is missing, invalid
// or in the past, and at most MaxRetryAfter.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	if date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", value); err == nil {
		return min(max(date.Sub(now), 0), MaxRetryAfter)
	}
	return parseUnits(value, time.Second)
}

// ParseRetryAfterMs parses the header Retry-After-Ms, a number of milliseconds, which some model
// providers send. The result has the same bounds as that of ParseRetryAfter.
func ParseRetryAfterMs(value string) time.Duration { return parseUnits(value, time.Millisecond) }

func parseUnits(value string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(MaxRetryAfter)))
}
