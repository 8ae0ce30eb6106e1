package persona

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type goneFile struct {
	lock  string
	file  string
	entry personafiles.LockEntry
	own   bool // this machine wrote the entry
}

func (g *goneFile) isEntry(e personafiles.LockEntry) bool {
	return e.Server == g.entry.Server && e.File == g.entry.File
}

type pruneJob struct {
	goneFile
	name string // "" if the service does not have the persona
	why  string // only the entry is removed for this reason, or ""
	err  error
}

const resultDropped = "dropped"

func (o *saveOptions) findGone(address string, files []*saveJob) ([]goneFile, error) {
	if o.noLock {
		return nil, nil
	}
	moved := map[string]bool{} // by former path
	var names []string
	for _, f := range files {
		if f.lock != nil && f.lock.oldName != "" {
			moved[filepath.Join(filepath.Dir(f.lock.path), filepath.FromSlash(f.lock.oldName))] = true
		}
		if f.name != "-" {
			names = append(names, f.name)
		}
	}
	return findGoneFiles(o.Environment, address, names, o.paths, moved)
}

func findGoneFiles(env *service.Environment, address string, files, folders []string,
	moved map[string]bool) ([]goneFile, error) {
	paths, err := findLocks(files, folders)
	if err != nil {
		return nil, err
	}
	var gone []goneFile
	for _, path := range paths {
		lock, err := personafiles.ReadLock(path)
		if err != nil {
			return nil, explainLockError(err)
		}
		own := personafiles.ReadOwnEntries(env.OwnLocks(), path)
		for _, e := range lock.Select(func(e personafiles.LockEntry) bool { return e.Server == serverLockName(address) }) {
			if file := filepath.Join(filepath.Dir(path), filepath.FromSlash(e.File)); isGone(file) && !moved[file] {
				gone = append(gone,
					goneFile{lock: path, file: shortPath(file, env.WorkingFolder()), entry: e, own: own.HasEntry(e)})
			}
		}
	}
	return gone, nil
}

func findLocks(files, paths []string) ([]string, error) {
	folders := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isFolder(path) })
	inside, err := personafiles.FindFiles(folders, func(file string) bool {
		return filepath.Base(file) == personafiles.LockName
	})
	if err != nil {
		return nil, err
	}
	files = slices.Clone(files)
	for _, folder := range folders {
		files = append(files, filepath.Join(folder, "x")) // all files in a folder have the same lock
	}
	for _, f := range inside {
		files = append(files, f.Path)
	}
	found := map[string]bool{}
	for _, file := range files {
		path, _, err := personafiles.FindLock(file)
		if err != nil {
			return nil, cli.WrapTrouble(err, "")
		}
		found[path] = true
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (o *saveOptions) planPrune(ctx context.Context, s *service.Service, gone []goneFile) error {
	switch {
	case len(gone) == 0:
		return nil
	case !o.prune:
		o.sayGone(gone)
		return nil
	}
	s = withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams})
	jobs := make([]func(), len(gone))
	for i, g := range gone {
		job := &pruneJob{goneFile: g}
		if lock, err := personafiles.ReadLock(g.lock); err == nil && isClaimed(lock, g.lock, g.entry.Server, g.entry.ID) {
			job.why = "another file has the same persona"
		}
		o.pruned = append(o.pruned, job)
		jobs[i] = func() {
			there, err := s.Persona(ctx, job.entry.ID)
			job.name = there.Name
			switch {
			case wire.ErrorStatus(err) == http.StatusNotFound:
				job.why = "its persona does not exist any more or is not yours"
			case err != nil:
				job.err = fmt.Errorf("prune %s: %w", job.file, err)
			}
		}
	}
	cli.RunParallel(o.concurrency, jobs)
	return o.confirmPrune(ctx)
}

