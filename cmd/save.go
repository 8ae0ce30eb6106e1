package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

type saveOptions struct {
	*app
	bulk
	paths   []string
	id      string
	ifMatch string
	publish bool
	dryRun  bool
	force   bool
	anew    bool
	noLock  bool
	json    jsonFlag
	single  bool   // one file was named by itself
	locks   *locks // of this run
}

const saveLong = `Save persona files (YAML or JSON). FILE is a file, a folder, a glob (** is any number
of folders), or - for one that comes on stdin; in a folder every file is taken that is
a persona, as ` + "`parley persona lint`" + ` takes it. Each is checked first; one that has errors
is not sent, and the others still are.

As which persona a file was saved is kept in parley.lock, in the folder of the file
or in the nearest above it that has a .parley.yaml; keep it in git. Saving the file
again updates that persona, sends nothing when nothing has changed, and is refused
when it was saved elsewhere in the meantime: see then what differs with
` + "`parley persona diff FILE`" + `, and take that version over with pull or overwrite it
with --force. What comes on stdin is not kept.

Of many files several are sent at a time, no faster than the service's rate limit
allows. Ctrl-C begins nothing more, and what was saved by then is in parley.lock; the
next run sends the rest. Exit code 1 says that some files were not saved; when all
failed for one reason it is that of the reason.`

