package cli

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff returns the changes from one text to another as a unified diff, or "" if the texts
// are equal. The header has the file name twice, the second time with a note such as "formatted".
// Lines that occur exactly once in both texts are matched with each other, so that a moved block
// shows as moved.
func UnifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	whole := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	hunks := strings.SplitN(whole, "\n", 4)[3] // after the lines diff, --- and +++
	return fmt.Sprintf("--- %s\n+++ %s (%s)\n%s", name, name, note, hunks)
}
