package author

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/lockfile"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// locks are the parley.lock files of one command, each held once for all the files
// that belong to it, until they are released.
type locks struct {
	server string
	by     map[string]*sharedLock
}

// sharedLock is a parley.lock that several saves of one process use; err is why it
// cannot be used.
type sharedLock struct {
	mu    sync.Mutex
	held  *lockfile.Held
	err   error
	empty bool // there was nothing in it
}

// waitingText is said when another process keeps a lock for longer than a moment.
const waitingText = "waiting for another parley that is using %s"

// holdLocks takes the locks of files, always in the same order, so that two processes
// never wait for each other.
func holdLocks(ctx context.Context, a *service.Access, s *service.Service, files []string) (*locks, error) {
	l := &locks{server: lockName(s.Address), by: map[string]*sharedLock{}}
	for _, file := range files {
		path, _, err := lockfile.Place(file)
		if err != nil {
			return l, cli.WrapTrouble(err, "")
		}
		l.by[path] = &sharedLock{}
	}
	for _, path := range slices.Sorted(maps.Keys(l.by)) {
		shared := l.by[path]
		talk := time.AfterFunc(time.Second, func() { a.Say(waitingText, path) })
		shared.held, shared.err = lockfile.Hold(ctx, path, a.LockMarks())
		talk.Stop()
		if shared.err == nil {
			shared.empty = shared.held.Empty()
		}
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
	}
	return l, nil
}

// release lets others have the locks.
func (l *locks) release() {
	if l == nil {
		return
	}
	for _, shared := range l.by {
		shared.held.Release()
	}
}

// begun tells whether a lock has its first entries by now.
func (l *locks) begun() bool {
	for _, shared := range l.by {
		if shared.empty && !shared.held.Empty() {
			return true
		}
	}
	return false
}

// find gives what the lock of a file says of it.
func (l *locks) find(file string) (*lockedFile, error) {
	path, name, err := lockfile.Place(file)
	if err != nil {
		return nil, cli.WrapTrouble(err, "")
	}
	shared := l.by[path]
	if shared.err != nil {
		return nil, lockTrouble(shared.err)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	k := &lockedFile{held: shared.held, shared: shared, server: l.server, name: name}
	k.entry, k.known = shared.held.Find(l.server, name)
	return k, nil
}

// record keeps as what a file with some content was saved.
func (k *lockedFile) record(doc personas.Persona, p wire.Persona) error {
	hash, err := contentHash(doc)
	if err != nil {
		return err
	}
	if k.shared != nil {
		k.shared.mu.Lock()
		defer k.shared.mu.Unlock()
	}
	return k.held.Record(lockfile.Entry{File: k.name, Server: k.server, ID: p.ID, SHA256: hash, UpdatedAt: timestamp(p.UpdatedAt)})
}
