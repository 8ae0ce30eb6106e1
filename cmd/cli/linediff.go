package cli

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff returns a unified diff of two texts, or "". The header names the file twice. The
// second name is followed by note ("formatted").
func UnifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	whole := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	hunks := strings.SplitN(whole, "\n", 4)[3] // after the lines diff, --- and +++
	return fmt.Sprintf("--- %s\n+++ %s (%s)\n%s", name, name, note, hunks)
}
