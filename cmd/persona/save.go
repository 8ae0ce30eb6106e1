package persona

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type saveOptions struct {
	*service.Access
	batchFlags
	paths   []string
	id      string
	ifMatch string
	publish bool
	dryRun  bool
	force   bool
	asNew   bool
	noLock  bool
	yes     bool
	prune   bool
	json    cli.JSONFlag
	single  bool // paths is one file, not a directory or glob
	locks   *lockSet
	pruned  []*pruneJob
	listed  map[string]wire.Persona // current versions on the service, by id

	watching bool // --watch saves a changed file, and asks no questions
}

const saveLong = `Save persona files (YAML or JSON). FILE is a file, a directory, a glob (** matches
any number of directories), or - for stdin; in a directory the persona files are
found as by ` + "`parley persona lint`" + `. Files are checked first; those with errors are
not sent.

parley.lock, beside the file or in the nearest directory above with a .parley.yaml,
records the persona of each file; keep it in git. Saving again updates that
persona, sends nothing if nothing changed, and is refused if it was saved elsewhere
meanwhile: compare with ` + "`parley persona diff FILE`" + `, then pull that version or
overwrite it with --force. stdin is not recorded.

If only a parley.lock written by another machine has the persona, as in a cloned
repository, parley asks once; without a terminal it needs --yes or --id, and with
CI=true it continues with a note. If a file without an entry has the name of one of
your personas, as after renaming the file, parley asks too: --yes updates that
persona and --new makes another.

Deleting a file does not delete its persona. --prune deletes the personas of missing
files that parley.lock lists, with their players' sessions, after all existing
files are saved. It asks first; without a terminal --yes is required.

Several files are sent at a time, within the service's rate limit. Ctrl-C stops
after the running calls; the next run sends the rest. The exit code is 1 if some
files were not saved, or a more specific code if all failed for the same reason.`

