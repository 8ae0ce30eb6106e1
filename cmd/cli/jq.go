package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/parley-npc/parley/tui/terminal"
)

const expressionTimeout = 10 * time.Second // some expressions never end

// An expression is stopped after this heap growth, in bytes.
const (
	expressionMemory = 512 << 20
	memoryInterval   = 20 * time.Millisecond
)

var errExpressionMemory = fmt.Errorf("evaluation stopped because it used more than %d MiB of memory",
	expressionMemory>>20)

func (f *JSONFlag) setJQ(text string) error {
	if f.Template != nil {
		return UsageError("--jq and --template are mutually exclusive")
	}
	query, err := gojq.Parse(text)
	if err != nil {
		fault, ok := errors.AsType[*gojq.ParseError](err)
		if !ok {
			return UsageError("%w", err)
		}
		at := min(max(fault.Offset-len(fault.Token), 0), len(text)) // Offset is after the unexpected token
		return UsageError("%w at character %d of %q", err, utf8.RuneCountInString(text[:at])+1, text)
	}
	if f.JQ, err = gojq.Compile(query); err != nil {
		return UsageError("the expression does not compile: %w", err)
	}
	f.On = true
	return nil
}

func (s *Streams) printJQ(code *gojq.Code, text []byte) error {
	ctx, done := s.boundWork(expressionTimeout)
	defer done()
	value, err := decodeNumbers(text)
	if err != nil {
		return err
	}
	results := code.RunWithContext(ctx, value)
	for {
		result, err := nextResult(ctx, results)
		if errors.Is(err, errNoResult) {
			return nil
		}
		if err != nil {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return explainExpression(ctx, "--jq", err)
		}
		if err := s.printResult(result); err != nil {
			return err
		}
	}
}

var errNoResult = errors.New("no more results")

// gojq checks ctx only between steps, and a step can take hours.
func nextResult(ctx context.Context, results gojq.Iter) (any, error) {
	return AwaitResult(ctx.Done(), func() (any, error) {
		result, more := results.Next()
		if !more {
			return nil, errNoResult
		}
		if err, failed := result.(error); failed {
			return nil, err
		}
		return result, nil
	})
}

func (s *Streams) printResult(result any) error {
	if text, ok := result.(string); ok {
		if s.TTY.Out {
			text = terminal.CleanLines(text)
		}
		_, err := fmt.Fprintln(s.Out, text)
		return err
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return err
	}
	indent := ""
	if s.TTY.Out {
		indent = "  "
	}
	return s.writeJSON(text, indent)
}

func decodeNumbers(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}

func (s *Streams) boundWork(timeout time.Duration) (context.Context, func()) {
	bounded, end := context.WithCancelCause(context.Background())
	ctx, cancel := context.WithTimeout(bounded, timeout)
	limit := readMemory() + expressionMemory
	go func() {
		defer end(nil)
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		for {
			select {
			case <-s.Interrupted:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				if readMemory() > limit {
					end(errExpressionMemory)
				}
			}
		}
	}()
	return ctx, cancel
}

func readMemory() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// The hint is needed, because exit code 2 usually means that nothing was done.
func explainExpression(ctx context.Context, flag string, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errExpressionMemory):
		err = cause
	case errors.Is(cause, context.DeadlineExceeded):
		err = fmt.Errorf("evaluation stopped after %s", expressionTimeout)
	}
	return &Failure{Code: ExitUsage, Err: fmt.Errorf("%s: %w", flag, err),
		Hint: "the command itself was carried out: only formatting its output failed"}
}
