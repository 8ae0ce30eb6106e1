package localservercmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type keptOptions struct {
	*service.Environment
	file     string
	data     string
	database string
	force    bool
}

func (o *keptOptions) addFlags(c *cobra.Command) {
	addDataFlag(c, &o.data)
	c.Flags().StringVar(&o.database, "database", "",
		"`ADDRESS` of the database if the data is not in the folder: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE)")
}

type keptData struct {
	folder   string
	database localserver.Database
}

func (k keptData) String() string {
	if k.database.Address != "" {
		return k.database.String()
	}
	return k.folder
}

func (k keptData) describeWork(work string) string {
	if k.database.Address != "" {
		return work
	}
	return work + " of " + k.folder
}

func (o *keptOptions) findKept() (kept keptData, err error) {
	switch {
	case o.data != "" && o.database != "":
		return kept, cli.UsageError("--data and --database are mutually exclusive")
	case o.data == datafolder.Memory:
		return kept, cli.UsageError("--data %s stores nothing on disk: give a folder", plaintext.ShellWord(o.data))
	}
	if kept.database, _, err = o.FindDatabase(o.database, o.data == ""); err != nil {
		return kept, err
	}
	if kept.database.Address == "" {
		kept.folder, err = o.DataFolder(o.data)
	}
	return kept, err
}

func (o *keptOptions) showCopy(what string) (progress store.Progress, finish func()) {
	var bar *cli.ProgressBar
	counted := int64(0)
	finish = func() {
		if bar != nil {
			bar.Finish()
		}
	}
	return func(table string, done, total int64) {
		if bar == nil || total != counted {
			finish()
			bar, counted = o.ShowProgress(int(total), what), total
		}
		bar.ShowCount(int(done), table)
	}, finish
}

const snapshotLong = `Copy the current data of a data directory or database into a file: users, personas,
sessions, progress, stored answers and hashes of API keys. Servers may run
meanwhile. The copy is restored once as a check before it gets its name, so a
damaged database gives no snapshot. It ends with a checksum that restore verifies.

A snapshot does not depend on the database: one of SQLite can be restored into
PostgreSQL and the reverse. For PostgreSQL, rows are counted and hashed on both
sides.

The signing key of the development sign-in is not included, so the file lets nobody
sign in. ` + "`parley localserver restore`" + ` restores it.`

const snapshotExample = `  parley localserver snapshot before.parley
  parley localserver snapshot --force --data ./data nightly.parley
  parley localserver snapshot --database 'postgres://parley@db.example.com/parley?sslmode=verify-full' nightly.parley`

func newSnapshotCmd(env *service.Environment) *cobra.Command {
	o := &keptOptions{Environment: env}
	c := &cobra.Command{
		Use:     "snapshot FILE",
		Short:   "Copy the local server's data into a file, even while the server runs",
		Long:    snapshotLong,
		Example: snapshotExample,
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runSnapshot(c.Context(), o)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.force, "force", false, "overwrite an existing FILE")
	return c
}

func runSnapshot(ctx context.Context, o *keptOptions) error {
	kept, err := o.findKept()
	if err != nil {
		return err
	}
	progress, finish := o.showCopy("copying")
	copied, err := datafolder.WriteSnapshot(ctx, kept.database.Place(kept.folder), o.file, o.force, progress)
	finish()
	if err != nil {
		return explainBackup(fmt.Errorf("%s: %w", kept.describeWork("snapshot"), err),
			"overwrite the file with --force, or give another file")
	}
	o.Say("%s in %s", sizeText(o.file), terminal.Clean(o.file))
	o.Say("checked: %s", store.DescribeCopied(copied))
	return nil
}

func sizeText(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "the data is"
	}
	return fmt.Sprintf("%.1f MiB", float64(info.Size())/(1<<20))
}

func explainBackup(err error, existsHint string) error {
	switch {
	case errors.Is(err, datafolder.ErrExists):
		return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: existsHint}
	case errors.Is(err, datafolder.ErrChanged):
		return cli.WrapTrouble(err, "use another copy of the file; for a database or a changed snapshot, take a new snapshot first: `parley localserver snapshot --database sqlite:FILE NEW`")
	case errors.Is(err, store.ErrDamaged):
		return &cli.Failure{Code: cli.ExitNo, Err: err,
			Hint: "copy the database and the files beside it to a safe place, then restore the last good snapshot"}
	case errors.Is(err, store.ErrKept):
		return &cli.Failure{Code: cli.ExitNo, Err: err,
			Hint: "take a snapshot of the existing data and then delete the data with --force, or use an empty database"}
	case errors.Is(err, store.ErrInUse):
		return cli.WrapTrouble(err, "stop the servers that use the database, then restore")
	case errors.Is(err, datafolder.ErrBusy):
		return cli.WrapTrouble(err, "stop the server with Ctrl-C, then restore")
	case errors.Is(err, datafolder.ErrNoData):
		return cli.WrapTrouble(err, "give the same --data as when the server was started")
	case errors.Is(err, store.ErrEmpty):
		return cli.WrapTrouble(err, "give the same --database as when the server was started")
	}
	return cli.WrapTrouble(err, "")
}

const restoreLong = `Replace the local server's data, in its directory or in a database, with a snapshot.
Restoring is refused while a server uses them, if there is data already, and if the
file was altered, cut off or written by a later version. With --force old data in a
directory is kept aside under a printed name; rows of a PostgreSQL database are
deleted, so take a snapshot first.

Rows are counted and hashed at both ends. An interrupted restore leaves the data as
it was: run it again. In PostgreSQL it then continues with the rows already sent.

Users stay signed in, because the signing key is in the directory.`

const restoreExample = `  parley localserver restore before.parley --force
  parley localserver restore before.parley --data ./copy && parley localserver --data ./copy
  parley localserver restore before.parley --database 'postgres://parley@db.example.com/parley?sslmode=verify-full'`

func newRestoreCmd(env *service.Environment) *cobra.Command {
	o := &keptOptions{Environment: env}
	c := &cobra.Command{
		Use:     "restore FILE",
		Short:   "Restore the local server's data from a snapshot",
		Long:    restoreLong,
		Example: restoreExample,
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runRestore(c.Context(), o)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.force, "force", false, "replace existing data; the data of a folder is moved aside")
	return c
}

func runRestore(ctx context.Context, o *keptOptions) error {
	kept, err := o.findKept()
	if err != nil {
		return err
	}
	progress, finish := o.showCopy("restoring")
	done, err := datafolder.RestoreSnapshot(ctx, o.file, kept.database.Place(kept.folder), o.force, o.Now(), progress)
	finish()
	if err != nil {
		return explainBackup(fmt.Errorf("restore: %w", err),
			"replace the data with --force, which moves the old data aside, or give another folder with --data")
	}
	o.Say("restored into %s", terminal.Clean(kept.String()))
	o.Say("checked the row count and the hash of each table: %s", store.DescribeCopied(done.Copied))
	if done.Aside != "" {
		o.Say("the old data was moved to %s", terminal.Clean(done.Aside))
	}
	return nil
}
