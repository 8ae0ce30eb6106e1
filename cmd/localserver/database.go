package localservercmd

import (
	"time"

	"github.com/parley-npc/parley/localserver"
)

const databaseHelp = "database `ADDRESS`: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else a file in the data folder)"

// startPatience is how long a starting server waits for PostgreSQL. Systemd and container runtimes wait
// longer for the server.
const startPatience = time.Minute

func (o *localserverOptions) findDatabase() (localserver.Database, error) {
	d, _, err := o.FindDatabase(o.database, !o.throwAway)
	d.Patience = startPatience
	return d, err
}
