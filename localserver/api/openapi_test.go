package api

import (
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/personas/assert"
)

// TestDescribeRefuses: a route without a text and a text without a route are errors.
func TestDescribeRefuses(t *testing.T) {
	var all []Route
	for id := range operationTexts {
		all = append(all, Route{ID: id})
	}
	for name, c := range map[string]struct {
		routes []Route
		want   string
	}{
		"a route without words": {append(all, Route{ID: "dance"}), "the text of dance is missing"},
		"words without a route": {all[1:], "unknown route"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Describe(&huma.OpenAPI{}, c.routes, nil)
			assert.ErrorContains(t, err, c.want, "error")
		})
	}
}
