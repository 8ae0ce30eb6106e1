package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// saveFile saves one file. A persona that comes with an error was saved all the
// same.
func (o *saveOptions) saveFile(ctx context.Context, s *service.Service, f *saving) (result string, err error) {
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
		return "", cli.WrapTrouble(fmt.Errorf("%s was saved as %s, but: %w", f.name, saved.ID, err), "save it the next time with --id "+saved.ID+", or it becomes a second persona")
	}
	return result, o.published(ctx, s, f)
}

func madeOr(created bool) string {
	if created {
		return resultSaved
	}
	return resultUpdated
}

// goal is what a file is saved as: the persona that is updated, "" for a new
// one, and the version of it that is known, "" for any.
type goal struct{ id, version string }

func (o *saveOptions) target(k *lockedFile) goal {
	t := goal{o.id, o.ifMatch}
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
func (o *saveOptions) sendFile(ctx context.Context, s *service.Service, f *saving) (saved wire.Saved, result string, err error) {
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
func (o *saveOptions) refused(file string, t goal, err error) error {
	status := statusOf(err)
	elsewhere := errors.Is(err, errSavedElsewhere) || status == http.StatusPreconditionFailed
	switch {
	case elsewhere && o.ifMatch == "":
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %w %s", file, errSavedElsewhere, t.version),
			Hint: fmt.Sprintf("see `parley persona diff %s`, then take that version over with `parley persona pull %s %s`, or overwrite it with `parley persona save --force %s`", file, t.id, file, file)}
	case status == http.StatusNotFound && t.id != "" && o.id == "":
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: the persona %s, as which it was saved, is not there any more, or not yours: %w", file, t.id, err),
			Hint: "save it as a new one with --new"}
	case status == http.StatusForbidden && t.id != "":
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %w", file, err), Hint: "save it as a persona of your own with --new"}
	}
	return fmt.Errorf("save %s: %w", file, err)
}

// published publishes what was saved, if it is to be.
func (o *saveOptions) published(ctx context.Context, s *service.Service, f *saving) error {
	if !o.publish {
		return nil
	}
	_, err := s.PublishPersona(ctx, f.saved.ID)
	if errors.Is(err, client.ErrStopped) {
		return cli.AnswerNo("%s was saved as %s, but not published any more", f.name, f.saved.ID)
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
func (o *saveOptions) preview(ctx context.Context, w io.Writer, s *service.Service, f *saving) (result string, err error) {
	t := goal{id: o.id}
	if !o.noLock && !o.anew && f.name != "-" {
		entry, known, err := lookUp(s.Address, f.name)
		if err != nil {
			return "", err
		}
		if known && (o.id == "" || o.id == entry.ID) {
			t = goal{entry.ID, entry.UpdatedAt}
		}
	}
	if t.id == "" {
		_, err := fmt.Fprintf(w, "%s: would be saved as a new persona, %s\n", terminal.Clean(f.name), terminal.Clean(f.doc.Name))
		return "would-save", err
	}
	there, err := fetchEdition(ctx, o.Access, s, t.id)
	if err != nil {
		return "", o.refused(f.name, t, err)
	}
	d := compared(there, edition{label: f.name, doc: f.doc})
	if err := writeDiff(o.Streams, w, d, "text"); err != nil {
		return "", err
	}
	switch {
	case t.version != "" && timestamp(there.updated) != t.version && !o.force:
		return "", o.refused(f.name, t, errSavedElsewhere)
	case d.Same && o.single:
		o.Say("%s: %s", terminal.Clean(f.name), d.sameness())
	}
	if d.Same {
		return resultUnchanged, nil
	}
	return "would-update", nil
}
