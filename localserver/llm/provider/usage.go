package provider

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// tokenCount is a number of tokens. It only counts what a call cost, so a number in another
// form (12.0, "12") is read, and anything else is 0: it never spoils an answer.
type tokenCount int

// dollars is the cost of a call, if the provider reports it (OpenRouter's usage.cost). As with
// tokenCount anything other than a number is 0.
type dollars float64

// maxDollars bounds a cost that a provider reports.
const maxDollars = 1e6

func (d *dollars) UnmarshalJSON(data []byte) error {
	*d = 0
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		*d = dollars(min(n, maxDollars))
	}
	return nil
}

// maxTokenCount bounds a count that a provider reports.
const maxTokenCount = 1 << 30

func (c *tokenCount) UnmarshalJSON(data []byte) error {
	*c = 0
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n > 0 && !math.IsInf(n, 0) {
		*c = tokenCount(min(n, maxTokenCount))
	}
	return nil
}

// lenient is a value that counts as absent if it has another shape.
type lenient[T any] struct{ value *T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var value *T
	if json.Unmarshal(data, &value) == nil {
		l.value = value
	}
	return nil
}
