package localserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

const idleInterval = time.Hour

// inBackground starts work in a goroutine. When the server stops, it cancels ctx and waits for the
// end of work.
func (s *Server) inBackground(work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	s.onStop(func() error {
		cancel()
		running.Wait()
		return nil
	})
}

func repeat(ctx context.Context, interval time.Duration, work func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

func (s *Server) deleteIdle(database *store.Store, o *Options) {
	keep, log, now := o.KeepSessions, o.Log, o.Now
	s.inBackground(func(ctx context.Context) {
		work := func() { deleteIdleOnce(ctx, database, log, now().Add(-keep)) }
		work()
		repeat(ctx, idleInterval, work)
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

func (s *Server) watchDatabase(database *store.Store, log *slog.Logger) {
	lost := false
	look := func() {
		err := store.CheckKept(database)
		switch {
		case err != nil && !lost:
			log.Error("the database is unavailable: nothing can be stored", slog.Any("error", err))
		case err == nil && lost:
			log.Info("the database is available again")
		}
		lost = err != nil
	}
	s.inBackground(func(ctx context.Context) { repeat(ctx, lookInterval, look) })
}
