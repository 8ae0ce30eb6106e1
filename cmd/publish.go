package cmd

import (
	"cmp"
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
	"github.com/parley-npc/parley/tui/terminal"
)

type publishOptions struct {
	*app
	bulk
	words  []string
	force  bool
	dryRun bool
	json   jsonFlag
}

func newPublishCmd(a *app, run func(context.Context, *publishOptions) error) *cobra.Command {
	o := &publishOptions{app: a}
	c := &cobra.Command{
		Use:   "publish PERSONA|FILE...",
		Short: "Make personas public and print their play links",
		Long: `Make personas public and print their play links. PERSONA is an id or a name on the
service; FILE is a file, a folder or a glob, for the personas that parley.lock says
the files are; - reads such words from stdin, a line each.

It is refused when a persona has errors as the server has it, and when the file that
it is by parley.lock has errors or was changed since it was saved: players would get
something else than what the file says. --force publishes all the same.`,
		Example: "  parley persona publish Biscuit\n  parley persona publish personas/\n  parley persona save personas/ | parley persona publish -\n  parley persona publish 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11",
		Args:    atLeast("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return run(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false, "publish whatever the persona and its file say")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "publish nothing; check that it could be")
	o.add(c)
	o.json.add(c, publishedItem{})
	return c
}

// publishedItem is what --json prints of one of many personas; of one that was not
// published the link is "".
type publishedItem struct {
	wire.Published
	Persona string `json:"persona"` // as it was named
	Result  string `json:"result"`
	Error   string `json:"error"`
}

const resultPublished = "published"

func runPublish(ctx context.Context, o *publishOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	found, err := o.targets(ctx, s, o.words)
	if err != nil {
		return err
	}
	items := make([]publishedItem, len(found))
	outcomes := o.publishAll(ctx, s, found, items)
	unprinted := o.printPublished(items, outcomes)
	if isOneTarget(o.words) {
		return cmp.Or(unprinted, outcomes[0].err, ctx.Err())
	}
	return cmp.Or(unprinted, o.conclude(ctx, summary{"persona", "published", []string{resultPublished, "would-publish"}}, outcomes))
}

func (o *publishOptions) publishAll(ctx context.Context, s *service, found []target, items []publishedItem) []outcome {
	bar := o.bar(len(found), "publishing")
	defer bar.done()
	s = s.paced(ctx, bar)
	tasks := make([]task, len(found))
	for i, t := range found {
		items[i].Persona = t.named
		tasks[i] = task{t.named, func(ctx context.Context) (result string, err error) {
			items[i].Published, result, err = o.publishOne(ctx, s, t)
			return result, err
		}}
	}
	return o.perform(ctx, bar, tasks)
}

func (o *publishOptions) publishOne(ctx context.Context, s *service, t target) (published wire.Published, result string, err error) {
	if t.err != nil {
		return published, "", t.err
	}
	if !o.force {
		if err := o.ready(ctx, s, t); err != nil {
			return published, "", err
		}
	}
	if o.dryRun {
		return wire.Published{PersonaID: t.id}, "would-publish", nil
	}
	published, err = s.PublishPersona(ctx, t.id)
	if err != nil {
		return wire.Published{PersonaID: t.id}, "", fmt.Errorf("publish %s: %w", t.named, err)
	}
	return published, resultPublished, nil
}

func (o *publishOptions) printPublished(items []publishedItem, outcomes []outcome) error {
	for i := range items {
		items[i].Result, items[i].Error = outcomes[i].word(), outcomes[i].fault()
	}
	return printResults(o.app, o.json, isOneTarget(o.words), outcomes, items, func(i publishedItem) string { return i.PlayLink })
}

// ready refuses what should not be published yet.
func (o *publishOptions) ready(ctx context.Context, s *service, t target) error {
	full, err := s.FullPersona(ctx, t.id)
	if err != nil {
		return fmt.Errorf("publish %s: %w", t.named, err)
	}
	doc := full.Document()
	if errs := lint.Errors(lint.All(&doc, personas.Validate(&doc))); len(errs) > 0 {
		for _, e := range errs {
			o.warn("%s: %s: %s [%s]", terminal.Clean(t.named), terminal.Clean(e.Path), terminal.Clean(e.Message), e.Check)
		}
		return &failure{code: exitNo, err: fmt.Errorf("publish %s: it has %s (above)", t.named, count(len(errs), "error")),
			hint: "put it right and save it, or publish it as it is with --force"}
	}
	if t.file != "" {
		return o.fileReady(t.named, t.file, t.entry)
	}
	return o.filesReady(s, t)
}

// filesReady looks at the files that are this persona by the parley.lock of the
// working folder. One that is gone has nothing to say.
func (o *publishOptions) filesReady(s *service, t target) error {
	folder := lockfile.Folder(o.folder())
	lock, err := lockfile.Read(filepath.Join(folder, lockfile.Name))
	if err != nil {
		return lockTrouble(err)
	}
	for _, entry := range lock.FilesOf(lockName(s.address), t.id) {
		file := shortPath(filepath.Join(folder, filepath.FromSlash(entry.File)), o.folder())
		if err := o.fileReady(t.named, file, entry); err != nil {
			return err
		}
	}
	return nil
}

// fileReady refuses a persona whose file says something else than the server.
func (o *publishOptions) fileReady(persona, file string, entry lockfile.Entry) error {
	f, err := o.readPersona(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !f.sound():
		return &failure{code: exitNo, err: fmt.Errorf("publish %s: its file %s has errors", persona, file),
			hint: fmt.Sprintf("see `parley persona lint %s`, or publish what the server has with --force", file)}
	}
	if hash, err := contentHash(f.doc); err != nil || hash != entry.SHA256 {
		return &failure{code: exitNo, err: fmt.Errorf("publish %s: its file %s was changed since it was saved", persona, file),
			hint: fmt.Sprintf("save it first with `parley persona save %s`, or publish what the server has with --force", file)}
	}
	return nil
}
