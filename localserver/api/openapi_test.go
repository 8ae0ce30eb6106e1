package api

import (
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
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
			if _, err := Describe(&huma.OpenAPI{}, c.routes, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