func NewSaveCmd(access *service.Access) *cobra.Command {
	o := &saveOptions{Access: access}
	c := &cobra.Command{
		Use:   "save FILE...",
		Short: "Save persona files and print their ids",
		Long:  saveLong,
		Example: "  parley persona save my-cat.yaml\n  parley persona save --dry-run my-cat.yaml\n" +
			"  parley persona save --publish personas/\n  parley persona save --prune --yes personas/\n" +
			"  parley persona save --concurrency 8 --fail-fast 'npcs/**/*.yaml'\n" +
			"  parley persona save --id 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 my-cat.yaml",
		Args: cli.MinArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return runSave(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.id, "id", "", "update this `PERSONA`: an id, a unique name or a play link (one file only)")
	f.StringVar(&o.ifMatch, "if-match", "", "save only if the persona's updated_at is still `TIMESTAMP` (needs --id)")
	f.BoolVar(&o.publish, "publish", false, "publish too")
	f.BoolVar(&o.dryRun, "dry-run", false, "send nothing; show what would change")
	f.BoolVar(&o.force, "force", false, "overwrite newer versions, and save unchanged files")
	f.BoolVar(&o.asNew, "new", false, "make a new persona, even if parley.lock has one for the file")
	f.BoolVar(&o.noLock, "no-lock", false, "neither read nor write parley.lock")
	f.BoolVar(&o.prune, "prune", false,
		"also delete personas of files that parley.lock lists but that are missing; asks first")
	f.BoolVar(&o.yes, "yes", false,
		"do not ask: accept a parley.lock written by another machine, update the persona of the same name, prune")
	o.addBatchFlags(c)
	o.json.AddFlags(c, SavedItem{})
	return c
}

func (o *saveOptions) checkOptions() error {
	switch {
	case o.ifMatch != "" && o.id == "":
		return cli.UsageError("--if-match needs --id")
	case o.asNew && o.id != "":
		return cli.UsageError("--new makes a new persona and --id updates one: use only one of them")
	case o.force && o.ifMatch != "":
		return cli.UsageError("--force overwrites any version, --if-match only a known version: use one of the two flags")
	case o.prune && (o.noLock || o.id != "" || slices.Contains(o.paths, "-")):
		return cli.UsageError("--prune needs parley.lock, so it cannot be combined with --no-lock, --id or stdin (-)")
	case o.dryRun && (o.json.On || o.publish):
		return cli.UsageError("--dry-run only shows what would change; for JSON use `parley persona diff --format json`")
	}
	return o.checkBatch()
}

type saveJob struct {
	name   string
	doc    personas.Persona
	err    error       // why the file is not sent
	lock   *lockedFile // nil without a parley.lock
	target saveTarget
	twin   string // id of the user's persona with the same name, or ""
	effect string // what the user must agree to, or ""
	agreed bool
	saved  wire.Saved
}

const (
	resultSaved     = "saved" // saved as a new persona
	resultUpdated   = "updated"
	resultUnchanged = "unchanged"
)

func runSave(ctx context.Context, o *saveOptions) error {
	if err := o.checkOptions(); err != nil {
		return err
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	read, err := o.readFiles(ctx)
	if err != nil {
		if gone, _ := o.findGone(s.Address, nil); len(gone) > 0 {
			o.sayGone(gone)
		}
		return err
	}
	if o.id != "" {
		if o.id, err = s.FindPersona(ctx, o.id); err != nil {
			return fmt.Errorf("save %s: %w", o.paths[0], err)
		}
	}
	files := make([]*saveJob, len(read))
	for i, f := range read {
		files[i] = &saveJob{name: f.Name, doc: f.Doc, err: f.Err}
	}
	defer func() { o.locks.releaseAll() }()
	if err := o.assignTargets(ctx, s, files); err != nil {
		return err
	}
	gone, err := o.findGone(s.Address, files)
	if err != nil && o.prune { // otherwise each file of that lock reports the error
		return err
	}
	if err := o.planPrune(ctx, s, gone); err != nil {
		return err
	}
	results := o.saveAll(ctx, s, files)
	results = append(results, o.pruneAll(ctx, s, results)...)
	printErr := o.printSaved(files, results)
	return cmp.Or(printErr, o.reportSaves(ctx, results))
}

func (o *saveOptions) readFiles(ctx context.Context) ([]personafiles.Document, error) {
	policy, err := readPolicy(o.Environment)
	if err != nil {
		return nil, err
	}
	found, single, err := personafiles.FindPersonaFiles(o.Streams, o.paths)
	o.single = single && !o.prune
	switch {
	case err != nil && o.prune && slices.ContainsFunc(o.paths, isFolder):
		return nil, nil
	case err != nil:
		return nil, err
	case o.id != "" && !o.single:
		return nil, cli.UsageError("--id selects one persona: give one file instead of %d", len(found))
	}
	return personafiles.ReadSoundFiles(ctx, o.Streams, found, policy.CheckDocument)
}

func (o *saveOptions) reportSaves(ctx context.Context, results []taskResult) error {
	if !o.single {
		words := resultWords{"file", "saved", []string{
			resultSaved, resultUpdated, "would-save", "would-update", resultUnchanged, resultDeleted, resultDropped,
			resultWouldDelete,
		}}
		return summarizeResults(ctx, o.Access, words, results)
	}
	if results[0].err != nil || ctx.Err() != nil {
		return cmp.Or(results[0].err, ctx.Err())
	}
	if results[0].result == resultUnchanged && !o.dryRun {
		o.Say("%s: unchanged, nothing was sent", terminal.Clean(results[0].name))
	}
	return nil
}

func (o *saveOptions) assignTargets(ctx context.Context, s *service.Service, files []*saveJob) (err error) {
	var names []string
	for _, f := range files {
		f.target = saveTarget{o.id, o.ifMatch}
		if f.err == nil && !o.noLock && f.name != "-" {
			names = append(names, f.name)
		}
	}
	if o.dryRun {
		o.locks, err = readLocks(s.Address, names)
	} else {
		o.locks, err = holdLocks(ctx, o.Environment, s.Address, names)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.err != nil || o.noLock || f.name == "-" {
			continue
		}
		if f.lock, f.err = o.locks.findFile(f.name); f.err != nil {
			continue
		}
		f.target = o.chooseTarget(&f.lock.entry, f.lock.known)
	}
	if err := o.settleTwins(ctx, s, files); err != nil {
		return err
	}
	o.checkDuplicates(files)
	if o.dryRun {
		return nil
	}
	return o.agreeOnTargets(ctx, s, files)
}

func (o *saveOptions) saveAll(ctx context.Context, s *service.Service, files []*saveJob) []taskResult {
	if o.failFast && slices.ContainsFunc(files, func(f *saveJob) bool { return f.err != nil }) {
		results := make([]taskResult, len(files)) // files without an error stay untried
		for i, f := range files {
			results[i] = taskResult{name: f.name, err: f.err}
		}
		return results
	}
	if !o.dryRun {
		o.listVersions(ctx, withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams}), files)
	}
	tasks := make([]task, len(files))
	for i, f := range files {
		tasks[i] = task{f.name, func(ctx context.Context, s *service.Service) (string, error) {
			switch {
			case f.err != nil:
				return "", f.err
			case o.dryRun:
				return o.previewSave(ctx, s, f)
			}
			return o.saveFile(ctx, s, f)
		}}
	}
	b := o.batchFlags
	if o.dryRun {
		b.concurrency = 1 // differences appear in the order of the files
	}
	return b.runTasks(ctx, o.Streams, s, "saving", tasks)
}

// A SavedItem is a file in the output of --json. Without a response, the members of Saved are null.
type SavedItem struct {
	wire.Saved
	File   string `json:"file"`
	Result string `json:"result"`
	Error  string `json:"error"`
	gone   bool   // the file is missing, and Result is about its persona
}

// MarshalJSON writes null for the members of a missing response.
func (i SavedItem) MarshalJSON() ([]byte, error) {
	type plain SavedItem
	text, err := json.Marshal(plain(i))
	if err != nil || i.ID != "" {
		return text, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for name := range members {
		members[name] = nil
	}
	members["file"], members["result"], members["error"] = i.File, i.Result, i.Error
	return json.Marshal(members)
}

func (o *saveOptions) printSaved(files []*saveJob, results []taskResult) error {
	items := make([]SavedItem, 0, len(results))
	for _, f := range files {
		items = append(items, SavedItem{Saved: f.saved, File: f.name})
	}
	for _, p := range o.pruned {
		saved := wire.Saved{PersonaID: p.entry.ID}
		saved.ID, saved.Name = p.entry.ID, p.name
		items = append(items, SavedItem{Saved: saved, File: p.file, gone: true})
	}
	for i := range items {
		items[i].Result, items[i].Error = results[i].resultWord(), results[i].errorText()
	}
	return printResults(o.Streams, o.json, o.single, results, items, func(i SavedItem) string {
		if i.gone { // the ID is not that of a saved persona
			return ""
		}
		return i.ID
	})
}

func readPolicy(env *service.Environment) (personafiles.Policy, error) {
	settings, err := env.LoadSettings(true)
	if err != nil {
		return personafiles.Policy{}, err
	}
	return personafiles.NewPolicy(settings)
}
