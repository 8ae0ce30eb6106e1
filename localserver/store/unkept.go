package store

import (
	"errors"

	"github.com/parley-npc/parley/localserver/store/postgres"
)

// unkept are the reasons why nothing can be kept, of either kind of database, each with
// what a caller is told to do ("" where waiting helps).
var unkept = [...]struct {
	err  error
	next string
}{
	{ErrLost, ", start it again"},
	{ErrReadOnly, ""},
	{ErrFull, ""},
	{postgres.ErrDown, ", try it again in a moment"},
	{postgres.ErrCrowded, ", try it again in a moment"},
	{postgres.ErrFull, ""},
	{postgres.ErrStandby, ""},
	{postgres.ErrContended, ", try it again in a moment"},
}

// IsUnkept reports whether an error says that nothing can be kept, or read.
func IsUnkept(err error) bool { return ExplainUnkept(err) != "" }

// ExplainUnkept says in a sentence for callers why nothing can be kept; "" for all other
// errors.
func ExplainUnkept(err error) string {
	for _, reason := range unkept {
		if errors.Is(err, reason.err) {
			return reason.err.Error() + reason.next
		}
	}
	return ""
}
