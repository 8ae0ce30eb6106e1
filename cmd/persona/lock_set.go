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

// A parley.lock records for many persona files which persona each was saved as (cmd/personafiles: Lock
// is its content, HeldLock one that no other process may change). Here a lockedFile is its entry
// for one persona file, a sharedLock a HeldLock that several saves of this process use, and a
// lockSet all of those that a command needs.

// lockSet holds the parley.lock files that one command needs. Each is held once, for all its files,
// until all are released.
type lockSet struct {
	server string
	byPath map[string]*sharedLock
}

// sharedLock is a parley.lock that several saves of one process use. err says why it
// cannot be used.
type sharedLock struct {
	mu       sync.Mutex
	path     string
	held     *personafiles.HeldLock
	own      *personafiles.OwnEntries
	contents personafiles.SavedContents
	taken    map[string]bool // files that are gone, and have another name now
	err      error
	empty    bool // it had no entries when it was taken
}

// waitingText is printed when another process holds a lock for longer than a moment.
const waitingText = "waiting for another parley that is using %s"

// holdLocks takes the locks of files. The order is always the same, so that two
// processes never wait for each other.
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

// releaseAll releases the locks. A nil set is a command without locks.
func (l *lockSet) releaseAll() {
	if l == nil {
		return
	}
	for _, shared := range l.byPath {
		shared.held.Release()
		_ = shared.contents.DropOldest() // what is too much is dropped another time
	}
}

// hasFirstEntries reports whether a lock that was empty has entries now.
func (l *lockSet) hasFirstEntries() bool {
	for _, shared := range l.byPath {
		if shared.empty && !shared.held.IsEmpty() {
			return true
		}
	}
	return false
}

// findFile returns the lock's entry for a file.
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

// findOldName looks for the entry of an unknown file under the file's former name.
func (f *lockedFile) findOldName(doc personas.Persona) {
	if e, ok := findRenamed(f.held.Lock, f.shared.path, f.server, doc, f.shared.taken); ok {
		f.entry, f.known, f.oldName = e, true, e.File
	}
}

// dropEntry drops the entry of a missing file, from a lock of the set or from one without saved
// files.
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

// dropPersona drops a persona from the lock of a file.
func (l *lockSet) dropPersona(file, id string) error {
	f, err := l.findFile(file)
	if err != nil {
		return err
	}
	return f.held.DropPersona(l.server, id)
}
