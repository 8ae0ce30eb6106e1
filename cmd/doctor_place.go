package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
)

func (o *doctorOptions) examineSettings(context.Context) []doctorResult {
	s, err := o.Settings()
	if err == nil {
		_, err = service.ReadTimeout(s)
	}
	if err == nil {
		_, err = service.ReadLLMTimeout(s, 0)
	}
	if err != nil {
		return []doctorResult{foundOK("settings", "%s", err).fail("correct this setting")}
	}
	text := "server from " + s.Get(settings.Server).Origin
	if project := settings.FindProjectFile(o.WorkingFolder()); project != "" {
		text += ", project file " + project
	}
	return []doctorResult{foundOK("settings", "%s", text)}
}

const (
	minChatColumns = 40
	minChatRows    = 12
)

func (o *doctorOptions) examineTerminal(context.Context) []doctorResult {
	if !o.TTY.Out {
		return []doctorResult{foundOK("terminal", "none: lists are tab-separated, and the chat prints lines of text")}
	}
	width, height, err := term.GetSize(o.TTY.Stdout.Fd())
	found := foundOK("terminal", "%s, %d by %d", o.Env("TERM"), width, height)
	switch {
	case err != nil || width < minChatColumns || height < minChatRows:
		found = found.warn(fmt.Sprintf("the chat needs %d columns and %d rows: make the terminal larger, or use `parley chat --plain`",
			minChatColumns, minChatRows))
	case !o.ShowsUnicode():
		found.Message += ", ASCII"
		found = found.warn("set LANG to a UTF-8 locale, such as C.UTF-8")
	}
	return []doctorResult{found}
}

func (o *doctorOptions) examineFolders(context.Context) []doctorResult {
	d := o.Dirs()
	var list []doctorResult
	for _, f := range []struct {
		what, variable string
		find           func() (string, error)
	}{
		{"config", "PARLEY_CONFIG_DIR", d.Config}, {"data", "PARLEY_DATA_DIR", d.Data},
		{"state", "PARLEY_STATE_DIR", d.State},
	} {
		folder, err := f.find()
		if err != nil {
			list = append(list, foundOK(f.what, "%s", err).warn("set HOME or "+f.variable))
			continue
		}
		list = append(list, examineFolder(f.what, f.variable, folder))
	}
	return list
}

// examineRights also removes other users' access to Parley's files.
func (o *doctorOptions) examineRights(context.Context) []doctorResult {
	var list []doctorResult
	for _, wide := range service.NarrowRights(o.Environment) {
		message, remedy := service.DescribeWidened(wide)
		found := foundOK("rights", "%s", message).warn(remedy)
		if wide.Err != nil {
			found = found.fail(remedy)
		}
		list = append(list, found)
	}
	return list
}

func examineFolder(what, variable, folder string) doctorResult {
	at, isThere, err := nearestFolder(folder)
	if err == nil {
		err = canWrite(at)
	}
	switch {
	case err != nil:
		return foundOK(what, "%s cannot be written to: %s", folder, cli.PathReason(err)).
			fail("become the owner of the folder, or set another folder in " + variable)
	case !isThere:
		return foundOK(what, "%s, which will be created when needed", folder)
	}
	return foundOK(what, "%s", folder)
}

func nearestFolder(folder string) (at string, isThere bool, err error) {
	at = folder
	for {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return at, false, fmt.Errorf("%s is not a folder", at)
		case err == nil:
			return at, at == folder, nil
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at:
			return at, false, err
		}
		at = filepath.Dir(at)
	}
}

// canWrite creates a file, because permission bits are not conclusive.
func canWrite(folder string) error {
	f, err := os.CreateTemp(folder, ".parley-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func examineNamedDatabase(ctx context.Context, d localserver.Database, name string) doctorResult {
	found, err := d.Examine(ctx)
	switch {
	case err == nil:
		return foundOK("database", "%s (from %s) can be used: %s, schema version %d, the newest that this parley knows",
			d, name, found.Engine, found.Schema)
	case errors.Is(err, store.ErrEmpty):
		return foundOK("database", "%s (from %s) is empty: `parley localserver` creates its tables", d, name)
	}
	return explainDatabase(err, "check the address, and whether the database is running")
}

func explainDatabase(err error, fallback string) doctorResult {
	found := foundOK("database", "%s", err)
	if errors.Is(err, store.ErrOlder) {
		return found.warn("the next `parley localserver` of this version upgrades the database: before that, take " +
			"a snapshot with the Parley version that serves it now")
	}
	for _, known := range databaseRemedies {
		if errors.Is(err, known.err) {
			return found.fail(known.remedy)
		}
	}
	return found.fail(fallback)
}

const lostRemedy = "copy the database file and the files beside it to a safe place, then restore the last good " +
	"snapshot: parley localserver restore FILE --force"

var databaseRemedies = [...]struct {
	err    error
	remedy string
}{
	{store.ErrDatabaseNewer, "use the Parley version that wrote this database, or another database"},
	{store.ErrNewer, "use the newer Parley version that wrote the data, or another data folder"},
	{store.ErrForeignCode, "find out which program created this code; Parley does not create such code"},
	{store.ErrEmptied, lostRemedy},
	{store.ErrDamaged, lostRemedy},
	{store.ErrLinked, "delete the other hard links, or make a copy of the file and use the copy; a copy made while " +
		"a server runs needs `parley localserver snapshot`"},
	{store.ErrDatabaseForeign, "use an empty database, or an empty schema with ?search_path=NAME"},
	{store.ErrStandby, "use the address of the primary server, or make the database writable"},
	{store.ErrNoRights, "let the database's owner run the GRANT CREATE, then run this command again"},
	{store.ErrRefused, "check user and database in the address, and the password (PGPASSWORD, PGPASSFILE, ~/.pgpass)"},
	{store.ErrCrowded, "all connections of PostgreSQL are used: raise its max_connections, or give each node fewer " +
		"with ?pool_max_conns=N in its address (default: 16)"},
	{store.ErrStarting,
		"wait until the database has started or recovered; a server that starts meanwhile waits for a minute"},
}

func (o *doctorOptions) examineDatabase(ctx context.Context) []doctorResult {
	switch d, name, err := o.FindDatabase(o.database, true); {
	case err != nil:
		return []doctorResult{foundOK("database", "%s", err).fail("look at " + name)}
	case d.Address != "":
		return []doctorResult{examineNamedDatabase(ctx, d, name)}
	}
	dir, err := o.Dirs().Data()
	if err != nil {
		return nil // examineFolders reports the error
	}
	err = datafolder.CheckDatabase(ctx, dir)
	switch {
	case err == nil:
		return []doctorResult{foundOK("database", "is whole")}
	case errors.Is(err, fs.ErrNotExist):
		return []doctorResult{foundOK("database", "none yet: `parley localserver` creates it")}
	case errors.Is(err, datafolder.ErrBusy):
		return []doctorResult{foundOK("database", "in use by a running local server")}
	case ctx.Err() != nil:
		return []doctorResult{foundOK("database", "too large to be checked within %s", doctorTimeout)}
	}
	return []doctorResult{explainDatabase(err,
		"move "+dir+" away and start `parley localserver` again, or put a copy of the data there")}
}

func (o *doctorOptions) examineProject(context.Context) []doctorResult {
	folder := personafiles.LockFolder(o.WorkingFolder())
	path := filepath.Join(folder, personafiles.LockName)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	if _, err := personafiles.ReadLock(path); err != nil {
		return []doctorResult{foundOK("project", "%s", err).fail("correct it, or restore it from git")}
	}
	return []doctorResult{foundOK("project", "%s can be read", path)}
}
