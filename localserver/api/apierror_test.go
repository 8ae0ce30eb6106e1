package api

import (
	"errors"
	"fmt"
	"testing"
)

func TestUnknownErrorsAreInternal(t *testing.T) {
	e := From(fmt.Errorf("disk: %w", errors.New("no space on /secret")))
	if e.Status != 500 || e.Message != "internal error" || e.Cause == nil {
		t.Errorf("%+v", e)
	}
}
