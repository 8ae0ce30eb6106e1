package localserver

import (
	"log/slog"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// lookInterval is the time between two checks of the database.
const lookInterval = time.Second

// watchDatabase starts a goroutine that logs when the database becomes unavailable and when it is
// available again, until the server stops.
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
