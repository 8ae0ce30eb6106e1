package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

type saveOptions struct {
	*app
	files   []string
	id      string
	ifMatch string
	publish bool
	dryRun  bool
	force   bool
	anew    bool
	noLock  bool
	json    jsonFlag
}

const saveLong = `Save persona files (YAML or JSON, - is stdin). Each is checked first; one that has
errors is not sent, and the others still are.

As which persona a file was saved is kept in parley.lock, in the folder of the file
or in the nearest above it that has a .parley.yaml; keep it in git. Saving the file
again updates that persona, sends nothing when nothing has changed, and is refused
when it was saved elsewhere in the meantime: see then what differs with
` + "`parley persona diff FILE`" + `, and take that version over with pull or overwrite it
with --force. What comes on stdin is not kept.`

func newSaveCmd(a *app, run func(context.Context, *saveOptions) error) *cobra.Command {
	o := &saveOptions{app: a}
	c := &cobra.Command{
		Use:     "save FILE...",
		Short:   "Save persona files and print their ids",
		Long:    saveLong,
		Example: "  parley persona save my-cat.yaml\n  parley persona save --dry-run my-cat.yaml\n  parley persona save --id 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 my-cat.yaml\n  parley persona save --publish personas/*.yaml",
		Args:    atLeast("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
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
	o.json.add(c, wire.Saved{})
	return c
}

func (o *saveOptions) check() error {
	switch {
	case o.id != "" && len(o.files) > 1:
		return usage("--id names one persona, but there are %d files", len(o.files))
	case o.ifMatch != "" && o.id == "":
		return usage("--if-match needs --id")
	case o.anew && o.id != "":
		return usage("--new makes a new persona and --id updates one: give only one of them")
	case o.force && o.ifMatch != "":
		return usage("--force overwrites whatever is there and --if-match does not: give only one of them")
	case o.dryRun && (o.json.on || o.publish):
		return usage("--dry-run only shows what would change; for JSON there is `parley persona diff --format json`")
	}
	return nil
}

func runSave(ctx context.Context, o *saveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	var saved []wire.Saved
	var faults []error
	for _, file := range o.files {
		one, err := o.saveFile(ctx, s, file)
		if one.ID != "" {
			saved = append(saved, one)
		}
		if err != nil {
			faults = append(faults, err)
			if stops(ctx, err) {
				break
			}
		}
	}
	if err := o.printSaved(saved); err != nil {
		return err
	}
	return o.summed(ctx, faults)
}

// stops tells whether the files after a failed one would fail the same way.
func stops(ctx context.Context, err error) bool {
	f := explain(ctx, err)
	return ctx.Err() != nil || f.code != exitNo && f.hint != "" || isUnreachable(err)
}

// saveFile saves one file. A persona that comes with an error was saved all the
// same.
func (o *saveOptions) saveFile(ctx context.Context, s *service, file string) (saved wire.Saved, err error) {
	doc, err := o.soundPersona(file)
	if err != nil {
		return saved, err
	}
	if o.dryRun {
		return saved, o.preview(ctx, s, file, doc)
	}
	if o.noLock || file == "-" {
		if saved, _, err = s.SavePersona(ctx, o.id, doc, o.ifMatch); err != nil {
			return wire.Saved{}, fmt.Errorf("save %s: %w", file, err)
		}
		return o.published(ctx, s, file, saved)
	}
	k, err := o.hold(ctx, s, file)
	if err != nil {
		return saved, err
	}
	defer k.release()
	t := o.target(k)
	if saved, err = o.send(ctx, s, k, t, doc); err != nil {
		return wire.Saved{}, o.refused(file, t, err)
	}
	first := k.held.Empty()
	if err := k.record(doc, saved.Persona); err != nil {
		return saved, trouble(fmt.Errorf("%s was saved as %s, but: %w", file, saved.ID, err), "save it the next time with --id "+saved.ID+", or it becomes a second persona")
	}
	if first && o.tty.err {
		o.say("%s", o.style.faint("parley.lock now keeps as what files here were saved, so that saving them again updates: keep it in git"))
	}
	return o.published(ctx, s, file, saved)
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

// send saves a document, unless the persona says just this already. A version
// that parley.lock knows is looked at first, since only some services refuse to
// overwrite another one.
func (o *saveOptions) send(ctx context.Context, s *service, k *lockedFile, t aim, doc personas.Persona) (wire.Saved, error) {
	if k.known && t.id == k.entry.ID && t.version == k.entry.UpdatedAt {
		there, err := s.Persona(ctx, t.id)
		switch {
		case statusOf(err) == http.StatusNotFound:
			// Saving it tells whether it is gone, or whether one has to sign in.
		case err != nil:
			return wire.Saved{}, err
		case timestamp(there.UpdatedAt) != k.entry.UpdatedAt:
			return wire.Saved{}, errSavedElsewhere
		case k.says(doc):
			o.say("%s: unchanged, nothing was sent", tui.Clean(k.name))
			return wire.Saved{Persona: there, PersonaID: there.ID}, nil
		}
	}
	saved, _, err := s.SavePersona(ctx, t.id, doc, t.version)
	return saved, err
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
func (o *saveOptions) published(ctx context.Context, s *service, file string, saved wire.Saved) (wire.Saved, error) {
	if !o.publish {
		return saved, nil
	}
	if _, err := s.PublishPersona(ctx, saved.ID); err != nil {
		return wire.Saved{}, fmt.Errorf("%s was saved as %s, but publish: %w", file, saved.ID, err)
	}
	saved.IsPublic = true
	return saved, nil
}

// preview shows what saving a file would change.
func (o *saveOptions) preview(ctx context.Context, s *service, file string, doc personas.Persona) error {
	t := aim{id: o.id}
	if !o.noLock && !o.anew && file != "-" {
		entry, known, err := lookUp(s.address, file)
		if err != nil {
			return err
		}
		if known && (o.id == "" || o.id == entry.ID) {
			t = aim{entry.ID, entry.UpdatedAt}
		}
	}
	if t.id == "" {
		_, err := fmt.Fprintf(o.out, "%s: would be saved as a new persona, %s\n", tui.Clean(file), tui.Clean(doc.Name))
		return err
	}
	there, err := o.saved(ctx, s, t.id)
	if err != nil {
		return o.refused(file, t, err)
	}
	d := compared(there, edition{label: file, doc: doc})
	if err := o.writeDiff(o.out, d, "text"); err != nil {
		return err
	}
	switch {
	case t.version != "" && timestamp(there.updated) != t.version && !o.force:
		return o.refused(file, t, errSavedElsewhere)
	case d.Same:
		o.say("%s: %s", tui.Clean(file), d.sameness())
	}
	return nil
}

// soundPersona reads a file that a server would take; what is wrong with
// another one is reported on stderr.
func (a *app) soundPersona(file string) (personas.Persona, error) {
	f, err := a.readPersona(file)
	if err != nil {
		return personas.Persona{}, err
	}
	f.dropInfos()
	if err := a.report(a.err, f); err != nil {
		return personas.Persona{}, err
	}
	if !f.sound() {
		return personas.Persona{}, no("%s has errors (above): nothing of it was sent", f.name)
	}
	return f.doc, nil
}

func (o *saveOptions) printSaved(saved []wire.Saved) error {
	if o.json.on && len(o.files) == 1 {
		if len(saved) == 0 {
			return nil
		}
		return o.printJSON(o.json, saved[0])
	}
	if o.json.on {
		return o.printJSON(o.json, append([]wire.Saved{}, saved...))
	}
	for _, s := range saved {
		if _, err := fmt.Fprintln(o.out, tui.Clean(s.ID)); err != nil {
			return err
		}
	}
	return nil
}

// summed is one failure for all the failed files: each is said as it is, the
// exit code is that of the gravest.
func (o *saveOptions) summed(ctx context.Context, faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	if len(o.files) == 1 {
		return faults[0]
	}
	code := exitNo
	for _, err := range faults {
		f := explain(ctx, err)
		o.complain(nil, f)
		code = max(code, f.code)
	}
	return &failure{code: code, err: fmt.Errorf("%s of %d not saved", count(len(faults), "file"), len(o.files))}
}
