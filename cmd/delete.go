package cmd

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui"
)

type deleteOptions struct {
	*app
	bulk
	words  []string
	yes    bool
	dryRun bool
}

func newDeleteCmd(a *app, run func(context.Context, *deleteOptions) error) *cobra.Command {
	o := &deleteOptions{app: a}
	c := &cobra.Command{
		Use:   "delete PERSONA|FILE...",
		Short: "Delete personas of yours, with every session anybody has with them",
		Long: `Delete personas of yours. Their machines and the chat history of all their players go
with them, and nothing brings them back. FILE is a file, a folder or a glob, for the
personas that parley.lock says the files are; the files stay. - reads such words from
stdin, a line each.

On a terminal the name is asked for, or once for many of them their number; without
a terminal, --yes is needed.`,
		Example: "  parley persona delete Biscuit\n  parley persona delete --dry-run drafts/\n  parley persona delete 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 --yes",
		Args:    atLeast("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return run(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "delete nothing; show what would be")
	o.add(c)
	return c
}

// doomed is a persona that is to be deleted.
type doomed struct {
	target
	name string
}

const resultDeleted = "deleted"

func runDelete(ctx context.Context, o *deleteOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if asks := !o.yes && !o.dryRun; asks && (!o.tty.in || slices.Contains(o.words, "-")) {
		return usage("deleting asks for the persona's name, and %w: give --yes", errNoTerminal)
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	found, err := o.targets(ctx, s, o.words)
	if err != nil {
		return err
	}
	s = s.paced(ctx, &progressBar{app: o.app})
	all := o.name(ctx, s, found)
	if isOneTarget(o.words) {
		return o.deleteOne(ctx, s, &all[0])
	}
	if o.dryRun {
		return o.showDoomed(ctx, all)
	}
	if err := o.confirmAll(ctx, all); err != nil {
		return err
	}
	return o.deleteAll(ctx, s, all)
}

// name finds what the personas are called, which also tells whether they are there.
func (o *deleteOptions) name(ctx context.Context, s *service, found []target) []doomed {
	all := make([]doomed, len(found))
	jobs := make([]func(), len(found))
	for i, t := range found {
		all[i].target = t
		jobs[i] = func() {
			if t.err != nil {
				return
			}
			p, err := s.Persona(ctx, t.id)
			if all[i].name = p.Name; err != nil {
				all[i].err = fmt.Errorf("delete %s: %w", t.named, err)
			}
		}
	}
	atATime(o.concurrency, jobs)
	return all
}

func (o *deleteOptions) deleteOne(ctx context.Context, s *service, d *doomed) error {
	if d.err != nil {
		return d.err
	}
	if o.dryRun {
		return o.showDoomed(ctx, []doomed{*d})
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("This deletes %q and all its players' sessions for good. Type its name to go on: ", tui.Clean(d.name)), d.name); err != nil {
			return err
		}
	}
	if err := o.delete(ctx, s, d); err != nil {
		return err
	}
	o.say("deleted %s (%s)", tui.Clean(d.name), d.id)
	return nil
}

func (o *deleteOptions) delete(ctx context.Context, s *service, d *doomed) error {
	// Its absence is what was wished for; the answer to a first attempt may be lost.
	if err := s.DeletePersona(ctx, d.id); err != nil && statusOf(err) != http.StatusNotFound {
		return fmt.Errorf("delete %s: %w", d.named, err)
	}
	if err := s.sessions.Forget(s.address, d.id); err != nil {
		o.warn("deleted, but %v", err)
	}
	return nil
}

// showDoomed lists what would be deleted, and fails for what would not.
func (o *deleteOptions) showDoomed(ctx context.Context, all []doomed) error {
	outcomes := make([]outcome, len(all))
	var rows [][]string
	for i, d := range all {
		outcomes[i] = outcome{d.named, "would-delete", d.err}
		if d.err == nil {
			rows = append(rows, []string{d.id, d.name})
		}
	}
	if err := o.printTable([]string{"ID", "NAME"}, rows); err != nil {
		return err
	}
	return o.conclude(ctx, summary{"persona", resultDeleted, []string{"would-delete"}}, outcomes)
}

// confirmAll asks once for all of them.
func (o *deleteOptions) confirmAll(ctx context.Context, all []doomed) error {
	if o.yes {
		return nil
	}
	var list strings.Builder
	n := 0
	for _, d := range all {
		if d.err == nil {
			n++
			fmt.Fprintf(&list, "  %s  %s\n", d.id, tui.Clean(d.name))
		}
	}
	if n == 0 {
		return nil
	}
	o.warn("This deletes for good, with all their players' sessions:\n%s", strings.TrimSuffix(list.String(), "\n"))
	return o.confirm(ctx, fmt.Sprintf("Type \"delete %d\" to go on: ", n), fmt.Sprintf("delete %d", n))
}

func (o *deleteOptions) deleteAll(ctx context.Context, s *service, all []doomed) error {
	bar := o.bar(len(all), "deleting")
	s = s.paced(ctx, bar)
	tasks := make([]task, len(all))
	for i := range all {
		d := &all[i]
		tasks[i] = task{d.named, func(ctx context.Context) (string, error) {
			if d.err != nil {
				return "", d.err
			}
			return resultDeleted, o.delete(ctx, s, d)
		}}
	}
	outcomes := o.perform(ctx, bar, tasks)
	bar.done()
	return o.conclude(ctx, summary{"persona", resultDeleted, []string{resultDeleted}}, outcomes)
}
