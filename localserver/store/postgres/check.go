package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Check inspects a database without changing the database. Check returns the error that Open would
// return. Check also returns ErrEmpty for an unused database, and ErrOlder before a migration.
func Check(ctx context.Context, options Options) (db.State, error) {
	d, err := openPool(options)
	if err != nil {
		return db.State{}, err
	}
	state, err := d.check(ctx)
	if err != nil && !errors.Is(err, db.ErrEmpty) {
		err = describeFailure(options.Address, err)
	}
	return state, errors.Join(err, d.Close())
}

func (d *Database) check(ctx context.Context) (state db.State, err error) {
	const engine = "SELECT 'PostgreSQL ' || current_setting('server_version')"
	if err := d.pool.QueryRowContext(ctx, engine).Scan(&state.Engine); err != nil {
		return state, err
	}
	if state.Schema, state.Known, err = d.checkVersion(ctx); err != nil {
		return state, err
	}
	if err := d.Ping(ctx); err != nil || state.Schema == state.Known {
		return state, err
	}
	return state, fmt.Errorf(
		"%w: it has version %d, this parley uses version %d", db.ErrOlder, state.Schema, state.Known,
	)
}

func (d *Database) checkVersion(ctx context.Context) (current, newest int64, err error) {
	q := db.New(d.pool)
	if err := checkOwner(ctx, q); err != nil {
		return 0, 0, err
	}
	count, err := q.CountTablesCalled(ctx, versionTable)
	switch {
	case err != nil:
		return 0, 0, err
	case count == 0:
		return 0, 0, db.ErrEmpty
	}
	provider, err := schemaSteps{db.PostgresMigrations()}.openProvider(d.pool)
	if err != nil {
		return 0, 0, err
	}
	return readVersions(ctx, provider)
}

var (
	tablePattern    = plaintext.Pattern(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`)
	functionPattern = plaintext.Pattern(`(?ms)^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$`)
)

func ownObjects() (tables []string, functions map[string][]string, err error) {
	tables, functions = []string{versionTable}, map[string][]string{}
	migrations := db.PostgresMigrations()
	names, err := fs.Glob(migrations, "*.sql")
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return nil, nil, err
		}
		script := strings.ReplaceAll(string(text), "\r\n", "\n")
		for _, match := range tablePattern().FindAllStringSubmatch(script, -1) {
			tables = append(tables, match[1])
		}
		for _, match := range functionPattern().FindAllStringSubmatch(script, -1) {
			functions[match[1]] = append(functions[match[1]], match[2])
		}
	}
	return tables, functions, err
}

// Triggers, rules, types and functions could run code of another program. Row security could hide
// rows.
func checkForeignCode(ctx context.Context, q *db.Queries) error {
	tables, functions, err := ownObjects()
	if err != nil {
		return err
	}
	objects, err := q.ForeignCode(ctx, strings.Join(tables, ","))
	if err != nil {
		return err
	}
	bodies, err := q.OwnFunctions(ctx, strings.Join(slices.Collect(maps.Keys(functions)), ","))
	if err != nil {
		return err
	}
	for _, f := range bodies {
		if !slices.Contains(functions[f.Name], f.Body) {
			objects = append(objects, "changed function "+f.Name)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	return fmt.Errorf("it contains the unexpected %s: %w", objects[0], db.ErrForeignCode)
}
