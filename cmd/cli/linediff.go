package cli

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff returns the changes from one text to another as a unified diff, "" when there
// are none. Its head names the file twice, the second time with a note on what was done to
// it, such as "formatted". Lines that both texts have exactly once are kept together, so
// that a block that has moved is seen to have moved.
func UnifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	whole := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	hunks := strings.SplitN(whole, "\n", 4)[3] // behind the lines diff, --- and +++
	return fmt.Sprintf("--- %s\n+++ %s (%s)\n%s", name, name, note, hunks)
}
