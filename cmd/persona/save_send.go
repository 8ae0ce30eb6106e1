package persona

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func (o *saveOptions) saveFile(ctx context.Context, s *service.Service, job *saveJob) (result string, err error) {
	if job.lock == nil {
		saved, created, err := s.SavePersona(ctx, job.target.id, job.doc, job.target.version)
		if err != nil {
			return "", o.explainRefusal(job.name, job.target, err)
		}
		job.saved = saved
		return createdOrUpdated(created), o.publishSaved(ctx, s, job)
	}
	saved, result, err := o.sendFile(ctx, s, job)
	if err != nil {
		return "", o.explainRefusal(job.name, job.target, err)
	}
	job.saved = saved
	if err := job.lock.recordSave(job.doc, saved.Persona, job.agreed || o.id != ""); err != nil {
		hint := "next time save the file with --id " + plaintext.ShellWord(saved.ID) + ", or saving makes a second persona"
		return "", cli.WrapTrouble(fmt.Errorf("%s was saved as %s, but: %w", job.name, saved.ID, err), hint)
	}
	return result, o.publishSaved(ctx, s, job)
}

func createdOrUpdated(created bool) string {
	if created {
		return resultSaved
	}
	return resultUpdated
}

// A saveTarget overwrites only the given version, or any version if version is empty.
type saveTarget struct{ id, version string }

func (o *saveOptions) chooseTarget(entry *personafiles.LockEntry, known bool) saveTarget {
	target := saveTarget{o.id, o.ifMatch}
	isOther := target.id != "" && target.id != entry.ID
	if o.asNew || !known || isOther {
		return target
	}
	target.id = entry.ID
	if target.version == "" && !o.force {
		target.version = entry.UpdatedAt
	}
	return target
}

var errSavedElsewhere = errors.New("the persona has changed since")

// sendFile compares versions first, because some services let a save overwrite a newer version.
func (o *saveOptions) sendFile(ctx context.Context, s *service.Service,
	job *saveJob) (saved wire.Saved, result string, err error) {
	lock, target := job.lock, job.target
	if job.isKnownVersion() {
		there, err := o.fetchVersion(ctx, s, target.id, &job.doc)
		switch {
		case wire.ErrorStatus(err) == http.StatusNotFound:
			// Saving reports a missing persona or sign-in.
		case err != nil:
			return wire.Saved{}, "", err
		case formatTimestamp(there.UpdatedAt) != lock.entry.UpdatedAt:
			return wire.Saved{}, "", errSavedElsewhere
		case lock.isUnchanged(job.doc):
			return wire.Saved{Persona: there, PersonaID: there.ID}, resultUnchanged, nil
		}
	}
	saved, created, err := s.SavePersona(ctx, target.id, job.doc, target.version)
	return saved, createdOrUpdated(created), err
}

func (o *saveOptions) explainRefusal(file string, target saveTarget, err error) error {
	status := wire.ErrorStatus(err)
	typed := plaintext.ShellFile(file)
	elsewhere := errors.Is(err, errSavedElsewhere) || status == http.StatusPreconditionFailed
	switch {
	case elsewhere && o.ifMatch == "":
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %w %s", file, errSavedElsewhere, target.version),
			Hint: fmt.Sprintf("see `parley persona diff %s`, then merge the two versions with `parley persona pull "+
				"--merge %s %s`, or overwrite the newer version with `parley persona save --force %s`",
				typed, plaintext.ShellWord(target.id), typed, typed)}
	case errors.Is(err, errSavedElsewhere):
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %w %s", file, errSavedElsewhere, target.version),
			Hint: fmt.Sprintf("see the current version with `parley persona show %s`", plaintext.ShellWord(target.id))}
	case status == http.StatusNotFound && target.id != "" && o.id == "":
		return &cli.Failure{Code: cli.ExitNo,
			Err:  fmt.Errorf("save %s: its persona %s does not exist any more or is not yours: %w", file, target.id, err),
			Hint: "make a new persona with --new"}
	case status == http.StatusForbidden && target.id != "":
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: %w", file, err),
			Hint: "save it as a new persona of yours with --new"}
	}
	return fmt.Errorf("save %s: %w", file, err)
}

