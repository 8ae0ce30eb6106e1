package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Another program in the database may use goose's default name.
const versionTable = "parley_migrations"

const migrationLock = 1347570777

type schemaSteps struct{ files fs.FS }

func (steps schemaSteps) migrateSchema(ctx context.Context, pool *sql.DB) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	q := db.New(conn)
	if err := q.LockMigrations(ctx, migrationLock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.UnlockMigrations(context.WithoutCancel(ctx), migrationLock)) }()
	if err := checkOwner(ctx, q); err != nil {
		return err
	}
	provider, err := steps.openProvider(pool)
	if err != nil {
		return err
	}
	current, newest, err := readVersions(ctx, provider)
	if err != nil || current == newest {
		return err
	}
	if _, err := provider.Up(ctx); err != nil && !errors.Is(err, goose.ErrNoNextVersion) {
		return err
	}
	return nil
}

func checkOwner(ctx context.Context, q *db.Queries) error {
	count, err := q.CountTablesCalled(ctx, versionTable)
	if err != nil {
		return err
	}
	if count > 0 {
		return checkForeignCode(ctx, q)
	}
	others, err := q.CountTables(ctx)
	if err == nil && others > 0 {
		return fmt.Errorf("%w: use an empty database, or an empty schema with ?search_path=NAME", db.ErrForeign)
	}
	may, rights := q.MayCreateTables(ctx)
	if err == nil && rights == nil && !may {
		return db.ErrForbidden
	}
	return errors.Join(err, rights)
}

func (steps schemaSteps) openProvider(pool *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(
		goose.DialectPostgres, pool, steps.files, goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(versionTable),
	)
}

func readVersions(ctx context.Context, provider *goose.Provider) (current, newest int64, err error) {
	sources := provider.ListSources()
	newest = sources[len(sources)-1].Version
	current, err = provider.GetDBVersion(ctx)
	if err == nil && current > newest {
		return current, newest, fmt.Errorf(
			"it has schema version %d, but this parley supports only versions up to %d: %w", current, newest, db.ErrNewer,
		)
	}
	return current, newest, err
}
