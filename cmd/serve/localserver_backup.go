package serve

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type snapshotOptions struct {
	*service.Environment
	file  string
	data  string
	force bool
}

const snapshotLong = `Copy what the local server of a data folder has kept at this moment into a file:
users, personas, sessions, progress and the hashes of API keys. The server may run
and be played on meanwhile. The copy is checked before it gets its name.

The key with which the development provider signs tokens is not in it, so the file
lets nobody sign in. ` + "`parley localserver restore`" + ` puts it back.`

func newSnapshotCmd(env *service.Environment) *cobra.Command {
	o := &snapshotOptions{Environment: env}
	c := &cobra.Command{
		Use:     "snapshot FILE",
		Short:   "Copy the local server's data into a file, while it runs",
		Long:    snapshotLong,
		Example: "  parley localserver snapshot before.parley\n  parley localserver snapshot --force --data ./data nightly.parley",
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runSnapshot(c.Context(), o)
		},
	}
	addDataFlag(c, &o.data)
	c.Flags().BoolVar(&o.force, "force", false, "write over a FILE that is there")
	return c
}

func runSnapshot(ctx context.Context, o *snapshotOptions) error {
	data, err := findKeptData(o.Environment, o.data)
	if err != nil {
		return err
	}
	if err := localserver.Snapshot(ctx, data, o.file, o.force); err != nil {
		return explainBackup(fmt.Errorf("snapshot of %s: %w", data, err), "write over it with --force, or name another file")
	}
	o.Say("%s in %s", sizeText(o.file), terminal.Clean(o.file))
	return nil
}

// findKeptData gives the data folder of a command that needs no running server.
func findKeptData(env *service.Environment, flag string) (string, error) {
	if flag == localserver.Memory {
		return "", cli.UsageError("--data %s keeps nothing: name a folder", plaintext.ShellWord(flag))
	}
	return env.DataFolder(flag)
}

// sizeText says how large a file is.
func sizeText(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "the data is"
	}
	return fmt.Sprintf("%.1f MiB", float64(info.Size())/(1<<20))
}

// explainBackup gives a snapshot or restore that failed its exit code and next step. hint
// is the one for a file or data that exists already.
func explainBackup(err error, hint string) error {
	switch {
	case errors.Is(err, localserver.ErrExists):
		return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: hint}
	case errors.Is(err, localserver.ErrBusy):
		return cli.WrapTrouble(err, "stop the server with Ctrl-C, then restore")
	case errors.Is(err, localserver.ErrNoData):
		return cli.WrapTrouble(err, "name the folder with --data, as the server was started with")
	}
	return cli.WrapTrouble(err, "")
}

type restoreOptions struct {
	*service.Environment
	file  string
	data  string
	force bool
}

const restoreLong = `Make what a snapshot holds the data of the local server. It is refused while a server
runs on the data folder, when the file is damaged or was written by a later parley, and
when the folder has data already: --force then keeps that aside in the same folder,
under a name that is printed.

Who has signed in to the server stays signed in: the provider's key is the folder's.`

func newRestoreCmd(env *service.Environment) *cobra.Command {
	o := &restoreOptions{Environment: env}
	c := &cobra.Command{
		Use:     "restore FILE",
		Short:   "Put a snapshot back as the local server's data",
		Long:    restoreLong,
		Example: "  parley localserver restore before.parley --force\n  parley localserver restore before.parley --data ./copy && parley localserver --data ./copy",
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runRestore(c.Context(), o)
		},
	}
	addDataFlag(c, &o.data)
	c.Flags().BoolVar(&o.force, "force", false, "replace data that is there, and keep it aside")
	return c
}

func runRestore(ctx context.Context, o *restoreOptions) error {
	data, err := findKeptData(o.Environment, o.data)
	if err != nil {
		return err
	}
	aside, err := localserver.Restore(ctx, o.file, data, o.force, o.Now())
	if err != nil {
		return explainBackup(fmt.Errorf("restore %s: %w", o.file, err), "replace it with --force, which keeps the old data aside, or name another folder with --data")
	}
	o.Say("restored into %s", terminal.Clean(data))
	if aside != "" {
		o.Say("what was there is kept in %s", terminal.Clean(aside))
	}
	return nil
}
