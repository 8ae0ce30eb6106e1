package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/plaintext"
)

var (
	tablePattern    = plaintext.Pattern(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`)
	functionPattern = plaintext.Pattern(`(?ms)^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$`)
)

// ownObjects returns the names of the tables that the migrations create. functions
// contains the functions that the migrations define. The value is a list of all bodies that a
// function has had.
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
		for _, made := range tablePattern().FindAllStringSubmatch(script, -1) {
			tables = append(tables, made[1])
		}
		for _, made := range functionPattern().FindAllStringSubmatch(script, -1) {
			functions[made[1]] = append(functions[made[1]], made[2])
		}
	}
	return tables, functions, err
}

// checkForeignCode returns an error if using our tables would execute code of another program or
// hide rows. It checks triggers, rules, row security, types, and functions that were changed or are
// not ours.
func checkForeignCode(ctx context.Context, q *db.Queries) error {
	tables, functions, err := ownObjects()
	if err != nil {
		return err
	}
	found, err := q.ForeignCode(ctx, strings.Join(tables, ","))
	if err != nil {
		return err
	}
	bodies, err := q.OwnFunctions(ctx, strings.Join(slices.Collect(maps.Keys(functions)), ","))
	if err != nil {
		return err
	}
	for _, f := range bodies {
		if !slices.Contains(functions[f.Name], f.Body) {
			found = append(found, "changed function "+f.Name)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("it contains the unexpected %s: %w", found[0], db.ErrForeignCode)
}
