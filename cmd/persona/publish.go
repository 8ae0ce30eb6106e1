package persona

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type publishOptions struct {
	*service.Access
	batchFlags
	words  []string
	force  bool
	dryRun bool
	yes    bool
	json   cli.JSONFlag
	policy personafiles.Policy // of the project
}

func NewPublishCmd(access *service.Access) *cobra.Command {
	o := &publishOptions{Access: access}
	c := &cobra.Command{
		Use:   "publish PERSONA|FILE...",
		Short: "Make personas public and print their play links",
		Long: `Make personas public and print their play links. PERSONA is an id or a name on the
service; FILE is a file, a directory or a glob: it stands for the personas that parley.lock
records for these files. With - the arguments are read from stdin, one per line.

Publishing is refused if the server's version has errors, or the file recorded in
parley.lock has errors or unsaved changes. --force overrides this, but never for a
persona with an API key or token in its texts. If only a parley.lock written by another
machine contains the persona, parley asks, or needs --yes; with CI=true it continues
and prints a note.`,
		Example: "  parley persona publish Biscuit\n  parley persona publish personas/\n" +
			"  parley persona save personas/ | parley persona publish -\n" +
			"  parley persona publish 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11",
		Args: cli.MinArgs("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return runPublish(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false,
		"publish in spite of errors and unsaved changes, but never an API key or token")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "publish nothing; check whether the personas could be published")
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask; accept a parley.lock written by another machine")
	o.addBatchFlags(c)
	o.json.AddFlags(c, PublishedItem{})
	return c
}

// A PublishedItem is a persona in the output of --json. PlayLink is "" for an unpublished persona.
type PublishedItem struct {
	wire.Published
	Persona string `json:"persona"` // as given on the command line
	Result  string `json:"result"`
	Error   string `json:"error"`
}

const resultPublished = "published"

func runPublish(ctx context.Context, o *publishOptions) error {
	if err := o.checkBatch(); err != nil {
		return err
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	if o.policy, err = readPolicy(o.Environment); err != nil {
		return err
	}
	found, err := findPersonas(ctx, o.Streams, s, o.words)
	if err != nil {
		return err
	}
	if err := o.agreeOnPublishing(ctx, s, found); err != nil {
		return err
	}
	items := make([]PublishedItem, len(found))
	results := o.publishAll(ctx, s, found, items)
	for i := range items {
		items[i].Result, items[i].Error = results[i].resultWord(), results[i].errorText()
	}
	printErr := printResults(o.Streams, o.json, namesOnePersona(o.words), results, items,
		func(i PublishedItem) string { return i.PlayLink })
	if namesOnePersona(o.words) {
		return cmp.Or(printErr, results[0].err, ctx.Err())
	}
	return cmp.Or(printErr, summarizeResults(ctx, o.Access,
		resultWords{"persona", "published", []string{resultPublished, "would-publish"}}, results))
}

func (o *publishOptions) publishAll(ctx context.Context, s *service.Service, found []namedPersona,
	items []PublishedItem) []taskResult {
	tasks := make([]task, len(found))
	for i, t := range found {
		items[i].Persona = t.named
		tasks[i] = task{t.named, func(ctx context.Context, s *service.Service) (result string, err error) {
			items[i].Published, result, err = o.publishOne(ctx, s, t)
			return result, err
		}}
	}
	return o.runTasks(ctx, o.Streams, s, "publishing", tasks)
}

func (o *publishOptions) publishOne(ctx context.Context, s *service.Service,
	t namedPersona) (published wire.Published, result string, err error) {
	if t.err != nil {
		return published, "", t.err
	}
	if err := o.checkPersona(ctx, s, t); err != nil {
		return published, "", err
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

// checkPersona only rejects secrets with --force, because publishing cannot be undone.
func (o *publishOptions) checkPersona(ctx context.Context, s *service.Service, named namedPersona) error {
	full, err := s.FullPersona(ctx, named.id)
	if err != nil {
		return fmt.Errorf("publish %s: %w", named.named, err)
	}
	doc := full.Document()
	errs := lint.Errors(o.policy.Apply(lint.All(&doc, personas.Validate(&doc))))
	if o.force {
		errs = slices.DeleteFunc(errs, func(f personas.Diagnostic) bool { return !isSecret(f) })
	}
	if len(errs) > 0 {
		return o.refuseErrors(named, errs)
	}
	switch {
	case o.force:
		return nil
	case named.file != "":
		return o.checkFile(named.named, named.file, named.entry)
	}
	return o.checkLockedFiles(s, named)
}

func (o *publishOptions) refuseErrors(t namedPersona, errs []personas.Diagnostic) error {
	for _, e := range errs {
		o.Warn("%s: %s: %s [%s]", terminal.Clean(t.named), terminal.Clean(e.Path), terminal.Clean(e.Message), e.Check)
	}
	f := &cli.Failure{Code: cli.ExitNo,
		Err:  fmt.Errorf("publish %s: it has %s (see above)", t.named, cli.Pluralize(len(errs), "error")),
		Hint: "correct and save the persona, or publish it unchanged with --force"}
	if slices.ContainsFunc(errs, isSecret) {
		f.Hint = "remove the secret, revoke it, and save the persona"
	}
	return f
}

func isSecret(f personas.Diagnostic) bool {
	c, _ := lint.Find(f.Check)
	return c.Secret
}

func (o *publishOptions) checkLockedFiles(s *service.Service, t namedPersona) error {
	folder := personafiles.LockFolder(o.WorkingFolder())
	lock, err := personafiles.ReadLock(filepath.Join(folder, personafiles.LockName))
	if err != nil {
		return explainLockError(err)
	}
	for _, entry := range lock.FilesOf(serverLockName(s.Address), t.id) {
		file := shortPath(filepath.Join(folder, filepath.FromSlash(entry.File)), o.WorkingFolder())
		if err := o.checkFile(t.named, file, entry); err != nil {
			return err
		}
	}
	return nil
}

func (o *publishOptions) checkFile(persona, file string, entry personafiles.LockEntry) error {
	f, err := personafiles.ReadRunnableFile(o.Streams, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !f.IsSound():
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("publish %s: its file %s has errors", persona, file),
			Hint: fmt.Sprintf("see `parley persona lint %s`, or publish the server's version with --force",
				plaintext.ShellFile(file))}
	}
	if hash, err := contentHash(f.Doc); err != nil || hash != entry.SHA256 {
		return &cli.Failure{Code: cli.ExitNo,
			Err: fmt.Errorf("publish %s: its file %s was changed since it was saved", persona, file),
			Hint: fmt.Sprintf("save it first with `parley persona save %s`, or publish the server's version with --force",
				plaintext.ShellFile(file))}
	}
	return nil
}
