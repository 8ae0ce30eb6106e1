package persona

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type deleteOptions struct {
	*service.Access
	batchFlags
	words  []string
	yes    bool
	dryRun bool
	json   cli.JSONFlag
}

func NewDeleteCmd(access *service.Access) *cobra.Command {
	o := &deleteOptions{Access: access}
	c := &cobra.Command{
		Use:   "delete PERSONA|FILE...",
		Short: "Delete your personas with all their sessions",
		Long: `Delete your own personas permanently, with their machines and the chat history of
all players. FILE is a file, a directory or a glob: it stands for the personas that
parley.lock records for these files. The files are kept, but removed from parley.lock. With -
the arguments are read from stdin, one per line.

On a terminal you confirm by typing the name, or the number of several personas.
Without a terminal --yes is required.`,
		Example: "  parley persona delete Biscuit\n  parley persona delete --dry-run drafts/\n  parley persona delete 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 --yes",
		Args:    cli.MinArgs("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return runDelete(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "delete nothing; show what would be deleted")
	o.addBatchFlags(c)
	o.json.AddFlags(c, DeletedItem{})
	return c
}

// A DeletedItem is a persona in the output of --json. ID is "" for an unknown persona.
type DeletedItem struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Persona string `json:"persona"` // as given on the command line
	Result  string `json:"result"`
	Error   string `json:"error"`
}

const (
	resultDeleted     = "deleted"
	resultWouldDelete = "would-delete"
)

func runDelete(ctx context.Context, o *deleteOptions) error {
	if err := o.checkBatch(); err != nil {
		return err
	}
	canAsk := o.TTY.In && !slices.Contains(o.words, "-")
	if !o.yes && !o.dryRun && !canAsk {
		return cli.UsageError("deleting asks you to type the persona's name (%w): use --yes", cli.ErrNoTerminal)
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	all, err := findPersonas(ctx, o.Streams, s, o.words)
	if err != nil {
		return err
	}
	s = withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams})
	markForeign(o.Environment, all)
	o.lookUpNames(ctx, s, all)
	results := make([]taskResult, len(all))
	for i, d := range all {
		if d.err == nil && d.foreign != nil {
			o.Say("%s", terminal.Clean(fmt.Sprintf("%s is %s, %s", d.named, personaLabel(d.name, d.id), foreignText)))
		}
		results[i] = taskResult{d.named, resultWouldDelete, d.err}
	}
	if !o.dryRun {
		if err := o.confirmDelete(ctx, all); err != nil {
			return err
		}
		results = o.deleteAll(ctx, s, all)
		o.dropEntries(ctx, s, all, results)
	}
	return cmp.Or(o.printDeleted(all, results), o.reportDeletions(ctx, all, results))
}

func (o *deleteOptions) reportDeletions(ctx context.Context, all []namedPersona, results []taskResult) error {
	if namesOnePersona(o.words) {
		if err := cmp.Or(results[0].err, ctx.Err()); err != nil {
			return err
		}
		if !o.dryRun {
			o.Say("deleted %s (%s)", terminal.Clean(all[0].name), all[0].id)
			return nil
		}
	}
	return summarizeResults(ctx, o.Access,
		resultWords{"persona", resultDeleted, []string{resultDeleted, resultWouldDelete}}, results)
}

func (o *deleteOptions) lookUpNames(ctx context.Context, s *service.Service, all []namedPersona) {
	jobs := make([]func(), len(all))
	for i := range all {
		d := &all[i]
		jobs[i] = func() {
			if d.err != nil {
				return
			}
			p, err := s.Persona(ctx, d.id)
			d.name = p.Name
			if err != nil {
				d.err = fmt.Errorf("delete %s: %w", d.named, err)
			}
		}
	}
	cli.RunParallel(o.concurrency, jobs)
}

// deletePersona ignores a 404, because the response to an earlier attempt may be lost.
func deletePersona(ctx context.Context, streams *cli.Streams, s *service.Service, id string) error {
	if err := s.DeletePersona(ctx, id); err != nil && wire.ErrorStatus(err) != http.StatusNotFound {
		return err
	}
	if err := s.Sessions.Forget(s.Address, id); err != nil {
		streams.Warn("deleted, but %v", err)
	}
	return nil
}

func (o *deleteOptions) printDeleted(all []namedPersona, results []taskResult) error {
	items := make([]DeletedItem, len(all))
	var rows [][]string
	for i, d := range all {
		items[i] = DeletedItem{ID: d.id, Name: d.name, Persona: d.named, Result: results[i].resultWord(),
			Error: results[i].errorText()}
		if results[i].err == nil {
			rows = append(rows, []string{d.id, d.name})
		}
	}
	if o.dryRun && !o.json.On {
		return o.PrintTable([]string{"ID", "NAME"}, rows)
	}
	return printResults(o.Streams, o.json, namesOnePersona(o.words), results, items,
		func(DeletedItem) string { return "" })
}

func (o *deleteOptions) confirmDelete(ctx context.Context, all []namedPersona) error {
	if o.yes {
		return nil
	}
	if namesOnePersona(o.words) {
		if all[0].err != nil {
			return all[0].err
		}
		name := all[0].name
		question := fmt.Sprintf("This permanently deletes %q and all its players' sessions. Type the name to continue: ",
			terminal.Clean(name))
		return o.ConfirmText(ctx, question, name)
	}
	var lines []string
	for _, d := range all {
		if d.err == nil {
			lines = append(lines, fmt.Sprintf("  %s  %s", d.id, terminal.Clean(d.name)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	o.Warn("This permanently deletes these personas and all their players' sessions:\n%s", strings.Join(lines, "\n"))
	return confirmCount(ctx, o.Streams, len(lines))
}

func confirmCount(ctx context.Context, streams *cli.Streams, n int) error {
	return streams.ConfirmText(ctx, fmt.Sprintf("Type \"delete %d\" to continue: ", n), fmt.Sprintf("delete %d", n))
}

func (o *deleteOptions) deleteAll(ctx context.Context, s *service.Service, all []namedPersona) []taskResult {
	tasks := make([]task, len(all))
	for i := range all {
		d := &all[i]
		tasks[i] = task{d.named, func(ctx context.Context, s *service.Service) (string, error) {
			if d.err != nil {
				return "", d.err
			}
			if err := deletePersona(ctx, o.Streams, s, d.id); err != nil {
				return resultDeleted, fmt.Errorf("delete %s: %w", d.named, err)
			}
			return resultDeleted, nil
		}}
	}
	return o.runTasks(ctx, o.Streams, s, "deleting", tasks)
}

func (o *deleteOptions) dropEntries(ctx context.Context, s *service.Service, all []namedPersona, results []taskResult) {
	late, release := extendContext(ctx, grace)
	defer release()
	ids := map[string]string{}
	for i, d := range all {
		if d.file != "" && results[i].result == resultDeleted && results[i].err == nil {
			ids[d.file] = d.id
		}
	}
	locks, err := holdLocks(late, o.Environment, s.Address, slices.Sorted(maps.Keys(ids)))
	defer locks.releaseAll()
	for _, file := range slices.Sorted(maps.Keys(ids)) {
		if err == nil {
			err = locks.dropPersona(file, ids[file])
		}
	}
	if err != nil {
		o.Warn("persona deleted, but still in parley.lock: %v", err)
	}
}
