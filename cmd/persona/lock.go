package persona

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

type lockSet struct {
	server string
	byPath map[string]*sharedLock
}

// A sharedLock is a parley.lock for several saves. If err is set, the other fields are unset.
type sharedLock struct {
	err      error
	path     string
	mu       sync.Mutex
	held     *personafiles.HeldLock
	own      *personafiles.OwnEntries
	contents personafiles.SavedContents
}

// holdLocks locks files in a fixed order, to avoid deadlocks between processes.
func holdLocks(ctx context.Context, env *service.Environment, address string, files []string) (*lockSet, error) {
	return openLocks(address, files, func(l *sharedLock) error {
		notice := time.AfterFunc(time.Second, func() { env.Say("waiting for another parley that is using %s", l.path) })
		l.held, l.err = personafiles.HoldLock(ctx, l.path, env.LockMarks())
		notice.Stop()
		if l.err == nil {
			l.own = personafiles.ReadOwnEntries(env.OwnLocks(), l.path)
			l.contents = personafiles.NewSavedContents(env.SavedContents())
		}
		return ctx.Err()
	})
}

func readLocks(address string, files []string) (*lockSet, error) {
	return openLocks(address, files, func(l *sharedLock) error {
		lock, err := personafiles.ReadLock(l.path)
		l.held, l.err = &personafiles.HeldLock{Lock: lock}, err
		return nil
	})
}

func openLocks(address string, files []string, open func(*sharedLock) error) (*lockSet, error) {
	l := &lockSet{server: serverLockName(address), byPath: map[string]*sharedLock{}}
	for _, file := range files {
		path, _, err := personafiles.FindLock(file)
		if err != nil {
			return l, cli.WrapTrouble(err, "")
		}
		l.byPath[path] = &sharedLock{path: path}
	}
	for _, path := range slices.Sorted(maps.Keys(l.byPath)) {
		if err := open(l.byPath[path]); err != nil {
			return l, err
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

func (l *lockSet) dropEntry(ctx context.Context, env *service.Environment, gone goneFile) error {
	shared := l.byPath[gone.lock]
	if shared == nil {
		held, err := personafiles.HoldLock(ctx, gone.lock, env.LockMarks())
		if err != nil {
			return err
		}
		defer held.Release()
		return held.Drop(gone.isEntry)
	}
	if shared.err != nil {
		return shared.err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return shared.held.Drop(gone.isEntry)
}

func (l *lockSet) dropPersona(file, id string) error {
	f, err := l.findFile(file)
	if err != nil {
		return err
	}
	return f.held.Drop(func(e personafiles.LockEntry) bool { return e.Server == l.server && e.ID == id })
}

type lockedFile struct {
	*sharedLock
	server  string
	name    string // of the file, in the lock
	entry   personafiles.LockEntry
	known   bool   // the lock has an entry
	oldName string // former name of a renamed file in the lock, or ""
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
	f := &lockedFile{sharedLock: shared, server: l.server, name: name}
	f.entry, f.known = shared.held.FindEntry(l.server, name)
	return f, nil
}

func (f *lockedFile) isForeign() bool { return f.known && !f.own.HasEntry(f.entry) }

func (f *lockedFile) isClaimed(id string) bool {
	return isClaimed(f.held.Lock, f.path, f.server, id)
}

func (f *lockedFile) isUnchanged(doc personas.Persona) bool {
	hash, err := contentHash(doc)
	return err == nil && hash == f.entry.SHA256
}

func (f *lockedFile) recordSave(doc personas.Persona, p wire.Persona, agreed bool) error {
	text, err := doc.MarshalJSON()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	f.mu.Lock()
	defer f.mu.Unlock()
	entry := personafiles.LockEntry{File: f.name, Server: f.server, ID: p.ID, SHA256: hex.EncodeToString(sum[:]),
		UpdatedAt: formatTimestamp(p.UpdatedAt)}
	if agreed || !f.isForeign() || p.ID != f.entry.ID {
		_ = f.own.AddEntry(entry) // after an error the next save asks again
	}
	_ = f.contents.AddContent(text) // after an error only a later merge is impossible
	return f.held.MoveEntry(cmp.Or(f.oldName, f.name), entry)
}

func explainLockError(err error) error {
	if _, ok := errors.AsType[*personafiles.DamagedLockError](err); ok {
		return cli.WrapTrouble(err, "repair parley.lock, restore it from git, or ignore it with --no-lock. If it "+
			"is lost, move it away and record each persona again with `parley persona pull PERSONA FILE`")
	}
	if _, ok := errors.AsType[*personafiles.UnwritableLockError](err); ok {
		return cli.WrapTrouble(err, "nothing was sent. With --no-lock the file is saved, but saving it again then "+
			"creates a second persona, unless you select the first with --id")
	}
	return cli.WrapTrouble(err, "")
}

func contentHash(doc personas.Persona) (string, error) {
	text, err := doc.MarshalJSON()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

func readContent(contents personafiles.SavedContents, hash string) (personas.Persona, error) {
	text, err := contents.FindContent(hash)
	if err != nil {
		return personas.Persona{}, err
	}
	doc, _, faults := personas.Parse("saved.json", text)
	if len(faults) > 0 {
		return doc, faults[0]
	}
	return doc, nil
}

func formatTimestamp(t wire.Time) string {
	text, _ := json.Marshal(t) // a time always encodes
	return string(text[1 : len(text)-1])
}

func serverLockName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.User = nil
	return u.String()
}

func readLock(file string) (lock *personafiles.Lock, path, name string, err error) {
	path, name, err = personafiles.FindLock(file)
	if err != nil {
		return nil, "", "", cli.WrapTrouble(err, "")
	}
	if lock, err = personafiles.ReadLock(path); err != nil {
		return nil, "", "", explainLockError(err)
	}
	return lock, path, name, nil
}

func readLockEntry(address, file string) (personafiles.LockEntry, bool, error) {
	lock, _, name, err := readLock(file)
	if err != nil {
		return personafiles.LockEntry{}, false, err
	}
	entry, known := lock.FindEntry(serverLockName(address), name)
	return entry, known, nil
}
