package serve

import (
	"errors"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
)

const databaseHelp = "where all is kept, `ADDRESS`: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else a file in the data folder)"

// passwordWays are where a password may stand.
const passwordWays = "set PGPASSWORD, or use a password file (PGPASSFILE, ~/.pgpass) or a service file (PGSERVICE, postgres:///?service=NAME), or set the whole address in PARLEY_DATABASE"

// findDatabase gives the database that the flag or the environment names.
func (o *localserverOptions) findDatabase() (localserver.Database, error) {
	return findNamedDatabase(o.Environment, o.database, !o.throwAway)
}

// findNamedDatabase gives the database that a flag names, or the environment where it
// counts. A password in the flag is refused, since everybody on the machine sees the
// arguments of a program (docs/decisions/store.md, database-password).
func findNamedDatabase(env *service.Environment, flag string, environmentCounts bool) (localserver.Database, error) {
	d := localserver.Database{Address: flag}
	name := "--database"
	if flag == "" && environmentCounts {
		d.Address, name = env.Env("PARLEY_DATABASE"), "PARLEY_DATABASE"
	}
	if err := d.Check(); err != nil {
		return localserver.Database{}, cli.UsageError("%s: %w", name, err)
	}
	if name == "--database" && d.HasPassword() {
		return localserver.Database{}, &cli.Failure{
			Code: cli.ExitUsage, Err: errors.New("--database has a password, which others on this machine can read among the running programs"), Hint: passwordWays,
		}
	}
	d.Password = env.Env("PGPASSWORD")
	return d, nil
}
