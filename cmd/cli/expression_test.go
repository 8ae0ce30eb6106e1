package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// runExpression prints an expression's results, interrupted after a time unless 0, and returns how long it took.
func runExpression(t *testing.T, text, value string, interrupt time.Duration) (time.Duration, error) {
	t.Helper()
	a, _ := onlyOut(false)
	if interrupt > 0 {
		over := make(chan struct{})
		a.Interrupted = over
		stop := time.AfterFunc(interrupt, func() { close(over) })
		defer stop.Stop()
	}
	var flag JSONFlag
	assert.NoError(t, flag.setJQ(text))
	begun := time.Now()
	err := a.printJQ(flag.JQ, []byte(value))
	return time.Since(begun), err
}

// TestOneStepIsBounded: an expression ends in time even where a single step of gojq takes long.
func TestOneStepIsBounded(t *testing.T) {
	zeros := "[" + strings.TrimSuffix(strings.Repeat("0,", 120_000), ",") + "]"
	took, err := runExpression(t, ". as $a | indices($a[:60000]) | length", zeros, 400*time.Millisecond)
	assert.True(t, err != nil && took <= 5*time.Second, "%s, %v", took, err)
}

// TestExpressionMemory: an expression that doubles its value ends before the machine has no memory left.
func TestExpressionMemory(t *testing.T) {
	took, err := runExpression(t, `"a" | until(false; . + .)`, "null", 0)
	assert.True(t, err != nil && strings.Contains(err.Error(), "MiB of memory") && took < expressionTimeout,
		"%s, %v", took, err)
}
