package serve

import "github.com/parley-npc/parley/localserver"

const databaseHelp = "where all is kept, `ADDRESS`: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else a file in the data folder)"

// findDatabase gives the database that the flag or the environment names.
func (o *localserverOptions) findDatabase() (localserver.Database, error) {
	d, _, err := o.FindDatabase(o.database, !o.throwAway)
	return d, err
}
