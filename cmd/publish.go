package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/lockfile"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

type publishOptions struct {
	*app
	persona string
	force   bool
	json    jsonFlag
}

func newPublishCmd(a *app, run func(context.Context, *publishOptions) error) *cobra.Command {
	o := &publishOptions{app: a}
	c := &cobra.Command{
		Use:   "publish PERSONA",
		Short: "Make a persona public and print its play link",
		Long: `Make a persona public and print its play link. It is refused when the persona has
errors as the server has it, and when the file that it is by parley.lock has errors
or was changed since it was saved: players would get something else than what the
file says. --force publishes all the same.`,
		Example: "  parley persona publish Biscuit\n  parley persona publish 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11",
		Args:    exactly("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.persona = args[0]
			return run(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false, "publish whatever the persona and its file say")
	o.json.add(c, wire.Published{})
	return c
}

func runPublish(ctx context.Context, o *publishOptions) error {
	s, id, err := o.reach(ctx, o.persona)
	if err != nil {
		return err
	}
	if !o.force {
		if err := o.ready(ctx, s, id); err != nil {
			return err
		}
	}
	published, err := s.PublishPersona(ctx, id)
	if err != nil {
		return fmt.Errorf("publish %s: %w", o.persona, err)
	}
	if o.json.on {
		return o.printJSON(o.json, published)
	}
	_, err = fmt.Fprintln(o.out, tui.Clean(published.PlayLink))
	return err
}

// ready refuses what should not be published yet.
func (o *publishOptions) ready(ctx context.Context, s *service, id string) error {
	full, err := s.FullPersona(ctx, id)
	if err != nil {
		return fmt.Errorf("publish %s: %w", o.persona, err)
	}
	doc := full.Document()
	if errs := lint.Errors(lint.All(&doc, personas.Validate(&doc))); len(errs) > 0 {
		for _, e := range errs {
			o.warn("%s: %s [%s]", tui.Clean(e.Path), tui.Clean(e.Message), e.Check)
		}
		return &failure{code: exitNo, err: fmt.Errorf("publish %s: it has %s (above)", o.persona, count(len(errs), "error")),
			hint: "put it right and save it, or publish it as it is with --force"}
	}
	return o.filesReady(s, id)
}

// filesReady looks at the files that are this persona by the parley.lock of the
// working folder. One that is gone has nothing to say.
func (o *publishOptions) filesReady(s *service, id string) error {
	folder := lockfile.Folder(o.folder())
	lock, err := lockfile.Read(filepath.Join(folder, lockfile.Name))
	if err != nil {
		return lockTrouble(err)
	}
	for _, entry := range lock.FilesOf(lockName(s.address), id) {
		file := shortPath(filepath.Join(folder, filepath.FromSlash(entry.File)), o.folder())
		f, err := o.readPersona(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !f.sound() {
			return &failure{code: exitNo, err: fmt.Errorf("publish %s: its file %s has errors", o.persona, file),
				hint: fmt.Sprintf("see `parley persona lint %s`, or publish what the server has with --force", file)}
		}
		if hash, err := contentHash(f.doc); err != nil || hash != entry.SHA256 {
			return &failure{code: exitNo, err: fmt.Errorf("publish %s: its file %s was changed since it was saved", o.persona, file),
				hint: fmt.Sprintf("save it first with `parley persona save %s`, or publish what the server has with --force", file)}
		}
	}
	return nil
}
