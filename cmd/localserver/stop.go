package localservercmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
)

// shutdownPatience is how long requests that are being answered may take at the end.
const shutdownPatience = 30 * time.Second

// maxKeepDays is the largest --keep-sessions.
const maxKeepDays = 36_500

// maxDrainDelay is the longest --drain-delay.
const maxDrainDelay = 5 * time.Minute

// awaitDrain keeps the server running for --drain-delay, so that balancers see at /readyz that it
// is about to stop while it still accepts connections.
func (o *localserverOptions) awaitDrain(server *localserver.Server) {
	if o.drainDelay == 0 {
		return
	}
	server.Leave()
	o.Say("stopping in %s: /readyz is 503 until then", o.drainDelay)
	select {
	case <-time.After(o.drainDelay):
	case <-server.Done():
	}
}

// stopServer lets the server finish its running requests. The command's context has ended by then,
// so it uses its own time limit.
func (o *localserverOptions) stopServer(server *localserver.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	o.Say("stopping")
	late := server.Shutdown(ctx)
	if err := errors.Join(server.Err(), withoutDeadline(late)); err != nil {
		return cli.WrapTrouble(fmt.Errorf("stop the local server: %w", err), "")
	}
	if late != nil {
		o.Say("stopped: calls that took longer than %s were broken off, and told so", shutdownPatience)
	}
	return nil
}

// withoutDeadline removes an expired deadline from the errors of a stop: the stop was requested,
// and a supervisor must not take it for a failure.
func withoutDeadline(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var kept []error
		for _, e := range joined.Unwrap() {
			kept = append(kept, withoutDeadline(e))
		}
		return errors.Join(kept...)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
