package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/store/db"
)

// The objects that a migration creates, in the style of our migrations.
var (
	tablePattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`) })
	functionPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?ms)^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$`)
	})
)

// ownObjects returns the tables that the migrations make, including those of a restore, and all
// bodies that they have ever given to each function.
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
			tables = append(tables, made[1], stagedTable(made[1]))
		}
		for _, made := range functionPattern().FindAllStringSubmatch(script, -1) {
			functions[made[1]] = append(functions[made[1]], made[2])
		}
	}
	return tables, functions, err
}

// checkForeignCode refuses a schema with our tables if PostgreSQL would execute foreign code, or
// hide rows, on our reads and writes: triggers, rules, row security, foreign types, and foreign
// functions in defaults, constraints, indexes or in the place of ours.
func checkForeignCode(ctx context.Context, q *db.Queries) error {
	tables, functions, err := ownObjects()
	if err != nil {
		return err
	}
	found, err := q.ForeignCode(ctx, strings.Join(tables, ","))
	if err != nil {
		return err
	}
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	bodies, err := q.OwnFunctions(ctx, strings.Join(names, ","))
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
	return fmt.Errorf("it has the %s, which parley does not make: %w", found[0], db.ErrForeignCode)
}
