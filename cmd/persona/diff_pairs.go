package persona

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type diffPair struct {
	file          string
	before, after *diffSide
	compared      *Difference // nil until the versions are compared
	since         *Since
	err           error
}

func (o *diffOptions) readSides(ctx context.Context, found []personafiles.Found) (map[string]*diffPair, error) {
	read, err := personafiles.ReadAll(ctx, o.Streams, found, personafiles.ParseSource)
	if err != nil {
		return nil, err
	}
	pairs := map[string]*diffPair{}
	for _, r := range read {
		p := &diffPair{file: r.Path, err: r.Err}
		switch {
		case errors.Is(r.Err, fs.ErrNotExist): // the other side may have the file
			p.err = nil
		case r.Err == nil:
			p.after, p.err = newDiffSide(o.Streams, r.File)
		}
		pairs[filepath.Clean(r.Path)] = p
	}
	return pairs, nil
}

func (p *diffPair) isEmpty() bool { return p.before == nil && p.after == nil && p.err == nil }

func dropEmpty(pairs map[string]*diffPair) {
	maps.DeleteFunc(pairs, func(_ string, p *diffPair) bool { return p.isEmpty() })
}

func sortPairs(pairs map[string]*diffPair) []diffPair {
	var all []diffPair
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		all = append(all, *pairs[name])
	}
	slices.SortStableFunc(all, func(a, b diffPair) int { return cmp.Compare(a.file, b.file) })
	return all
}

func (o *diffOptions) pairWithRevision(ctx context.Context) ([]diffPair, error) {
	if err := personafiles.CheckRevision(o.against); err != nil {
		return nil, err
	}
	all := map[string]*diffPair{}
	for _, given := range o.files {
		some, err := o.pairPathWithRevision(ctx, given)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, some)
	}
	if len(all) == 0 {
		return nil, personafiles.NoPersonaError(o.files)
	}
	return sortPairs(all), nil
}

func (o *diffOptions) pairPathWithRevision(ctx context.Context, given string) (map[string]*diffPair, error) {
	folder, named := given, isOnePath(given)
	isGlob := personafiles.IsGlob(given) && isGone(given)
	switch {
	case isGlob:
		folder, named = personafiles.NearestFolder(filepath.Join(personafiles.GlobBase(given), "file")), false
	case named:
		folder = personafiles.NearestFolder(given)
	}
	revision, err := personafiles.OpenRevision(ctx, folder, o.against)
	if err != nil {
		return nil, err
	}
	found, err := personafiles.FindFiles([]string{given}, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f personafiles.Found) bool { return personafiles.IsPlayFile(f.Path) })
	pairs, err := o.readSides(ctx, found)
	if err != nil {
		return nil, err
	}
	files := revision.ListPersonaFiles()
	if named {
		inside, err := filepath.Rel(folder, given)
		if err != nil {
			return nil, cli.WrapTrouble(err, "")
		}
		files = []string{filepath.ToSlash(inside)}
	}
	for _, file := range files {
		name := filepath.Join(folder, filepath.FromSlash(file))
		if isGlob && !personafiles.MatchGlob(filepath.ToSlash(filepath.Clean(given)), filepath.ToSlash(name)) {
			continue
		}
		if err := o.addRevisionSide(ctx, revision, file, name, named, pairs); err != nil {
			return nil, err
		}
	}
	if p := pairs[filepath.Clean(given)]; named && p != nil && p.isEmpty() {
		err := fmt.Errorf("persona file %s exists neither here nor in revision %s", given, o.against)
		return nil, cli.WrapTrouble(err, "")
	}
	dropEmpty(pairs)
	return pairs, nil
}

func (o *diffOptions) addRevisionSide(ctx context.Context, r *personafiles.Revision, file, name string, named bool,
	pairs map[string]*diffPair) error {
	pair := pairs[name]
	f, err := r.ReadPersona(ctx, file, named || pair != nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case f == nil && err == nil:
		return nil
	case pair == nil:
		pair = &diffPair{file: name}
		pairs[name] = pair
	}
	if err == nil && pair.err == nil {
		pair.before, err = newDiffSide(o.Streams, f)
	}
	pair.err = cmp.Or(pair.err, err)
	return nil
}

