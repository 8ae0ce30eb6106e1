package localservercmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
)

// shutdownPatience is how long running requests may take after the signal to stop.
const shutdownPatience = 30 * time.Second

const maxKeepDays = 36_500

const maxDrainDelay = 5 * time.Minute

func (o *localserverOptions) awaitDrain(server *localserver.Server) {
	if o.drainDelay == 0 {
		return
	}
	server.Leave()
	o.Say("stopping in %s: /readyz answers 503 until then", o.drainDelay)
	select {
	case <-time.After(o.drainDelay):
	case <-server.Done():
	}
}

// stopServer has its own timeout, because the context of the command is already cancelled. Calls that
// take too long are no failure, because a supervisor would treat that as a crash.
func (o *localserverOptions) stopServer(server *localserver.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	o.Say("stopping")
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		o.Say("stopped: calls that took longer than %s were ended with an error", shutdownPatience)
		err = nil
	}
	if err = errors.Join(server.Err(), err); err != nil {
		return cli.WrapTrouble(fmt.Errorf("stop the local server: %w", err), "")
	}
	return nil
}
