package localserver

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
)

// Database is the location of a server's data. The zero Database is the SQLite file in the data
// folder.
type Database struct {
	// Address is sqlite:PATH, postgres://USER@HOST/NAME, or "".
	Address string
	// Password is the PostgreSQL password if Address does not contain a password (PGPASSWORD).
	Password string
	// Patience limits the wait of Start for an unreachable PostgreSQL server.
	Patience time.Duration
}

const sqlitePrefix = "sqlite:"

// Check returns an error for an invalid address. The error omits the address, because the address
// may contain a password.
func (d Database) Check() error {
	path, isFile := strings.CutPrefix(d.Address, sqlitePrefix)
	switch {
	case d.Address == "", isFile && path != "" && path != store.Memory:
		return nil
	case isFile:
		return errors.New("sqlite: must be followed by the path of a file (for a temporary database, use --data :memory:)")
	case store.IsPostgres(d.Address):
		return store.CheckAddress(d.Address)
	}
	return errors.New("the address of a database must begin with sqlite: or postgres://")
}

// HasPassword reports whether the address may contain a password.
func (d Database) HasPassword() bool {
	return store.IsPostgres(d.Address) && store.HasPassword(d.Address)
}

// String returns the address without a password, or "" for the file in the data folder.
func (d Database) String() string {
	switch {
	case store.IsPostgres(d.Address):
		return store.DescribeAddress(d.Address)
	case strings.HasPrefix(d.Address, sqlitePrefix):
		return d.Address
	}
	return ""
}

// Examine inspects a database without changes. It returns store.ErrEmpty if the database does not
// exist, and store.ErrOlder if this version would change the schema.
func (d Database) Examine(ctx context.Context) (store.State, error) {
	if err := d.Check(); err != nil {
		return store.State{}, err
	}
	path := strings.TrimPrefix(d.Address, sqlitePrefix)
	state, err := store.ExamineDatabase(ctx, store.Options{Path: path, Password: d.Password})
	if errors.Is(err, fs.ErrNotExist) {
		err = store.ErrEmpty
	}
	return state, err
}

// Place returns the location of the database. dir is the data folder.
func (d Database) Place(dir string) datafolder.Place {
	if d.Address == "" {
		return datafolder.Place{Path: datafolder.DatabaseFile(dir)}
	}
	return datafolder.Place{Path: strings.TrimPrefix(d.Address, sqlitePrefix), Password: d.Password}
}

// ReadSnapshot restores a snapshot into a temporary folder. It calls hear for each conversation
// with a persona of the given name, and stops at the first error.
func ReadSnapshot(ctx context.Context, file, persona string, now time.Time, hear play.Hear) (err error) {
	dir, err := os.MkdirTemp("", "parley-snapshot-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := datafolder.RestoreSnapshot(ctx, file, Database{}.Place(dir), false, now, nil); err != nil {
		return err
	}
	database, err := store.Open(ctx, store.Options{Path: datafolder.DatabaseFile(dir), Durability: store.Volatile})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	return play.EachConversation(ctx, database, persona, hear)
}

func (s *Server) openStore(ctx context.Context, options Options) (*store.Store, error) {
	path, err := s.findDatabase(options.Database)
	if err != nil {
		return nil, err
	}
	database, err := store.Open(ctx, store.Options{
		Path: path, Password: options.Database.Password, Durability: options.Durability,
		Now: options.Now, OnCommit: s.telemetry.CountCommit,
		Patience: options.Database.Patience, OnWait: func(cause error) {
			options.Log.LogAttrs(ctx, slog.LevelWarn, "waiting for the database", slog.Any("error", cause))
		},
	})
	if err != nil {
		return nil, err
	}
	s.onStop(database.Close)
	if err := database.Ping(ctx); store.IsUnkept(err) {
		options.Log.LogAttrs(ctx, slog.LevelWarn, "the database accepts few or no writes", slog.Any("error", err))
	}
	if options.KeepSessions > 0 {
		s.deleteIdle(database, &options)
	}
	if options.Data != datafolder.Memory {
		s.watchDatabase(database, options.Log)
	}
	return database, nil
}

// findDatabase locks the folder of a SQLite file outside of the data folder. Servers with different
// data folders could otherwise share the file.
func (s *Server) findDatabase(d Database) (string, error) {
	path, isFile := strings.CutPrefix(d.Address, sqlitePrefix)
	switch {
	case d.Address == "":
		path = datafolder.DatabaseFile(s.Dir())
	case !isFile:
		return d.Address, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path = datafolder.ResolveFile(path)
	serverFolder, err := filepath.Abs(s.Dir())
	if err == nil && resolveFolder(serverFolder) == resolveFolder(filepath.Dir(path)) {
		return path, nil
	}
	_, closeFolder, err := datafolder.Open(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	s.onStop(closeFolder)
	return path, nil
}

func resolveFolder(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}
