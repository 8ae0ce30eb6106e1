package persona

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// A stranger's parley.lock could assign a file to a persona of the user. A foreign entry was
// written by another machine. Foreign entries change no persona without consent.

const foreignText = "according to a parley.lock that this machine did not write"

func askConsent(ctx context.Context, streams *cli.Streams, yes bool, lines []string,
	flags string) (agreed bool, err error) {
	text := terminal.CleanLines(strings.Join(lines, "\n"))
	switch {
	case yes:
		return true, nil
	case streams.IsPipeline():
		streams.Say("%s; CI is set: continuing", text)
		return false, nil
	case !streams.TTY.In:
		return false, cli.UsageError("%s; this needs your consent, but %w: %s", clipLines(lines), cli.ErrNoTerminal, flags)
	}
	streams.Warn("%s", text)
	return true, streams.ConfirmText(ctx, "Type yes to continue: ", "yes")
}

func clipLines(lines []string) string {
	text := terminal.CleanLines(strings.Join(lines[:min(len(lines), maxListed)], "\n"))
	if more := len(lines) - maxListed; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return text
}

func personaLabel(name, id string) string {
	if name == "" {
		return "the persona " + id
	}
	return fmt.Sprintf("the persona %q (%s)", name, id)
}

func (o *saveOptions) needsConsent(f *saveJob) bool {
	if f.err != nil || f.agreed || f.lock == nil || o.id != "" {
		return false
	}
	return f.target.id == f.lock.entry.ID && f.lock.isForeign()
}

func (f *saveJob) describeEffect(name string) string {
	return fmt.Sprintf("saving %s overwrites %s, %s", f.name, personaLabel(name, f.lock.entry.ID), foreignText)
}

func (o *saveOptions) agreeOnTargets(ctx context.Context, s *service.Service, files []*saveJob) error {
	s = withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams})
	var jobs []func()
	for _, f := range files {
		switch {
		case !o.needsConsent(f):
		case o.yes || o.IsPipeline():
			f.effect = f.describeEffect("")
		default:
			jobs = append(jobs, func() { o.lookUpTarget(ctx, s, f) })
		}
	}
	cli.RunParallel(max(o.concurrency, 1), jobs)
	var pending []*saveJob
	var lines []string
	for _, f := range files {
		switch {
		case f.effect == "":
		case o.watching && !o.IsPipeline():
			f.err = &cli.Failure{Code: cli.ExitNo, Err: errors.New(f.effect),
				Hint: fmt.Sprintf("if you want that, save the file once without --watch: `parley persona save %s`",
					plaintext.ShellFile(f.name))}
		default:
			pending, lines = append(pending, f), append(lines, f.effect)
		}
	}
	if len(pending) == 0 {
		return nil
	}
	agreed, err := askConsent(ctx, o.Streams, o.yes, lines,
		"use --yes, --id with the persona's id, or --new for a new persona")
	for _, f := range pending {
		f.agreed = agreed
	}
	return err
}

func (o *saveOptions) lookUpTarget(ctx context.Context, s *service.Service, f *saveJob) {
	there, err := s.Persona(ctx, f.target.id)
	isCurrent := formatTimestamp(there.UpdatedAt) == f.lock.entry.UpdatedAt
	switch {
	case wire.ErrorStatus(err) == http.StatusNotFound:
	case err != nil:
		f.err = o.explainRefusal(f.name, f.target, err)
	case !o.publish && !o.force && isCurrent && f.lock.isUnchanged(f.doc):
		// nothing will be sent
	default:
		f.effect = f.describeEffect(there.Name)
	}
}

func markForeign(env *service.Environment, found []namedPersona) {
	byPath := map[string]*personafiles.OwnEntries{}
	for i := range found {
		named := &found[i]
		if named.file == "" || named.err != nil {
			continue
		}
		path, _, err := personafiles.FindLock(named.file)
		if err != nil {
			continue // the entry was already found in this lock
		}
		if byPath[path] == nil {
			byPath[path] = personafiles.ReadOwnEntries(env.OwnLocks(), path)
		}
		if !byPath[path].HasEntry(named.entry) {
			named.foreign = byPath[path]
		}
	}
}

