package persona

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
)

type lockSet struct {
	server string
	byPath map[string]*sharedLock
}

type sharedLock struct {
	mu       sync.Mutex
	path     string
	held     *personafiles.HeldLock
	own      *personafiles.OwnEntries
	contents personafiles.SavedContents
	taken    map[string]bool // missing files that were renamed
	err      error
	empty    bool // the lock had no entries when it was acquired
}

// waitingText is printed if another process holds a lock for more than a second.
const waitingText = "waiting for another parley that is using %s"

// holdLocks acquires the locks of files in a fixed order, so that two processes never wait for each
// other.
func holdLocks(ctx context.Context, env *service.Environment, address string, files []string) (*lockSet, error) {
	l := &lockSet{server: serverLockName(address), byPath: map[string]*sharedLock{}}
	for _, file := range files {
		path, _, err := personafiles.FindLock(file)
		if err != nil {
			return l, cli.WrapTrouble(err, "")
		}
		l.byPath[path] = &sharedLock{path: path, taken: map[string]bool{}}
	}
	for _, path := range slices.Sorted(maps.Keys(l.byPath)) {
		shared := l.byPath[path]
		notice := time.AfterFunc(time.Second, func() { env.Say(waitingText, path) })
		shared.held, shared.err = personafiles.HoldLock(ctx, path, env.LockMarks())
		notice.Stop()
		if shared.err == nil {
			shared.empty = shared.held.IsEmpty()
			shared.own = personafiles.ReadOwnEntries(env.OwnLocks(), path)
			shared.contents = personafiles.NewSavedContents(env.SavedContents())
		}
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
	}
	return l, nil
}

func (l *lockSet) releaseAll() {
	if l == nil {
		return
	}
	for _, shared := range l.byPath {
		shared.held.Release()
		_ = shared.contents.DropOldest() // on failure, the next release tries again
	}
}

func (l *lockSet) hasFirstEntries() bool {
	for _, shared := range l.byPath {
		if shared.empty && !shared.held.IsEmpty() {
			return true
		}
	}
	return false
}

func (l *lockSet) findFile(file string) (*lockedFile, error) {
	path, name, err := personafiles.FindLock(file)
	if err != nil {
		return nil, cli.WrapTrouble(err, "")
	}
	shared := l.byPath[path]
	if shared.err != nil {
		return nil, explainLockError(shared.err)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	f := &lockedFile{held: shared.held, shared: shared, server: l.server, name: name, own: shared.own, contents: shared.contents}
	f.entry, f.known = shared.held.FindEntry(l.server, name)
	return f, nil
}

func (f *lockedFile) findOldName(doc personas.Persona) {
	if e, ok := findRenamed(f.held.Lock, f.shared.path, f.server, doc, f.shared.taken); ok {
		f.entry, f.known, f.oldName = e, true, e.File
	}
}

func (l *lockSet) dropEntry(ctx context.Context, env *service.Environment, g goneFile) error {
	shared := l.byPath[g.lock]
	if shared == nil {
		held, err := personafiles.HoldLock(ctx, g.lock, env.LockMarks())
		if err != nil {
			return err
		}
		defer held.Release()
		return held.DropEntry(g.entry.Server, g.entry.File)
	}
	if shared.err != nil {
		return shared.err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return shared.held.DropEntry(g.entry.Server, g.entry.File)
}

func (l *lockSet) dropPersona(file, id string) error {
	f, err := l.findFile(file)
	if err != nil {
		return err
	}
	return f.held.DropPersona(l.server, id)
}
