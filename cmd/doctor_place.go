package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
)

func (o *doctorOptions) examineBuild(context.Context) []doctorResult {
	b := cli.ReadBuildInfo()
	return []doctorResult{foundOK("parley", "%s, %s, %s", b.Version, b.Go, b.Platform)}
}

func (o *doctorOptions) examineSettings(context.Context) []doctorResult {
	s, err := o.Settings()
	if err != nil {
		return []doctorResult{foundOK("settings", "%s", err).withVerdict(verdictFail, "correct that file")}
	}
	text := "server from " + s.Get(settings.Server).Origin
	if project := settings.FindProjectFile(o.WorkingFolder()); project != "" {
		text += ", project file " + project
	}
	if _, err := service.ReadTimeout(s); err != nil {
		return []doctorResult{foundOK("settings", "%s", err).withVerdict(verdictFail, "correct the setting timeout")}
	}
	if _, err := service.ReadLLMTimeout(s, 0); err != nil {
		return []doctorResult{foundOK("settings", "%s", err).withVerdict(verdictFail, "correct the setting llm_timeout")}
	}
	return []doctorResult{foundOK("settings", "%s", text)}
}

const (
	minColumns = 40
	minRows    = 12
)

func (o *doctorOptions) examineTerminal(context.Context) []doctorResult {
	if !o.TTY.Out {
		return []doctorResult{foundOK("terminal", "none: lists are tab-separated, and the chat prints lines of text")}
	}
	width, height, err := term.GetSize(o.TTY.Stdout.Fd())
	if err != nil {
		return []doctorResult{foundOK("terminal", "%s, of unknown size", o.Env("TERM")).withVerdict(verdictWarn, "if the chat looks wrong, use `parley chat --plain`")}
	}
	signs := "Unicode"
	if !o.ShowsUnicode() {
		signs = "ASCII"
	}
	found := foundOK("terminal", "%s, %d by %d, %s, %s", o.Env("TERM"), width, height, o.colourText(), signs)
	switch {
	case o.Env("TERM") == "dumb":
		found.Message += ": the chat prints lines of text"
	case width < minColumns || height < minRows:
		return []doctorResult{found.withVerdict(verdictWarn, fmt.Sprintf("the chat needs %d columns and %d rows: make the terminal larger, or use `parley chat --plain`", minColumns, minRows))}
	case !o.ShowsUnicode():
		return []doctorResult{found.withVerdict(verdictWarn, "set LANG to a UTF-8 locale, such as C.UTF-8")}
	}
	return []doctorResult{found}
}

func (o *doctorOptions) colourText() string {
	switch depth := strings.ToLower(o.Env("COLORTERM")); {
	case !o.UsesColorOn(o.TTY.Out):
		return "no colour"
	case depth == "truecolor" || depth == "24bit":
		return "16 million colours"
	case strings.Contains(o.Env("TERM"), "256color"):
		return "256 colours"
	}
	return "16 colours"
}

// Free disk space, in bytes.
const (
	littleSpace = 200 << 20
	tooLittle   = 10 << 20
)

func (o *doctorOptions) examineFolders(context.Context) []doctorResult {
	d := o.Dirs()
	var list []doctorResult
	for _, f := range []struct {
		what, variable string
		find           func() (string, error)
	}{
		{"config", "PARLEY_CONFIG_DIR", d.Config}, {"data", "PARLEY_DATA_DIR", d.Data}, {"state", "PARLEY_STATE_DIR", d.State},
	} {
		folder, err := f.find()
		if err != nil {
			list = append(list, foundOK(f.what, "%s", err).withVerdict(verdictWarn, "set HOME or "+f.variable))
			continue
		}
		list = append(list, examineFolder(f.what, f.variable, folder))
	}
	return list
}

// examineRights removes other users' access to Parley's own files, and reports these files.
func (o *doctorOptions) examineRights(context.Context) []doctorResult {
	var list []doctorResult
	for _, wide := range service.NarrowRights(o.Environment) {
		message, remedy := service.DescribeWidened(wide)
		verdict := verdictWarn
		if wide.Err != nil {
			verdict = verdictFail
		}
		list = append(list, foundOK("rights", "%s", message).withVerdict(verdict, remedy))
	}
	return list
}

