package service

import (
	"errors"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
)

// passwordWays lists the places for a password.
const passwordWays = "set PGPASSWORD, or use a password file (PGPASSFILE, ~/.pgpass) or a service file (PGSERVICE, postgres:///?service=NAME), or set the whole address in PARLEY_DATABASE"

// FindDatabase returns the database that the flag --database names, or PARLEY_DATABASE where the
// environment counts, and which of the two named it. A password in the flag is refused, since
// everybody on the machine sees the arguments of a program.
func (e *Environment) FindDatabase(flag string, environmentCounts bool) (d localserver.Database, name string, err error) {
	d, name = localserver.Database{Address: flag}, "--database"
	if flag == "" && environmentCounts {
		d.Address, name = e.Env("PARLEY_DATABASE"), "PARLEY_DATABASE"
	}
	if err := d.Check(); err != nil {
		return localserver.Database{}, name, cli.UsageError("%s: %w", name, err)
	}
	if name == "--database" && d.HasPassword() {
		return localserver.Database{}, name, &cli.Failure{
			Code: cli.ExitUsage, Err: errors.New("--database has a password, which others on this machine can read among the running programs"), Hint: passwordWays,
		}
	}
	d.Password = e.Env("PGPASSWORD")
	return d, name, nil
}
