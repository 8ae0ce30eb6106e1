package service

import (
	"errors"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
)

const passwordWays = "set PGPASSWORD, or use a password file (PGPASSFILE, ~/.pgpass) or a service file (PGSERVICE, postgres:///?service=NAME), or set the whole address in PARLEY_DATABASE"

// FindDatabase returns the database of --database, or with environmentCounts that of
// PARLEY_DATABASE, and the name of the flag or variable. It rejects a password in the flag, because
// all users of the machine can see a program's arguments.
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
			Code: cli.ExitUsage, Err: errors.New("--database contains a password, which other users of this machine can see in the list of processes"), Hint: passwordWays,
		}
	}
	d.Password = e.Env("PGPASSWORD")
	return d, name, nil
}
