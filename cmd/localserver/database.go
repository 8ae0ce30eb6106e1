package localservercmd

import (
	"time"

	"github.com/parley-npc/parley/localserver"
)

const databaseHelp = "database `ADDRESS`: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else a file in the data folder)"

// startPatience is for how long a server that starts waits for its PostgreSQL: less than
// systemd and container runtimes take for a start that hangs.
const startPatience = time.Minute

// findDatabase returns the database that the flag or the environment names.
func (o *localserverOptions) findDatabase() (localserver.Database, error) {
	d, _, err := o.FindDatabase(o.database, !o.throwAway)
	d.Patience = startPatience
	return d, err
}
