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

// Database is the place of a server's persistent data. The zero value is the file in its data
// folder.
type Database struct {
	// Address is sqlite:PATH or postgres://USER@HOST/NAME.
	Address string
	// Password is the password for PostgreSQL if the address does not contain one (PGPASSWORD).
	Password string
	// Patience is the time for which a start waits for a PostgreSQL that is starting or cannot be
	// reached. The log reports the wait.
	Patience time.Duration
}

// sqlitePrefix begins the address of a file.
const sqlitePrefix = "sqlite:"

// Check refuses an address of another kind, or one that cannot be parsed. The error does not
// contain the address.
func (d Database) Check() error {
	path, isFile := strings.CutPrefix(d.Address, sqlitePrefix)
	switch {
	case d.Address == "", isFile && path != "" && path != store.Memory:
		return nil
	case isFile:
		return errors.New("sqlite: is followed by the path of a file (data that is not kept: --data :memory:)")
	case store.IsPostgres(d.Address):
		return store.CheckAddress(d.Address)
	}
	return errors.New("an address of a database begins with sqlite: or with postgres://")
}

// HasPassword reports whether the address contains a password, or a text that may be one.
func (d Database) HasPassword() bool {
	return store.IsPostgres(d.Address) && store.HasPassword(d.Address)
}

// IsFile reports whether it is a SQLite file.
func (d Database) IsFile() bool { return strings.HasPrefix(d.Address, sqlitePrefix) }

// String is the address without what must not be shown; "" for the file in the data
// folder.
func (d Database) String() string {
	switch {
	case store.IsPostgres(d.Address):
		return store.DescribeAddress(d.Address)
	case strings.HasPrefix(d.Address, sqlitePrefix):
		return d.Address
	}
	return ""
}

// What Examine finds of a database.
var (
	// ErrNoDatabase: no server has kept anything in a database yet.
	ErrNoDatabase       error = store.ErrEmpty
	ErrDatabaseOlder    error = store.ErrOlder
	ErrDatabaseNewer    error = store.ErrDatabaseNewer
	ErrDatabaseForeign  error = store.ErrDatabaseForeign
	ErrDatabaseReadOnly error = store.ErrStandby
	ErrDatabaseRefused  error = store.ErrRefused
	ErrDatabaseForbids  error = store.ErrNoRights
	ErrDatabaseCrowded  error = store.ErrCrowded
	ErrDatabaseDown     error = store.ErrDown
	ErrDatabaseStarting error = store.ErrStarting
	// ErrDatabaseCode: another program has put code into it that would be executed.
	ErrDatabaseCode error = store.ErrForeignCode
	// ErrFileNewer is ErrDatabaseNewer of a SQLite file.
	ErrFileNewer error = store.ErrNewer
)

// DatabaseState is the result of Examine for a usable database.
type DatabaseState = store.State

// Examine inspects a database without changing anything. It returns ErrNoDatabase if the database
// does not exist yet, and ErrDatabaseOlder if the next server would change its schema.
func (d Database) Examine(ctx context.Context) (DatabaseState, error) {
	if err := d.Check(); err != nil {
		return DatabaseState{}, err
	}
	path := strings.TrimPrefix(d.Address, sqlitePrefix)
	found, err := store.ExamineDatabase(ctx, store.Options{Path: path, Password: d.Password})
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoDatabase
	}
	return found, err
}

// place returns the place of the rows: the file of a data folder unless an address is set.
func (d Database) place(dir string) datafolder.Place {
	if d.Address == "" {
		return datafolder.FindPlace(dir)
	}
	return datafolder.Place{Path: strings.TrimPrefix(d.Address, sqlitePrefix), Password: d.Password}
}

// Snapshot is datafolder.WriteSnapshot of a database, which is in the data folder dir unless
// it has an address.
func Snapshot(ctx context.Context, from Database, dir, file string, replace bool, progress CopyProgress) ([]store.Copied, error) {
	return datafolder.WriteSnapshot(ctx, from.place(dir), file, replace, progress)
}

// Restore is datafolder.RestoreSnapshot into such a database.
func Restore(ctx context.Context, file string, to Database, dir string, replace bool, now time.Time, progress CopyProgress) (Restored, error) {
	return datafolder.RestoreSnapshot(ctx, file, to.place(dir), replace, now, progress)
}

// ReadSnapshot calls hear for each conversation, of any player, with the personas of a name in a
// snapshot. It restores the snapshot into a temporary folder and stops at the first error.
func ReadSnapshot(ctx context.Context, file, persona string, now time.Time, hear play.Hear) (err error) {
	dir, err := os.MkdirTemp("", "parley-snapshot-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := Restore(ctx, file, Database{}, dir, false, now, nil); err != nil {
		return err
	}
	kept, err := store.Open(ctx, store.Options{Path: datafolder.DatabaseFile(dir), Durability: store.Volatile})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return play.EachConversation(ctx, kept, persona, hear)
}

// openStore opens the database that the options name, and makes the folder of a file this
// process's.
func (s *Server) openStore(ctx context.Context, o Options) (*store.Store, error) {
	durability, err := o.storeDurability()
	if err != nil {
		return nil, err
	}
	path, err := s.findDatabase(o.Database)
	if err != nil {
		return nil, err
	}
	kept, err := store.Open(ctx, store.Options{
		Path: path, Password: o.Database.Password, Durability: durability, Now: o.Now, OnCommit: s.telemetry.CountCommit,
		Patience: o.Database.Patience, OnWait: func(why error) {
			o.Log.LogAttrs(ctx, slog.LevelWarn, "waiting for the database", slog.Any("error", why))
		},
	})
	if err != nil {
		return nil, err
	}
	s.onStop(kept.Close)
	if err := kept.Ping(ctx); store.IsUnkept(err) {
		o.Log.LogAttrs(ctx, slog.LevelWarn, "little or nothing can be kept", slog.Any("error", err))
	}
	warnOfRestore(ctx, o)
	if o.KeepSessions > 0 {
		s.deleteIdle(kept, &o)
	}
	if o.Data != datafolder.Memory { // A temporary database is deleted with the server, and its log is not read.
		s.watchDatabase(kept, o.Log)
	}
	return kept, nil
}

// warnOfRestore reports that a database may have less than it should: a restore into it was
// begun and has not finished.
func warnOfRestore(ctx context.Context, o Options) {
	if !store.IsPostgres(o.Database.Address) {
		return
	}
	if found, err := o.Database.Examine(ctx); err == nil && found.Restoring {
		o.Log.LogAttrs(ctx, slog.LevelWarn, "a restore into the database was begun and has not finished: stop the servers and run it again, or drop its tables restored_*")
	}
}

// findDatabase returns the store's path. A file outside of the data folder is locked by the lock of
// its own folder, so that two servers with different data folders never share it.
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
	if isFolder(s.Dir(), filepath.Dir(path)) {
		return path, nil
	}
	folder, err := datafolder.Open(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	s.onStop(folder.Close)
	return path, nil
}

// isFolder reports whether two paths are the same folder.
func isFolder(one, other string) bool {
	whole, err := filepath.Abs(one)
	return err == nil && resolveFolder(whole) == resolveFolder(other)
}

func resolveFolder(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}
