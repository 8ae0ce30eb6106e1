package cli

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff is what changes from one text to another, in the form that patch
// and people read; "" when nothing does. Note says what was done to the second. It
// is anchored at lines that both texts have exactly once, so that a moved block is
// shown as moved.
func UnifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	whole := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	hunks := strings.SplitN(whole, "\n", 4)[3] // behind the lines diff, --- and +++
	return fmt.Sprintf("--- %s\n+++ %s (%s)\n%s", name, name, note, hunks)
}
