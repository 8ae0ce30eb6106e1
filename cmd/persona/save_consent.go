package persona

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// In parley.lock, a stranger could assign a file of the stranger's repository to one of the user's
// personas. Therefore a foreign entry, which this machine did not write, changes no persona before
// the user agrees.

const foreignText = "according to a parley.lock that this machine did not write"

// askConsent asks whether to do what the lines say. In a CI pipeline it prints them and returns
// false. Outside of a pipeline, but without a terminal, it returns a usage error that suggests
// flags.
func askConsent(ctx context.Context, streams *cli.Streams, yes bool, lines []string, flags string) (agreed bool, err error) {
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
	if f.err != nil || f.lock == nil || !f.lock.known || o.id != "" || f.target.id != f.lock.entry.ID {
		return false
	}
	return f.lock.oldName != "" || f.lock.isForeign()
}

func (f *saveJob) describeEffect(name string) string {
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
		if f.effect != "" && (!o.watching || !o.decideUnasked(f)) {
			pending, lines = append(pending, f), append(lines, f.effect)
		}
	}
	if len(pending) == 0 {
		return nil
	}
	agreed, err := askConsent(ctx, o.Streams, o.yes, lines, "use --yes, --id with the persona's id, or --new for a new persona")
	for _, f := range pending {
		f.agreed = agreed
	}
	return err
}

// decideUnasked decides about a watched file without asking the user. It accepts a renamed file and
// rejects a foreign entry. In a pipeline it leaves a foreign entry to askConsent and returns false.
func (o *saveOptions) decideUnasked(f *saveJob) bool {
	switch {
	case !f.lock.isForeign():
		o.Say("%s", terminal.Clean(f.effect))
		f.agreed = true
	case o.IsPipeline():
		return false
	default:
		f.err = &cli.Failure{Code: cli.ExitNo, Err: errors.New(f.effect), Hint: fmt.Sprintf("if you want that, save the file once without --watch: `parley persona save %s`", plaintext.ShellFile(f.name))}
	}
	return true
}

// lookUpTarget sets f.effect, which names the persona, if saving the file would change the persona.
// It ignores a missing persona, because saving reports that.
func (o *saveOptions) lookUpTarget(ctx context.Context, s *service.Service, f *saveJob) {
	there, err := s.Persona(ctx, f.target.id)
	switch entry := f.lock.entry; {
	case wire.ErrorStatus(err) == http.StatusNotFound:
	case err != nil:
		f.err = o.explainRefusal(f.name, f.target, err)
	case f.lock.oldName == "" && !o.publish && !o.force && formatTimestamp(there.UpdatedAt) == entry.UpdatedAt && f.lock.isUnchanged(f.doc):
		// Nothing will be sent.
	default:
		f.effect = f.describeEffect(there.Name)
	}
}

// findOldName looks in the lock for a missing file with the same content as doc. That file was
// probably renamed.
func (f *lockedFile) findOldName(doc personas.Persona) {
	hash, err := contentHash(doc)
	if err != nil {
		return
	}
	for _, e := range f.held.Select(func(e personafiles.LockEntry) bool { return e.Server == f.server && e.SHA256 == hash }) {
		file := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(e.File))
		if isGone(file) && !f.taken[file] {
			f.taken[file] = true
			f.entry, f.known, f.oldName = e, true, e.File
			return
		}
	}
}

// markForeign sets foreign for the personas that were found only through a foreign entry.
func markForeign(env *service.Environment, found []namedPersona) {
	byPath := map[string]*personafiles.OwnEntries{}
	for i := range found {
		t := &found[i]
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
			t.foreign = byPath[path]
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
			_ = t.foreign.AddEntry(t.entry) // if recording fails, the next publish asks again
		}
	}
	return err
}

// A file without an entry in parley.lock may belong to an existing persona, for example in a fresh
// clone. A file's twin is the user's persona that has the same name and belongs to no other file.

// maxNamesAsked is the maximum number of names that are looked up one by one. If there are more,
// all personas are listed once.
const maxNamesAsked = 10

