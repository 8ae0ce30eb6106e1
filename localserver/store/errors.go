package store

import (
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Errors of databases. SQLite files have their own ErrNewer, ErrForeign and ErrFull, because the
// messages of those contain different advice.
var (
	ErrEmpty error = db.ErrEmpty
	ErrKept  error = db.ErrKept
	ErrInUse error = db.ErrInUse
	ErrOlder error = db.ErrOlder

	ErrDatabaseNewer   error = db.ErrNewer
	ErrDatabaseForeign error = db.ErrForeign
	ErrForeignCode     error = db.ErrForeignCode

	ErrRefused  error = db.ErrRefused
	ErrNoRights error = db.ErrForbidden
	ErrDown     error = db.ErrDown
	ErrStarting error = db.ErrStarting
	ErrCrowded  error = db.ErrCrowded
	ErrStandby  error = db.ErrStandby
)

// unkept lists the errors, of both kinds of databases, that mean that nothing can be stored. next
// is advice that is appended to the message of the error.
var unkept = [...]struct {
	err  error
	next string
}{
	{ErrLost, ", start the server again"},
	{ErrUnsynced, ": check the disk and start the server again"},
	{ErrReadOnly, ""},
	{ErrFull, ""},
	{db.ErrStarting, ", try it again in a moment"},
	{db.ErrLocked, ", try it again in a moment"},
	{db.ErrDown, ", try it again in a moment"},
	{db.ErrCrowded, ", try it again in a moment"},
	{db.ErrFull, ""},
	{db.ErrStandby, ""},
	{db.ErrContended, ", try it again in a moment"},
}

// IsUnkept reports whether err means that nothing can be stored.
func IsUnkept(err error) bool { return ExplainUnkept(err) != "" }

// ExplainUnkept returns a message for callers that explains why nothing can be stored. It returns
// "" for all other errors.
func ExplainUnkept(err error) string {
	for _, reason := range unkept {
		if errors.Is(err, reason.err) {
			return reason.err.Error() + reason.next
		}
	}
	return ""
}
