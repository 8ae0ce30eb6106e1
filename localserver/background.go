package localserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

const idleInterval = time.Hour

// deleteIdle starts a goroutine that deletes players who were idle for longer than KeepSessions. It
// runs now and every idleInterval, until the server stops.
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

const lookInterval = time.Second

// watchDatabase starts a goroutine that logs when the database becomes unavailable and when it is
// available again. It runs until the server stops.
func (s *Server) watchDatabase(database *store.Store, log *slog.Logger) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		lookForDatabase(database, log, stop)
	}()
	s.onStop(func() error {
		close(stop)
		<-ended
		return nil
	})
}

func lookForDatabase(database *store.Store, log *slog.Logger, stop <-chan struct{}) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	lost := false
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		err := store.CheckKept(database)
		switch {
		case err != nil && !lost:
			log.Error("the database is unavailable: nothing can be stored", slog.Any("error", err))
		case err == nil && lost:
			log.Info("the database is available again")
		}
		lost = err != nil
	}
}