func (o *saveOptions) settleTwins(ctx context.Context, s *service.Service, files []*saveJob) error {
	pending := slices.DeleteFunc(slices.Clone(files), func(f *saveJob) bool { return f.err != nil || f.lock == nil || f.lock.known })
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
	for _, f := range pending {
		twins := slices.DeleteFunc(slices.Clone(own[strings.TrimSpace(f.doc.Name)]), func(p wire.ListedPersona) bool {
			return targets[p.ID] || f.lock.isClaimed(p.ID)
		})
		switch {
		case len(twins) == 0:
			continue
		case len(twins) > 1:
			return ambiguousTwins(f, twins)
		}
		f.twin = twins[0].ID
		if i := slices.IndexFunc(asked, func(other *saveJob) bool { return other.twin == f.twin }); i >= 0 {
			return cli.UsageError("%s and %s are both called %q, like your persona %s: first save the file that belongs to this persona, then the other file with --new", asked[i].name, f.name, f.doc.Name, f.twin)
		}
		asked = append(asked, f)
		lines = append(lines, fmt.Sprintf("parley.lock has no entry for %s, although your account has %s with the same name", f.name, personaLabel(f.doc.Name, f.twin)))
	}
	return o.agreeOnTwins(ctx, asked, lines)
}

func ambiguousTwins(f *saveJob, twins []wire.ListedPersona) error {
	ids := make([]string, len(twins))
	for i, p := range twins {
		ids[i] = p.ID
	}
	return &cli.Failure{Code: cli.ExitUsage, Err: fmt.Errorf("parley.lock has no entry for %s, and %d of your personas are called %q: %s", f.name, len(twins), f.doc.Name, listFirst(ids)),
		Hint: fmt.Sprintf("select one with `parley persona save --id ID %s`, or save a new one with --new", plaintext.ShellFile(f.name))}
}

func (o *saveOptions) agreeOnTwins(ctx context.Context, files []*saveJob, lines []string) error {
	text := terminal.CleanLines(strings.Join(lines, "\n"))
	switch {
	case len(files) == 0:
		return nil
	case o.watching:
		for i, f := range files {
			f.err = &cli.Failure{Code: cli.ExitNo, Err: errors.New(lines[i]), Hint: fmt.Sprintf("choose the persona once with `parley persona save %s`", plaintext.ShellFile(f.name))}
		}
		return nil
	case o.yes:
		o.Say("%s: updating", text)
	case !o.TTY.In:
		return cli.UsageError("%s; your decision is needed (%w): use --yes to update the persona, --id ID to select a persona, or --new for a new persona", clipLines(lines), cli.ErrNoTerminal)
	default:
		o.Warn("%s", text)
		updates, err := o.ChooseWord(ctx, "Type yes to update, or new for a new persona: ", "yes", "new")
		if err != nil || updates == "new" {
			return err
		}
	}
	for _, f := range files {
		f.target, f.agreed = saveTarget{id: f.twin}, true
		for _, e := range f.lock.held.FilesOf(f.lock.server, f.twin) { // entries of missing files, which saving f renames
			f.lock.oldName = e.File
			f.lock.taken[filepath.Join(filepath.Dir(f.lock.path), filepath.FromSlash(e.File))] = true
		}
	}
	return nil
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

// isClaimed reports whether an existing file belongs to the persona according to the lock. The file
// at path does not count.
func isClaimed(lock *personafiles.Lock, path, server, id string) bool {
	return slices.ContainsFunc(lock.FilesOf(server, id), func(e personafiles.LockEntry) bool {
		return !isGone(filepath.Join(filepath.Dir(path), filepath.FromSlash(e.File)))
	})
}

func isGone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

func (o *saveOptions) checkDuplicates(files []*saveJob) {
	same := groupByPersona(files)
	for _, f := range files {
		if names := same[f.target.id]; f.err == nil && f.lock != nil && names != nil {
			f.err = &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("save %s: according to parley.lock, %s all belong to the persona %s", f.name, listFirst(names), f.target.id),
				Hint: fmt.Sprintf("save one of them as a new persona: `parley persona save --new %s`", plaintext.ShellFile(names[len(names)-1]))}
		}
	}
	for _, names := range groupByName(files) {
		if !slices.ContainsFunc(files, func(f *saveJob) bool { return f.err != nil && f.name == names[0] }) {
			o.Say("%s have personas of the same name: in commands, select these personas by id", listFirst(names))
		}
	}
}

func groupByPersona(files []*saveJob) map[string][]string {
	by := map[string][]string{}
	for _, f := range files {
		if f.err == nil && f.lock != nil && f.target.id != "" {
			by[f.target.id] = append(by[f.target.id], f.name)
		}
	}
	maps.DeleteFunc(by, func(_ string, names []string) bool { return len(names) < 2 })
	return by
}

func groupByName(files []*saveJob) [][]string {
	by := map[string][]string{}
	for _, f := range files {
		if f.err == nil {
			by[f.doc.Name] = append(by[f.doc.Name], f.name)
		}
	}
	maps.DeleteFunc(by, func(_ string, names []string) bool { return len(names) < 2 })
	groups := slices.Collect(maps.Values(by))
	slices.SortFunc(groups, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return groups
}
