package provider

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// tokenCount is a number of tokens. Decoding never fails, because the number is only for
// statistics. A number in another form (12.0, "12") is accepted, and anything else becomes 0.
type tokenCount int

// dollars is the cost of a call, if the provider reports it, as OpenRouter does in usage.cost. Like
// a tokenCount, it becomes 0 if it is not a number.
type dollars float64

// maxDollars is the maximum cost that is accepted from a provider.
const maxDollars = 1e6

func (d *dollars) UnmarshalJSON(data []byte) error {
	*d = 0
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		*d = dollars(min(n, maxDollars))
	}
	return nil
}

// maxTokenCount is the maximum count that is accepted from a provider.
const maxTokenCount = 1 << 30

func (c *tokenCount) UnmarshalJSON(data []byte) error {
	*c = 0
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		*c = tokenCount(min(n, maxTokenCount))
	}
	return nil
}

// lenient is an optional value in JSON that is ignored if it has an unexpected shape.
type lenient[T any] struct{ value *T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var value *T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}