func (o *saveOptions) sayGone(gone []goneFile) {
	names := make([]string, len(gone))
	for i, g := range gone {
		names[i] = g.file
	}
	if len(gone) == 1 {
		o.Say("the file %s in parley.lock is missing; its persona stays on the service (public if it was "+
			"published): delete the persona with --prune", listFirst(names))
		return
	}
	o.Say("%d files in parley.lock are missing (%s). Their personas stay on the service, and published ones stay public; --prune deletes them",
		len(gone), listFirst(names))
}

func (o *saveOptions) confirmPrune(ctx context.Context) error {
	var list strings.Builder
	n := 0
	for _, p := range o.pruned {
		if p.why != "" || p.err != nil {
			continue
		}
		n++
		fmt.Fprintf(&list, "  %s  %s, of %s", p.entry.ID, terminal.Clean(p.name), terminal.Clean(p.file))
		if !p.own {
			list.WriteString(" " + foreignText)
		}
		list.WriteString("\n")
	}
	text := strings.TrimSuffix(list.String(), "\n")
	switch {
	case n == 0 || o.yes || o.dryRun:
		return nil
	case !o.TTY.In:
		return cli.UsageError("--prune permanently deletes these personas with all their players' sessions:\n%s\nto confirm, use --yes: %w",
			text, cli.ErrNoTerminal)
	}
	o.Warn("This permanently deletes the personas of these missing files, with all their players' sessions:\n%s", text)
	return confirmCount(ctx, o.Streams, n)
}

// pruneAll deletes nothing after a failed save, because the unsaved file may have been renamed.
func (o *saveOptions) pruneAll(ctx context.Context, s *service.Service, saved []taskResult) []taskResult {
	if len(o.pruned) == 0 {
		return nil
	}
	if ctx.Err() != nil || slices.ContainsFunc(saved, func(r taskResult) bool { return r.err != nil || r.result == "" }) {
		o.Say("nothing was pruned, because not all files were saved")
		o.pruned = nil
		return nil
	}
	tasks := make([]task, len(o.pruned))
	for i, p := range o.pruned {
		tasks[i] = task{p.file, func(ctx context.Context, s *service.Service) (string, error) {
			switch {
			case p.err != nil:
				return "", p.err
			case o.dryRun:
				return resultWouldDelete, o.previewPrune(p)
			}
			return o.pruneOne(ctx, s, p)
		}}
	}
	return o.runTasks(ctx, o.Streams, s, "deleting", tasks)
}

func (o *saveOptions) previewPrune(p *pruneJob) error {
	text := fmt.Sprintf("%s is missing: %s would be deleted", p.file, personaLabel(p.name, p.entry.ID))
	if p.why != "" {
		text = fmt.Sprintf("%s is missing, and %s: the entry would be removed from parley.lock", p.file, p.why)
	}
	_, err := fmt.Fprintln(o.Out, terminal.Clean(text))
	return err
}

func (o *saveOptions) pruneOne(ctx context.Context, s *service.Service, p *pruneJob) (result string, err error) {
	result = resultDropped
	if p.why == "" {
		result = resultDeleted
		if err := deletePersona(ctx, o.Streams, s, p.entry.ID); err != nil {
			return "", fmt.Errorf("prune %s: %w", p.file, err)
		}
		o.Say("deleted %s; the file %s is missing", terminal.Clean(personaLabel(p.name, p.entry.ID)), terminal.Clean(p.file))
	} else {
		o.Say("%s is missing, and %s: the entry is removed from parley.lock", terminal.Clean(p.file), p.why)
	}
	if err := o.locks.dropEntry(ctx, o.Environment, p.goneFile); err != nil {
		text := fmt.Sprintf("the entry of %s is still in parley.lock", p.file)
		if result == resultDeleted {
			text = fmt.Sprintf("%s was deleted, but %s", personaLabel(p.name, p.entry.ID), text)
		}
		return "", cli.WrapTrouble(fmt.Errorf("%s: %w", text, err), "")
	}
	return result, nil
}