func (o *publishOptions) agreeOnPublishing(ctx context.Context, s *service.Service, found []namedPersona) error {
	if o.dryRun {
		return nil
	}
	markForeign(o.Environment, found)
	var pending []namedPersona
	var lines []string
	for _, t := range found {
		if t.foreign == nil {
			continue
		}
		// Publishing reports a public or missing persona.
		if p, err := s.Persona(ctx, t.id); err == nil && !p.IsPublic {
			pending = append(pending, t)
			lines = append(lines,
				fmt.Sprintf("publishing %s makes %s public, %s", t.named, personaLabel(p.Name, t.id), foreignText))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	agreed, err := askConsent(ctx, o.Streams, o.yes, lines, "use --yes, or give the persona's id")
	for _, t := range pending {
		if agreed && err == nil {
			_ = t.foreign.AddEntry(t.entry) // after an error the next publish asks again
		}
	}
	return err
}

// A file without an entry may have been renamed. The twin is the only own persona with this name
// and without another file.

const maxNamesAsked = 10

func (o *saveOptions) settleTwins(ctx context.Context, s *service.Service, files []*saveJob) error {
	pending := slices.DeleteFunc(slices.Clone(files), func(f *saveJob) bool {
		return f.err != nil || f.lock == nil || f.lock.known
	})
	if len(pending) == 0 || o.asNew || o.id != "" {
		return nil
	}
	own, err := listOwnByName(ctx, withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams}), pending)
	if err != nil {
		return fmt.Errorf("cannot find out whether %s already exists: %w", pending[0].name, err)
	}
	targets := map[string]bool{}
	for _, f := range files {
		targets[f.target.id] = true
	}
	var asked []*saveJob
	var lines []string
	for _, job := range pending {
		twins := slices.DeleteFunc(slices.Clone(own[strings.TrimSpace(job.doc.Name)]), func(persona wire.ListedPersona) bool {
			return targets[persona.ID] || job.lock.isClaimed(persona.ID)
		})
		// A missing file may have been renamed, so its persona takes precedence.
		renamed := slices.DeleteFunc(slices.Clone(twins), func(persona wire.ListedPersona) bool {
			return len(job.lock.held.FilesOf(job.lock.server, persona.ID)) == 0
		})
		if len(renamed) == 1 {
			twins = renamed
		}
		switch {
		case len(twins) == 0:
			continue
		case len(twins) > 1:
			return ambiguousTwins(job, twins)
		}
		job.twin = twins[0].ID
		job.lock.adoptEntry(job.twin)
		if o.watching && job.lock.known && !job.lock.isForeign() {
			job.target, job.agreed = o.chooseTarget(&job.lock.entry, true), true // a renamed file
			continue
		}
		if i := slices.IndexFunc(asked, func(other *saveJob) bool { return other.twin == job.twin }); i >= 0 {
			return cli.UsageError("%s and %s are both called %q, like your persona %s: first save the file that "+
				"belongs to this persona, then the other file with --new",
				asked[i].name, job.name, job.doc.Name, job.twin)
		}
		asked = append(asked, job)
		lines = append(lines, fmt.Sprintf("parley.lock has no entry for %s, although your account has %s with the same name",
			job.name, personaLabel(job.doc.Name, job.twin)))
	}
	return o.agreeOnTwins(ctx, asked, lines)
}

func ambiguousTwins(f *saveJob, twins []wire.ListedPersona) error {
	ids := make([]string, len(twins))
	for i, p := range twins {
		ids[i] = p.ID
	}
	return &cli.Failure{Code: cli.ExitUsage,
		Err: fmt.Errorf("parley.lock has no entry for %s, and %d of your personas are called %q: %s", f.name,
			len(twins), f.doc.Name, listFirst(ids)),
		Hint: fmt.Sprintf("select one with `parley persona save --id ID %s`, or save a new one with --new",
			plaintext.ShellFile(f.name))}
}

