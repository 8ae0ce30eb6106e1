package localserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// idleInterval is the time between two deletions of idle players.
const idleInterval = time.Hour

// deleteIdle starts a goroutine that deletes players who were idle for longer than KeepSessions,
// now and then every idleInterval, until the server stops.
func (s *Server) deleteIdle(database *store.Store, o *Options) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	keep, log, now := o.KeepSessions, o.Log, o.Now
	go func() {
		defer close(ended)
		ticker := time.NewTicker(idleInterval)
		defer ticker.Stop()
		for {
			deleteIdleOnce(ctx, database, log, now().Add(-keep))
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	s.onStop(func() error {
		stop()
		<-ended
		return nil
	})
}

func deleteIdleOnce(ctx context.Context, database *store.Store, log *slog.Logger, since time.Time) {
	total := 0
	for more := true; more && ctx.Err() == nil; {
		deleted, again, err := database.DeleteIdle(ctx, since)
		total, more = total+deleted, again && err == nil
		if err != nil && ctx.Err() == nil {
			log.Error("idle sessions could not be deleted", slog.Any("error", err))
		}
	}
	if total > 0 {
		log.Info("deleted players with idle sessions", slog.Int("players", total))
	}
}
