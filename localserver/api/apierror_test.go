package api

import (
	"errors"
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestUnknownErrorsAreInternal(t *testing.T) {
	e := From(fmt.Errorf("disk: %w", errors.New("no space on /secret")))
	assert.True(t, e.Status == 500 && e.Message == "internal error" && e.Cause != nil, "%+v", e)
}
