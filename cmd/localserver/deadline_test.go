package localservercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

// TestStopsAreNoFailures: calls that a stop cuts off are not a failure of the server; other errors are.
func TestStopsAreNoFailures(t *testing.T) {
	t.Parallel()
	late := fmt.Errorf("shut down: %w", context.DeadlineExceeded)
	for _, c := range []struct{ met, left error }{
		{nil, nil}, {late, nil}, {errors.Join(late, nil), nil}, {errors.Join(nil, errors.Join(late)), nil},
		{io.ErrClosedPipe, io.ErrClosedPipe}, {errors.Join(late, io.ErrClosedPipe), io.ErrClosedPipe},
	} {
		if got := withoutDeadline(c.met); !errors.Is(got, c.left) || c.left == nil && got != nil {
			t.Errorf("%v: %v is left, not %v", c.met, got, c.left)
		}
	}
}
