package provider

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// tokenCount is a number of tokens. Decoding it never fails, because it is only used for
// statistics. "12" and 12.0 are decoded as 12, and any other value as 0.
type tokenCount int

// dollars is the cost of a call, from OpenRouter's member usage.cost. It is decoded like a
// tokenCount.
type dollars float64

const maxDollars = 1e6

func (d *dollars) UnmarshalJSON(data []byte) error {
	*d = dollars(readNumber(data, maxDollars))
	return nil
}

func readNumber(data []byte, limit float64) float64 {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		return min(n, limit)
	}
	return 0
}

const maxTokenCount = 1 << 30

func (c *tokenCount) UnmarshalJSON(data []byte) error {
	*c = tokenCount(readNumber(data, maxTokenCount))
	return nil
}

// lenient is an optional value in JSON that is ignored if it has an unexpected shape.
type lenient[T any] struct{ value T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}
