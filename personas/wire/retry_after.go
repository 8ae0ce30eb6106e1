package wire

import (
	"strconv"
	"time"
)

// MaxRetryAfter is the maximum wait that ParseRetryAfter returns.
const MaxRetryAfter = 100 * 365 * 24 * time.Hour

// dateLayouts are the layouts of an HTTP date (RFC 9110, section 5.6.7).
var dateLayouts = [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}

// ParseRetryAfter parses the header Retry-After (RFC 9110, section 10.2.3). Its value is a number
// of seconds, which may be decimal, or an HTTP date. It returns 0 if the value is missing, invalid
// or in the past, and at most MaxRetryAfter.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	for _, layout := range dateLayouts {
		if date, err := time.Parse(layout, value); err == nil {
			return min(max(date.Sub(now), 0), MaxRetryAfter)
		}
	}
	return parseUnits(value, time.Second)
}

// ParseRetryAfterMs parses the header Retry-After-Ms, a number of milliseconds, which some model
// providers send. The result has the same bounds as that of ParseRetryAfter.
func ParseRetryAfterMs(value string) time.Duration { return parseUnits(value, time.Millisecond) }

// parseUnits parses a decimal number of units: digits and one decimal point, without a sign, an
// exponent or infinity.
func parseUnits(value string, unit time.Duration) time.Duration {
	for _, r := range value {
		if (r < '0' || r > '9') && r != '.' {
			return 0
		}
	}
	// ParseFloat returns infinity for a number that is too large. In that case the result is
	// MaxRetryAfter.
	number, err := strconv.ParseFloat(value, 64)
	if err != nil && number == 0 {
		return 0
	}
	if number >= float64(MaxRetryAfter/unit) {
		return MaxRetryAfter
	}
	return time.Duration(number * float64(unit))
}
