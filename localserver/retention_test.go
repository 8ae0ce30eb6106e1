package localserver

import (
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// TestKeepSessions: a server that keeps sessions for two days deletes older ones when it starts,
// and one that keeps them for four days does not.
func TestKeepSessions(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, func(o *Options) { o.Data = dir })
	id := first.publishPersona()
	first.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	database := first.database
	first.end()
	history := wire.Path(wire.PathHistory, id) + "?user_session_id=ann"
	for _, c := range [][2]int{{4, 200}, {2, 404}} {
		days, status := c[0], c[1]
		h := begin(t, func(o *Options) {
			o.Data, o.Database.Address, o.KeepSessions = dir, database, time.Duration(days)*24*time.Hour
			o.Now = func() time.Time { return time.Now().Add(3 * 24 * time.Hour) }
		})
		for limit := time.Now().Add(10 * time.Second); h.send("", "GET", history, "").status != status; {
			if time.Sleep(10 * time.Millisecond); time.Now().After(limit) {
				t.Fatalf("kept for %d days: not %d", days, status)
			}
		}
		h.end()
	}
}