func (o *saveOptions) agreeOnTwins(ctx context.Context, files []*saveJob, lines []string) error {
	text := terminal.CleanLines(strings.Join(lines, "\n"))
	switch {
	case len(files) == 0:
		return nil
	case o.watching:
		for i, f := range files {
			f.err = &cli.Failure{Code: cli.ExitNo, Err: errors.New(lines[i]),
				Hint: fmt.Sprintf("choose the persona once with `parley persona save %s`", plaintext.ShellFile(f.name))}
		}
		return nil
	case o.dryRun:
		o.Say("%s: saving asks whether to update it", text)
	case o.yes:
		o.Say("%s: updating", text)
	case !o.TTY.In:
		return cli.UsageError("%s; your decision is needed (%w): use --yes to update the persona, --id ID to "+
			"select a persona, or --new for a new persona", clipLines(lines), cli.ErrNoTerminal)
	default:
		o.Warn("%s", text)
		updates, err := o.ChooseWord(ctx, "Type yes to update, or new for a new persona: ", "yes", "new")
		if err != nil {
			return err
		}
		if updates == "new" {
			for _, f := range files {
				f.lock.entry, f.lock.known, f.lock.oldName = personafiles.LockEntry{}, false, ""
			}
			return nil
		}
	}
	for _, f := range files {
		f.agreed = true
		if f.lock.known {
			f.target = o.chooseTarget(&f.lock.entry, true)
		} else {
			f.target = saveTarget{id: f.twin}
		}
	}
	return nil
}

func (f *lockedFile) adoptEntry(id string) {
	for _, e := range f.held.FilesOf(f.server, id) {
		f.entry, f.known, f.oldName = e, true, e.File
	}
}

func listOwnByName(ctx context.Context, s *service.Service, files []*saveJob) (map[string][]wire.ListedPersona, error) {
	own := map[string][]wire.ListedPersona{}
	for _, f := range files {
		own[strings.TrimSpace(f.doc.Name)] = nil
	}
	if len(own) > maxNamesAsked {
		all, err := s.PersonaPages(ctx, client.PersonaList{Mine: true, PublicOnly: new(false)}, 0)
		for _, p := range all.Items {
			name := strings.TrimSpace(p.Name)
			if _, wanted := own[name]; wanted {
				own[name] = append(own[name], p)
			}
		}
		return own, err
	}
	for name := range own {
		some, err := s.ListOwnNamed(ctx, name)
		if err != nil {
			return nil, err
		}
		own[name] = some
	}
	return own, nil
}

func isClaimed(lock *personafiles.Lock, lockPath, server, id string) bool {
	return slices.ContainsFunc(lock.FilesOf(server, id), func(e personafiles.LockEntry) bool {
		return !isGone(filepath.Join(filepath.Dir(lockPath), filepath.FromSlash(e.File)))
	})
}

func isGone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

func (o *saveOptions) checkDuplicates(files []*saveJob) {
	same := map[string][]string{}
	for _, f := range files {
		if f.err == nil && f.lock != nil && f.target.id != "" {
			same[f.target.id] = append(same[f.target.id], f.name)
		}
	}
	for _, f := range files {
		if names := same[f.target.id]; f.err == nil && f.lock != nil && len(names) > 1 {
			f.err = &cli.Failure{Code: cli.ExitNo,
				Err: fmt.Errorf("save %s: according to parley.lock, %s all belong to the persona %s", f.name,
					listFirst(names), f.target.id),
				Hint: fmt.Sprintf("save one of them as a new persona: `parley persona save --new %s`",
					plaintext.ShellFile(names[len(names)-1]))}
		}
	}
}