func (o *diffOptions) pairWithServer(ctx context.Context) ([]diffPair, error) {
	if o.id != "" {
		return nil, cli.UsageError("--id selects one persona, but %s is a folder or a glob", o.files[0])
	}
	s, err := o.Connect()
	if err != nil {
		return nil, err
	}
	found, _, err := personafiles.FindPersonaFiles(o.Streams, o.files)
	if err != nil {
		return nil, err
	}
	pairs, err := o.readSides(ctx, found)
	if err != nil {
		return nil, err
	}
	paced := withPace(ctx, s, &cli.ProgressBar{Streams: o.Streams})
	var jobs []func()
	for _, pair := range pairs {
		jobs = append(jobs, func() { o.addServerSide(ctx, paced, pair) })
	}
	gone, err := findGoneFiles(o.Environment, s.Address, slices.Collect(maps.Keys(pairs)), o.files, nil)
	if err != nil {
		return nil, err
	}
	for _, g := range gone {
		if pair := (&diffPair{file: g.file}); isBelow(g.file, o.files[0]) {
			pairs[g.file] = pair
			jobs = append(jobs, func() { pair.before, pair.err = fetchSideOf(ctx, paced, g.entry.ID) })
		}
	}
	cli.RunParallel(defaultConcurrency, jobs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	dropEmpty(pairs)
	return sortPairs(pairs), nil
}

func isBelow(file, folder string) bool {
	file, errFile := filepath.Abs(file)
	folder, errFolder := filepath.Abs(folder)
	inside, err := filepath.Rel(folder, file)
	return errors.Join(errFile, errFolder, err) == nil && filepath.IsLocal(inside)
}

func (o *diffOptions) addServerSide(ctx context.Context, s *service.Service, pair *diffPair) {
	if pair.err != nil {
		return
	}
	id, err := o.findPersonaID(ctx, s, pair)
	if err == nil && id != "" {
		pair.before, err = fetchSideOf(ctx, s, id)
	}
	if err == nil && pair.before != nil {
		pair.compared = newDifference(*pair.before, *pair.after)
		if !pair.compared.Same {
			pair.since, err = o.findSince(pair.file, *pair.before, *pair.after, s.Address)
		}
	}
	pair.err = err
}

func (o *diffOptions) findPersonaID(ctx context.Context, s *service.Service, pair *diffPair) (string, error) {
	if o.id != "" {
		return s.FindPersona(ctx, o.id)
	}
	name, server := pair.after.doc.Name, serverLockName(s.Address)
	isOthers := func(string) bool { return false }
	if pair.file != "-" {
		lock, path, inLock, err := readLock(pair.file)
		if err != nil {
			return "", err
		}
		if entry, known := lock.FindEntry(server, inLock); known {
			return entry.ID, nil
		}
		isOthers = func(id string) bool { return isClaimed(lock, path, server, id) }
	}
	mine, err := s.ListOwnNamed(ctx, name)
	mine = slices.DeleteFunc(mine, func(m wire.ListedPersona) bool { return isOthers(m.ID) })
	switch {
	case err != nil:
		return "", fmt.Errorf("find the persona of %s: %w", pair.file, err)
	case len(mine) == 0:
		return "", nil
	case len(mine) > 1:
		return "", &cli.Failure{Code: cli.ExitNo,
			Err: fmt.Errorf("parley.lock has no entry for %s, and %d of your personas are called %q", pair.file,
				len(mine), strings.TrimSpace(name)),
			Hint: "select one by its id with --id (see `parley persona list --mine`)"}
	}
	if o.isSingle() {
		o.Say("parley.lock has no entry for %s, so it is compared with your persona of the same name (%s)",
			terminal.Clean(pair.file), mine[0].ID)
	}
	return mine[0].ID, nil
}

func fetchSideOf(ctx context.Context, s *service.Service, id string) (*diffSide, error) {
	side, err := fetchDiffSide(ctx, s, id)
	switch {
	case wire.ErrorStatus(err) == http.StatusNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &side, nil
}
