package persona

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// The author of a repository could assign a file to one of the user's personas in parley.lock.
// Therefore an entry that this machine did not write (a foreign entry) changes no persona before
// the user agrees.

const foreignText = "according to a parley.lock that this machine did not write"

// askConsent asks whether to apply the effects in lines. In a CI pipeline it prints the lines and
// returns false; elsewhere without a terminal it returns a usage error with flags.
func askConsent(ctx context.Context, streams *cli.Streams, yes bool, lines []string, flags string) (agreed bool, err error) {
	text := terminal.CleanLines(strings.Join(lines, "\n"))
	switch {
	case yes:
		return true, nil
	case streams.IsPipeline():
		streams.Say("%s; CI is set: continuing", text)
		return false, nil
	case !streams.TTY.In:
		if more := len(lines) - maxListed; more > 0 {
			text = terminal.CleanLines(strings.Join(lines[:maxListed], "\n")) + fmt.Sprintf("\nand %d more", more)
		}
		return false, cli.UsageError("%s; this needs your consent, but %w: %s", text, cli.ErrNoTerminal, flags)
	}
	streams.Warn("%s", text)
	return true, streams.ConfirmText(ctx, "Type yes to continue: ", "yes")
}

func personaLabel(name, id string) string {
	if name == "" {
		return "the persona " + id
	}
	return fmt.Sprintf("the persona %q (%s)", name, id)
}

func (o *saveOptions) needsConsent(f *saveJob) bool {
	if f.err != nil || f.lock == nil || !f.lock.known || o.id != "" || f.target.id != f.lock.entry.ID {
		return false
	}
	return f.lock.oldName != "" || f.lock.isForeign()
}

func (f *saveJob) consentLine(name string) string {
	label := personaLabel(name, f.lock.entry.ID)
	switch {
	case f.lock.oldName == "":
		return fmt.Sprintf("saving %s overwrites %s, %s", f.name, label, foreignText)
	case f.lock.isForeign():
		return fmt.Sprintf("%s has the content of the missing file %s, and saving this content overwrites %s, %s", f.name, f.lock.oldName, label, foreignText)
	}
	return fmt.Sprintf("%s has the content of the missing file %s, and is saved as %s", f.name, f.lock.oldName, label)
}

func (o *saveOptions) agreeOnTargets(ctx context.Context, s *service.Service, files []*saveJob) error {
	pending := slices.DeleteFunc(slices.Clone(files), func(f *saveJob) bool { return !o.needsConsent(f) })
	var names map[*saveJob]string
	if len(pending) > 0 && !o.yes && !o.IsPipeline() {
		pending, names = o.lookUpTargets(ctx, s, pending)
	}
	if o.watching {
		pending = slices.DeleteFunc(pending, func(f *saveJob) bool { return o.decideUnasked(f, names[f]) })
	}
	if len(pending) == 0 {
		return nil
	}
	lines := make([]string, len(pending))
	for i, f := range pending {
		lines[i] = f.consentLine(names[f])
	}
	agreed, err := askConsent(ctx, o.Streams, o.yes, lines, "use --yes, --id with the persona's id, or --new for a new persona")
	for _, f := range pending {
		f.agreed = agreed
	}
	return err
}

// decideUnasked accepts a renamed watched file and rejects a foreign entry. It returns false for a
// foreign entry in a pipeline, which askConsent decides.
func (o *saveOptions) decideUnasked(f *saveJob, name string) bool {
	switch {
	case !f.lock.isForeign():
		o.Say("%s", terminal.Clean(f.consentLine(name)))
		f.agreed = true
	case o.IsPipeline():
		return false
	default:
		f.err = &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s", f.consentLine(name)), Hint: fmt.Sprintf("if you want that, save the file once without --watch: `parley persona save %s`", plaintext.ShellFile(f.name))}
	}
	return true
}

// lookUpTargets returns the files that would change their persona, with the persona's name. It
// skips a missing persona, because saving reports it.
func (o *saveOptions) lookUpTargets(ctx context.Context, s *service.Service, files []*saveJob) (pending []*saveJob, names map[*saveJob]string) {
	s = withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams})
	found := make([]string, len(files))
	changes := make([]bool, len(files))
	jobs := make([]func(), len(files))
	for i, f := range files {
		jobs[i] = func() {
			there, err := s.Persona(ctx, f.target.id)
			switch entry := f.lock.entry; {
			case wire.ErrorStatus(err) == http.StatusNotFound:
			case err != nil:
				f.err = o.explainRefusal(f.name, f.target, err)
			case f.lock.oldName == "" && !o.publish && !o.force && formatTimestamp(there.UpdatedAt) == entry.UpdatedAt && f.lock.isUnchanged(f.doc):
				// Nothing will be sent.
			default:
				found[i], changes[i] = there.Name, true
			}
		}
	}
	cli.RunParallel(max(o.concurrency, 1), jobs)
	names = map[*saveJob]string{}
	for i, f := range files {
		if changes[i] {
			pending, names[f] = append(pending, f), found[i]
		}
	}
	return pending, names
}

// findOldName looks for the entry of a missing file with the content of doc, so that doc is probably
// the renamed file.
func (f *lockedFile) findOldName(doc personas.Persona) {
	hash, err := contentHash(doc)
	if err != nil {
		return
	}
	for _, e := range f.held.FilesSaying(f.server, hash) {
		file := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(e.File))
		if isGone(file) && !f.taken[file] {
			f.taken[file] = true
			f.entry, f.known, f.oldName = e, true, e.File
			return
		}
	}
}

func foreignNamed(env *service.Environment, found []namedPersona) map[string]*personafiles.OwnEntries {
	byPath, foreign := map[string]*personafiles.OwnEntries{}, map[string]*personafiles.OwnEntries{}
	for _, t := range found {
		if t.file == "" || t.err != nil {
			continue
		}
		path, _, err := personafiles.FindLock(t.file)
		if err != nil {
			continue // not a problem here: the entry was found in this lock
		}
		if byPath[path] == nil {
			byPath[path] = personafiles.ReadOwnEntries(env.OwnLocks(), path)
		}
		if !byPath[path].HasEntry(t.entry) {
			foreign[t.file] = byPath[path]
		}
	}
	return foreign
}

func (o *publishOptions) agreeOnPublishing(ctx context.Context, s *service.Service, found []namedPersona) error {
	foreign := foreignNamed(o.Environment, found)
	if len(foreign) == 0 || o.dryRun {
		return nil
	}
	var pending []namedPersona
	var lines []string
	for _, t := range found {
		if foreign[t.file] == nil {
			continue
		}
		// Skip a persona that is already public or missing. Publishing reports both.
		if p, err := s.Persona(ctx, t.id); err == nil && !p.IsPublic {
			pending = append(pending, t)
			lines = append(lines, fmt.Sprintf("publishing %s makes %s public, %s", t.named, personaLabel(p.Name, t.id), foreignText))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	agreed, err := askConsent(ctx, o.Streams, o.yes, lines, "use --yes, or give the persona's id")
	for _, t := range pending {
		if agreed && err == nil {
			_ = foreign[t.file].AddEntry(t.entry) // if recording fails, the next publish asks again
		}
	}
	return err
}
