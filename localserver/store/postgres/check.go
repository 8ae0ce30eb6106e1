package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Check inspects a database without changing it. It returns the error that Open would return. It
// returns ErrEmpty if no server has used the database yet, and ErrOlder if a server of this version
// would migrate it.
func Check(ctx context.Context, o Options) (db.State, error) {
	d, err := openPool(o)
	if err != nil {
		return db.State{}, err
	}
	found, err := d.check(ctx)
	if err != nil && !errors.Is(err, db.ErrEmpty) {
		err = describeFailure(o.Address, err)
	}
	return found, errors.Join(err, d.Close())
}

func (d *Database) check(ctx context.Context) (found db.State, err error) {
	if err := d.pool.QueryRowContext(ctx, "SELECT 'PostgreSQL ' || current_setting('server_version')").Scan(&found.Engine); err != nil {
		return found, err
	}
	if found.Schema, found.Known, err = d.checkVersion(ctx); err != nil {
		return found, err
	}
	if err := d.Ping(ctx); err != nil || found.Schema == found.Known {
		return found, err
	}
	return found, fmt.Errorf("%w: it has version %d, this parley uses version %d", db.ErrOlder, found.Schema, found.Known)
}

func (d *Database) checkVersion(ctx context.Context) (found, newest int64, err error) {
	q := db.New(d.pool)
	if err := checkOwner(ctx, q); err != nil {
		return 0, 0, err
	}
	own, err := q.CountTablesCalled(ctx, versionTable)
	switch {
	case err != nil:
		return 0, 0, err
	case own == 0:
		return 0, 0, db.ErrEmpty
	}
	provider, err := schemaSteps{db.PostgresMigrations()}.openProvider(d.pool)
	if err != nil {
		return 0, 0, err
	}
	return readVersions(ctx, provider)
}