func newSaveCmd(a *app, run func(context.Context, *saveOptions) error) *cobra.Command {
	o := &saveOptions{app: a}
	c := &cobra.Command{
		Use:     "save FILE...",
		Short:   "Save persona files and print their ids",
		Long:    saveLong,
		Example: "  parley persona save my-cat.yaml\n  parley persona save --dry-run my-cat.yaml\n  parley persona save --publish personas/\n  parley persona save --concurrency 8 --fail-fast 'npcs/**/*.yaml'\n  parley persona save --id 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 my-cat.yaml",
		Args:    atLeast("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return run(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.id, "id", "", "update the persona with this `ID` (one file only)")
	f.StringVar(&o.ifMatch, "if-match", "", "refuse if it was updated since `TIMESTAMP` (its updated_at; needs --id)")
	f.BoolVar(&o.publish, "publish", false, "publish too")
	f.BoolVar(&o.dryRun, "dry-run", false, "send nothing; show what would change")
	f.BoolVar(&o.force, "force", false, "overwrite what was saved elsewhere, and save what has not changed")
	f.BoolVar(&o.anew, "new", false, "make a new persona, whatever parley.lock says")
	f.BoolVar(&o.noLock, "no-lock", false, "neither read nor write parley.lock")
	o.add(c)
	o.json.add(c, savedItem{})
	return c
}

func (o *saveOptions) check() error {
	switch {
	case o.ifMatch != "" && o.id == "":
		return usage("--if-match needs --id")
	case o.anew && o.id != "":
		return usage("--new makes a new persona and --id updates one: give only one of them")
	case o.force && o.ifMatch != "":
		return usage("--force overwrites whatever is there and --if-match does not: give only one of them")
	case o.dryRun && (o.json.on || o.publish):
		return usage("--dry-run only shows what would change; for JSON there is `parley persona diff --format json`")
	}
	return o.bulk.check()
}

// saving is one file that is to be saved, and what became of it.
type saving struct {
	name  string
	doc   personas.Persona
	err   error       // why it is not sent
	lock  *lockedFile // nil without a parley.lock
	aim   aim
	saved wire.Saved
}

// What became of a file.
const (
	resultSaved     = "saved" // as a new persona
	resultUpdated   = "updated"
	resultUnchanged = "unchanged"
)

func runSave(ctx context.Context, o *saveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	var found []foundFile
	if found, o.single, err = o.personaFiles(o.paths); err != nil {
		return err
	}
	if o.id != "" && !o.single {
		return usage("--id names one persona, but there are %d files", len(found))
	}
	files, err := o.soundFiles(ctx, found)
	if err != nil {
		return err
	}
	defer func() { o.locks.release() }()
	if err := o.take(ctx, s, files); err != nil {
		return err
	}
	outcomes := o.send(ctx, s, files)
	if err := o.printSaved(files, outcomes); err != nil {
		return err
	}
	return o.ended(ctx, outcomes)
}

// ended says what became of the files and finds the exit code.
func (o *saveOptions) ended(ctx context.Context, outcomes []outcome) error {
	if o.locks != nil && o.locks.begun() && o.tty.err {
		o.say("%s", o.style.faint("parley.lock now keeps as what files here were saved, so that saving them again updates: keep it in git"))
	}
	if !o.single {
		return o.conclude(ctx, account{"file", "saved", []string{resultSaved, resultUpdated, "would-save", "would-update", resultUnchanged}}, outcomes)
	}
	if outcomes[0].err != nil || ctx.Err() != nil {
		return cmp.Or(outcomes[0].err, ctx.Err())
	}
	if outcomes[0].result == resultUnchanged && !o.dryRun {
		o.say("%s: unchanged, nothing was sent", tui.Clean(outcomes[0].name))
	}
	return nil
}

// take finds in the locks what each file is.
func (o *saveOptions) take(ctx context.Context, s *service, files []*saving) (err error) {
	var names []string
	for _, f := range files {
		f.aim = aim{o.id, o.ifMatch}
		if f.err == nil && !o.noLock && f.name != "-" {
			names = append(names, f.name)
		}
	}
	if o.dryRun {
		return nil
	}
	if o.locks, err = o.holdAll(ctx, s, names); err != nil {
		return err
	}
	for _, f := range files {
		if f.err != nil || o.noLock || f.name == "-" {
			continue
		}
		if f.lock, f.err = o.locks.find(f.name); f.err == nil {
			f.aim = o.target(f.lock)
		}
	}
	o.tellApart(files)
	return nil
}

// tellApart refuses files that would overwrite each other, and says which personas
// cannot be told apart by their names.
func (o *saveOptions) tellApart(files []*saving) {
	same := twice(files)
	for _, f := range files {
		if names := same[f.aim.id]; f.err == nil && f.lock != nil && names != nil {
			f.err = &failure{code: exitNo, err: fmt.Errorf("save %s: %s are all the persona %s by parley.lock", f.name, firstOf(names), f.aim.id),
				hint: fmt.Sprintf("save one of them as a persona of its own: `parley persona save --new %s`", names[len(names)-1])}
		}
	}
	for _, names := range namesakes(files) {
		if !slices.ContainsFunc(files, func(f *saving) bool { return f.err != nil && f.name == names[0] }) {
			o.say("%s: personas of one name, commands know them apart by their ids only", firstOf(names))
		}
	}
}

// send saves the files that can be, several at a time.
func (o *saveOptions) send(ctx context.Context, s *service, files []*saving) []outcome {
	if o.failFast && slices.ContainsFunc(files, func(f *saving) bool { return f.err != nil }) {
		return refusedOnly(files)
	}
	bar := o.bar(len(files), "saving")
	defer bar.done()
	s = s.paced(ctx, bar)
	tasks := make([]task, len(files))
	for i, f := range files {
		tasks[i] = task{f.name, func(ctx context.Context) (string, error) {
			switch {
			case f.err != nil:
				return "", f.err
			case o.dryRun:
				return o.preview(ctx, o.out, s, f)
			}
			return o.saveFile(ctx, s, f)
		}}
	}
	b := o.bulk
	if o.dryRun {
		b.concurrency = 1 // the differences come in the order of the files
	}
	return b.perform(ctx, bar, tasks)
}

// refusedOnly is what became of files of which some are refused, and the others
// therefore not tried.
func refusedOnly(files []*saving) []outcome {
	outcomes := make([]outcome, len(files))
	for i, f := range files {
		outcomes[i] = outcome{name: f.name, err: f.err}
	}
	return outcomes
}

// saveFile saves one file. A persona that comes with an error was saved all the
// same.
func (o *saveOptions) saveFile(ctx context.Context, s *service, f *saving) (result string, err error) {
	if f.lock == nil {
		saved, created, err := s.SavePersona(ctx, f.aim.id, f.doc, f.aim.version)
		if err != nil {
			return "", fmt.Errorf("save %s: %w", f.name, err)
		}
		f.saved = saved
		return madeOr(created), o.published(ctx, s, f)
	}
	saved, result, err := o.sendFile(ctx, s, f)
	if err != nil {
		return "", o.refused(f.name, f.aim, err)
	}
	f.saved = saved
	if err := f.lock.record(f.doc, saved.Persona); err != nil {
		return "", trouble(fmt.Errorf("%s was saved as %s, but: %w", f.name, saved.ID, err), "save it the next time with --id "+saved.ID+", or it becomes a second persona")
	}
	return result, o.published(ctx, s, f)
}

func madeOr(created bool) string {
	if created {
		return resultSaved
	}
	return resultUpdated
}

// aim is what a file is saved as: the persona that is updated, "" for a new
// one, and the version of it that is known, "" for any.
type aim struct{ id, version string }

func (o *saveOptions) target(k *lockedFile) aim {
	t := aim{o.id, o.ifMatch}
	if o.anew || !k.known || t.id != "" && t.id != k.entry.ID {
		return t
	}
	t.id = k.entry.ID
	if t.version == "" && !o.force {
		t.version = k.entry.UpdatedAt
	}
	return t
}

var errSavedElsewhere = errors.New("it was saved elsewhere since")

// sendFile saves a document, unless the persona says just this already. A version
// that parley.lock knows is looked at first, since only some services refuse to
// overwrite another one.
func (o *saveOptions) sendFile(ctx context.Context, s *service, f *saving) (saved wire.Saved, result string, err error) {
	k, t := f.lock, f.aim
	if k.known && t.id == k.entry.ID && t.version == k.entry.UpdatedAt {
		there, err := s.Persona(ctx, t.id)
		switch {
		case statusOf(err) == http.StatusNotFound:
			// Saving it tells whether it is gone, or whether one has to sign in.
		case err != nil:
			return wire.Saved{}, "", err
		case timestamp(there.UpdatedAt) != k.entry.UpdatedAt:
			return wire.Saved{}, "", errSavedElsewhere
		case k.says(f.doc):
			return wire.Saved{Persona: there, PersonaID: there.ID}, resultUnchanged, nil
		}
	}
	saved, created, err := s.SavePersona(ctx, t.id, f.doc, t.version)
	return saved, madeOr(created), err
}

// statusOf is the status of a refusal, 0 for any other error.
func statusOf(err error) int {
	var refusal *wire.Error
	if errors.As(err, &refusal) {
		return refusal.Status
	}
	return 0
}

// refused says what to do about a refusal.
func (o *saveOptions) refused(file string, t aim, err error) error {
	status := statusOf(err)
	elsewhere := errors.Is(err, errSavedElsewhere) || status == http.StatusPreconditionFailed
	switch {
	case elsewhere && o.ifMatch == "":
		return &failure{code: exitNo, err: fmt.Errorf("save %s: %w %s", file, errSavedElsewhere, t.version),
			hint: fmt.Sprintf("see `parley persona diff %s`, then take that version over with `parley persona pull %s %s`, or overwrite it with `parley persona save --force %s`", file, t.id, file, file)}
	case status == http.StatusNotFound && t.id != "" && o.id == "":
		return &failure{code: exitNo, err: fmt.Errorf("save %s: the persona %s, as which it was saved, is not there any more, or not yours: %w", file, t.id, err),
			hint: "save it as a new one with --new"}
	case status == http.StatusForbidden && t.id != "":
		return &failure{code: exitNo, err: fmt.Errorf("save %s: %w", file, err), hint: "save it as a persona of your own with --new"}
	}
	return fmt.Errorf("save %s: %w", file, err)
}

// published publishes what was saved, if it is to be.
func (o *saveOptions) published(ctx context.Context, s *service, f *saving) error {
	if !o.publish {
		return nil
	}
	_, err := s.PublishPersona(ctx, f.saved.ID)
	if errors.Is(err, client.ErrStopped) {
		return no("%s was saved as %s, but not published any more", f.name, f.saved.ID)
	}
	if err != nil {
		id := f.saved.ID
		f.saved = wire.Saved{}
		return fmt.Errorf("%s was saved as %s, but publish: %w", f.name, id, err)
	}
	f.saved.IsPublic = true
	return nil
}

// preview shows what saving a file would change.
func (o *saveOptions) preview(ctx context.Context, w io.Writer, s *service, f *saving) (result string, err error) {
	t := aim{id: o.id}
	if !o.noLock && !o.anew && f.name != "-" {
		entry, known, err := lookUp(s.address, f.name)
		if err != nil {
			return "", err
		}
		if known && (o.id == "" || o.id == entry.ID) {
			t = aim{entry.ID, entry.UpdatedAt}
		}
	}
	if t.id == "" {
		_, err := fmt.Fprintf(w, "%s: would be saved as a new persona, %s\n", tui.Clean(f.name), tui.Clean(f.doc.Name))
		return "would-save", err
	}
	there, err := o.saved(ctx, s, t.id)
	if err != nil {
		return "", o.refused(f.name, t, err)
	}
	d := compared(there, edition{label: f.name, doc: f.doc})
	if err := o.writeDiff(w, d, "text"); err != nil {
		return "", err
	}
	switch {
	case t.version != "" && timestamp(there.updated) != t.version && !o.force:
		return "", o.refused(f.name, t, errSavedElsewhere)
	case d.Same && o.single:
		o.say("%s: %s", tui.Clean(f.name), d.sameness())
	}
	if d.Same {
		return resultUnchanged, nil
	}
	return "would-update", nil
}

// savedItem is what --json prints of a file: the service's reply, with the file and
// what became of it. Of a file that was not saved the reply's members are null.
type savedItem struct {
	wire.Saved
	File   string `json:"file"`
	Result string `json:"result"`
	Error  string `json:"error"`
}

// MarshalJSON writes the item.
func (i savedItem) MarshalJSON() ([]byte, error) {
	type plain savedItem
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

func (o *saveOptions) printSaved(files []*saving, outcomes []outcome) error {
	items := make([]savedItem, len(files))
	for i, f := range files {
		items[i] = savedItem{Saved: f.saved, File: f.name, Result: outcomes[i].word()}
		if err := outcomes[i].err; err != nil {
			items[i].Error = err.Error()
		}
	}
	switch {
	case o.json.on && !o.single:
		return o.printJSON(o.json, items)
	case o.json.on && items[0].ID != "":
		return o.printJSON(o.json, items[0])
	case o.json.on:
		return nil
	}
	for _, item := range items {
		if item.ID == "" {
			continue
		}
		if _, err := fmt.Fprintln(o.out, tui.Clean(item.ID)); err != nil {
			return err
		}
	}
	return nil
}