func (o *saveOptions) publishSaved(ctx context.Context, s *service.Service, f *saveJob) error {
	if !o.publish || f.saved.IsPublic {
		return nil
	}
	_, err := s.PublishPersona(ctx, f.saved.ID)
	if errors.Is(err, client.ErrStopped) {
		return cli.AnswerNo("%s was saved as %s, but the command ended before the persona was published", f.name, f.saved.ID)
	}
	if err != nil {
		id := f.saved.ID
		f.saved = wire.Saved{}
		return fmt.Errorf("%s was saved as %s, but not published: %w", f.name, id, err)
	}
	f.saved.IsPublic = true
	return nil
}

func (o *saveOptions) previewSave(ctx context.Context, s *service.Service, job *saveJob) (result string, err error) {
	target := job.target
	if target.id == "" {
		_, err := fmt.Fprintf(o.Out, "%s: would be saved as a new persona, %s\n", terminal.Clean(job.name),
			terminal.Clean(job.doc.Name))
		return "would-save", err
	}
	there, err := fetchDiffSide(ctx, s, target.id)
	if err != nil {
		return "", o.explainRefusal(job.name, target, err)
	}
	d := newDifference(there, diffSide{label: job.name, doc: job.doc})
	if err := writeDiff(o.Streams, o.Out, d, "text"); err != nil {
		return "", err
	}
	switch {
	case target.version != "" && formatTimestamp(there.updated) != target.version:
		return "", o.explainRefusal(job.name, target, errSavedElsewhere)
	case d.Same && o.single:
		o.Say("%s: %s", terminal.Clean(job.name), d.sameText())
	}
	if d.Same {
		return resultUnchanged, nil
	}
	return "would-update", nil
}

const minListed = 3

// listVersions ignores errors, because saving the first file reports the same error.
func (o *saveOptions) listVersions(ctx context.Context, s *service.Service, files []*saveJob) {
	wanted := map[string]bool{}
	for _, f := range files {
		if f.err == nil && f.isKnownVersion() {
			wanted[f.target.id] = true
		}
	}
	if len(wanted) < minListed {
		return
	}
	o.listed = map[string]wire.Persona{}
	list := client.PersonaList{Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit,
		Include: []string{wire.IncludeUpdatedAt}}
	// Later pages cost more than a request for each remaining persona.
	for range wanted {
		page, err := s.PersonaPage(ctx, list)
		if err != nil {
			return
		}
		for _, p := range page.Items {
			if p.UpdatedAt != nil && wanted[p.ID] {
				o.listed[p.ID] = wire.Persona{PersonaItem: p.PersonaItem, UpdatedAt: *p.UpdatedAt}
			}
		}
		list.After = page.Next
		if list.After == "" || len(o.listed) == len(wanted) {
			break
		}
	}
	if len(o.listed) > 0 && o.json.On {
		o.nameOwner(ctx, s)
	}
}

func (o *saveOptions) nameOwner(ctx context.Context, s *service.Service) {
	me, err := s.Me(ctx)
	if err != nil {
		o.listed = nil
		return
	}
	for id, p := range o.listed {
		p.UserID = me.ID
		o.listed[id] = p
	}
}

func (f *saveJob) isKnownVersion() bool {
	if f.lock == nil || !f.lock.known {
		return false
	}
	return f.target == saveTarget{f.lock.entry.ID, f.lock.entry.UpdatedAt}
}

func (o *saveOptions) fetchVersion(ctx context.Context, s *service.Service, id string,
	doc *personas.Persona) (wire.Persona, error) {
	if p, ok := o.listed[id]; ok {
		p.IdentityPrompt = doc.IdentityPrompt // missing in a list, and valid only for an unchanged persona
		return p, nil
	}
	return s.Persona(ctx, id)
}
