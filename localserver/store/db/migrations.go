package db

import (
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

//go:embed migrations
var migrations embed.FS

// SQLiteMigrations returns the *.sql files that create the schema of a SQLite file.
func SQLiteMigrations() fs.FS { return migrationFiles("migrations/sqlite") }

// PostgresMigrations returns the *.sql files that create the schema of a PostgreSQL database.
func PostgresMigrations() fs.FS { return migrationFiles("migrations/postgres") }

type migrationFiles string

const bothMigrations = "migrations/both"

func (own migrationFiles) Open(name string) (fs.File, error) {
	file, err := migrations.Open(string(own) + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return migrations.Open(bothMigrations + "/" + name)
	}
	return file, err
}

func (own migrationFiles) ReadDir(string) ([]fs.DirEntry, error) {
	entries, err := migrations.ReadDir(string(own))
	both, bothErr := migrations.ReadDir(bothMigrations)
	entries = append(entries, both...)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, bothErr)
}
