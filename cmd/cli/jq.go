package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/parley-npc/parley/tui/terminal"
)

// expressionPatience is how long --jq and --template may take: one that never
// ends is a mistake (docs/decisions/cmd.md, jq-and-template).
const expressionPatience = 10 * time.Second

// setJQ reads --jq.
func (f *JSONFlag) setJQ(text string) error {
	if f.Template != nil {
		return UsageError("--jq and --template are two ways to print: choose one")
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return jqFault(text, err)
	}
	if f.JQ, err = gojq.Compile(query); err != nil {
		return UsageError("the expression does not compile: %w", err)
	}
	f.On = true
	return nil
}

// jqFault says where in an expression jq does not understand it.
func jqFault(text string, err error) error {
	var fault *gojq.ParseError
	if !errors.As(err, &fault) {
		return UsageError("%w", err)
	}
	// The offset is behind the token that is one too many.
	at := min(max(fault.Offset-len(fault.Token), 0), len(text))
	return UsageError("%w at character %d of %q", err, utf8.RuneCountInString(text[:at])+1, text)
}

// printJQ writes what a jq expression makes of JSON: strings as they are, other
// values as JSON, one a line.
func (a *Streams) printJQ(code *gojq.Code, text []byte) error {
	ctx, done := a.boundTime(expressionPatience)
	defer done()
	value, err := decodeNumbers(text)
	if err != nil {
		return err
	}
	results := code.RunWithContext(ctx, value)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return expressionFault(ctx, "--jq", err)
		}
		if err := a.printResult(result); err != nil {
			return err
		}
	}
}

func (a *Streams) printResult(result any) error {
	if text, ok := result.(string); ok {
		if a.TTY.Out {
			text = terminal.CleanLines(text)
		}
		_, err := fmt.Fprintln(a.Out, text)
		return err
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return err
	}
	indent := ""
	if a.TTY.Out {
		indent = "  "
	}
	return a.writeJSON(text, indent)
}

// decodeNumbers reads JSON and keeps its numbers as they are written.
func decodeNumbers(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}

// boundTime is a context for work that nothing but time or Ctrl-C ends.
func (a *Streams) boundTime(patience time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	go func() {
		select {
		case <-a.Interrupted:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// expressionFault is the failure of an expression in the flag: what it was given
// is not what it is for, or it takes too long. Whoever reads 2 as "nothing was done"
// is told otherwise.
func expressionFault(ctx context.Context, flag string, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was stopped after %s", expressionPatience)
	}
	return &Failure{Code: ExitUsage, Err: fmt.Errorf("%s: %w", flag, err),
		Hint: "only the printing failed: what the command does was done before"}
}