func examineFolder(what, variable, folder string) doctorResult {
	at, isThere, err := nearestFolder(folder)
	found := foundOK(what, "%s", folder)
	if !isThere {
		found.Message += ", which will be created when needed"
	}
	if err == nil {
		err = canWrite(at)
	}
	if err != nil {
		found.Message = fmt.Sprintf("%s cannot be written to: %s", folder, cli.PathReason(err))
		return found.withVerdict(verdictFail, "become the owner of the folder, or set another folder in "+variable)
	}
	free, err := freeSpace(at)
	switch {
	case err != nil:
		return found
	case free < tooLittle:
		found.Message += fmt.Sprintf(", on a disk with %d MiB left", free>>20)
		return found.withVerdict(verdictFail, "free up space on that disk")
	case free < littleSpace:
		found.Message += fmt.Sprintf(", on a disk with %d MiB left", free>>20)
		return found.withVerdict(verdictWarn, "free space on that disk")
	}
	return found
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

// canWrite checks whether a directory is writable. It creates and removes a file, because
// permissions alone are not conclusive.
func canWrite(folder string) error {
	f, err := os.CreateTemp(folder, ".parley-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// examineNamedDatabase checks the database of --database or the environment, and never shows its
// password.
func (o *doctorOptions) examineNamedDatabase(ctx context.Context, d localserver.Database, name string) doctorResult {
	found, err := d.Examine(ctx)
	switch {
	case err == nil && d.IsFile():
		return foundOK("database", "%s (from %s) is intact: %s", d, name, describeState(found))
	case err == nil:
		return foundOK("database", "%s (from %s) answers and accepts writes: %s", d, name, describeState(found))
	case errors.Is(err, store.ErrEmpty) && d.IsFile():
		return foundOK("database", "%s (from %s) does not exist yet: `parley localserver` creates it", d, name)
	case errors.Is(err, store.ErrEmpty):
		return foundOK("database", "%s (from %s) answers and is empty: %s; `parley localserver` creates its tables", d, name, found.Engine)
	}
	for _, remedy := range databaseRemedies {
		if errors.Is(err, remedy.err) {
			return foundOK("database", "%s", err).withVerdict(remedy.verdict, remedy.text)
		}
	}
	return foundOK("database", "%s", err).withVerdict(verdictFail, "check the address, and whether the database is running")
}

func describeState(s store.State) string {
	return fmt.Sprintf("%s, schema version %d, the newest that this parley knows", s.Engine, s.Schema)
}

// lostRemedy is the remedy for a database file that has lost its content.
const lostRemedy = "copy the database file and the files beside it to a safe place, then restore the last good snapshot: parley localserver restore FILE --force"

// linkedRemedy is the remedy for a database file with several names (hard links).
const linkedRemedy = "delete the other hard links, or make a copy of the file and use the copy; a copy made while a server runs needs `parley localserver snapshot`"

var databaseRemedies = [...]struct {
	err           error
	verdict, text string
}{
	{store.ErrOlder, verdictWarn, "the next `parley localserver` of this version upgrades the database: before that, take a snapshot with the Parley version that serves it now"},
	{store.ErrDatabaseNewer, verdictFail, "use the Parley version that wrote this database, or another database"},
	{store.ErrNewer, verdictFail, "use the newer Parley version that wrote the data, or put a snapshot that this version can read into another folder"},
	{store.ErrForeignCode, verdictFail, "find out which program created this code; Parley does not create such code"},
	{store.ErrEmptied, verdictFail, lostRemedy},
	{store.ErrLinked, verdictFail, linkedRemedy},
	{store.ErrDamaged, verdictFail, lostRemedy},
	{store.ErrDatabaseForeign, verdictFail, "use an empty database, or an empty schema with ?search_path=NAME"},
	{store.ErrStandby, verdictFail, "use the address of the primary server, or make the database writable"},
	{store.ErrNoRights, verdictFail, "let the database's owner run the GRANT CREATE, then run this command again"},
	{store.ErrRefused, verdictFail, "check user and database in the address, and the password (PGPASSWORD, PGPASSFILE, ~/.pgpass)"},
	{store.ErrCrowded, verdictFail, "all connections of PostgreSQL are used: raise its max_connections, or give each node fewer with ?pool_max_conns=N in its address (default: 16)"},
	{store.ErrStarting, verdictFail, "wait until the database has started or recovered; a server that starts meanwhile waits for a minute"},
	{store.ErrDown, verdictFail, "start the database, or check the host and port in the address"},
}

func (o *doctorOptions) examineDatabase(ctx context.Context) []doctorResult {
	switch d, name, err := o.FindDatabase(o.database, true); {
	case err != nil:
		return []doctorResult{foundOK("database", "%s", err).withVerdict(verdictFail, "look at "+name)}
	case d.Address != "":
		return []doctorResult{o.examineNamedDatabase(ctx, d, name)}
	}
	dir, err := o.Dirs().Data()
	if err != nil {
		return nil // The examination of the folders reports the error.
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
		return []doctorResult{foundOK("database", "too large to be checked within %s", checkPatience)}
	case errors.Is(err, store.ErrEmptied), errors.Is(err, store.ErrDamaged):
		return []doctorResult{foundOK("database", "%s", err).withVerdict(verdictFail, lostRemedy)}
	case errors.Is(err, store.ErrLinked):
		return []doctorResult{foundOK("database", "%s", err).withVerdict(verdictFail, linkedRemedy)}
	case errors.Is(err, store.ErrNewer):
		return []doctorResult{foundOK("database", "%s", err).withVerdict(verdictFail, "use the newer Parley version that wrote the data, or set another folder in PARLEY_DATA_DIR")}
	}
	return []doctorResult{foundOK("database", "%s", err).withVerdict(verdictFail, "move "+dir+" away and start `parley localserver` again, or put a copy of the data there")}
}

func (o *doctorOptions) examineProject(context.Context) []doctorResult {
	folder := personafiles.LockFolder(o.WorkingFolder())
	path := filepath.Join(folder, personafiles.LockName)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	if _, err := personafiles.ReadLock(path); err != nil {
		return []doctorResult{foundOK("project", "%s", err).withVerdict(verdictFail, "correct it, or restore it from git")}
	}
	return []doctorResult{foundOK("project", "%s can be read", path)}
}
