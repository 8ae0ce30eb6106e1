package persona

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// contentHash returns the hash of a persona's content, independent of the layout of its file.
func contentHash(doc personas.Persona) (string, error) {
	sum := sha256.New()
	err := personas.WriteJSON(sum, doc)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// readContent returns the persona that has a contentHash, as this machine saved it.
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

// formatTimestamp writes a time as the service sends it and parley.lock keeps it.
func formatTimestamp(t wire.Time) string {
	text, _ := json.Marshal(t) // A time always encodes.
	return string(text[1 : len(text)-1])
}

// serverLockName is the address of a server as parley.lock has it: without a password.
func serverLockName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.User = nil
	return u.String()
}

// lockedFile is parley.lock's entry for one file. The lock is held until it is released.
type lockedFile struct {
	held   *personafiles.HeldLock
	shared *sharedLock // nil for a lock that is held for one file
	server string
	name   string // of the file in the lock
	entry  personafiles.LockEntry
	known  bool // whether there is an entry
	own    *personafiles.OwnEntries
	// contents stores saved files.
	contents personafiles.SavedContents
	// oldName is the name in the lock of a file that has another one now, else "".
	oldName string
}

// holdLock takes the lock of one file.
func holdLock(ctx context.Context, env *service.Environment, address, file string) (*lockedFile, error) {
	path, name, err := personafiles.FindLock(file)
	if err != nil {
		return nil, cli.WrapTrouble(err, "")
	}
	held, err := personafiles.HoldLock(ctx, path, env.LockMarks())
	if err != nil {
		return nil, explainLockError(err)
	}
	f := &lockedFile{held: held, server: serverLockName(address), name: name, own: personafiles.ReadOwnEntries(env.OwnLocks(), path), contents: personafiles.NewSavedContents(env.SavedContents())}
	f.entry, f.known = held.FindEntry(f.server, name)
	return f, nil
}

// explainLockError adds the next step to a failure to read or write a parley.lock.
func explainLockError(err error) error {
	var damaged *personafiles.DamagedLockError
	var unwritable *personafiles.UnwritableLockError
	switch {
	case errors.As(err, &damaged):
		return cli.WrapTrouble(err, "put it right, or take it from git; --no-lock does without it. Where it is lost, move it away and record each persona again with `parley persona pull PERSONA FILE`")
	case errors.As(err, &unwritable):
		return cli.WrapTrouble(unwritableLock{unwritable},
			"nothing was sent. With --no-lock it would be, but saving the file again then makes a second persona unless --id names the first")
	}
	return cli.WrapTrouble(err, "")
}

// unwritableLock explains in plain words that a parley.lock cannot be written.
type unwritableLock struct {
	*personafiles.UnwritableLockError
}

func (e unwritableLock) Error() string {
	return fmt.Sprintf("%s cannot be written: %s", e.Path, cli.PathReason(e.UnwritableLockError.Unwrap()))
}

func (e unwritableLock) Unwrap() error { return e.UnwritableLockError }

// isUnchanged reports whether the persona equals the saved one.
func (f *lockedFile) isUnchanged(doc personas.Persona) bool {
	hash, err := contentHash(doc)
	return err == nil && hash == f.entry.SHA256
}

// recordSave records in the lock the persona and content that the file was saved with. The entry
// then belongs to this machine, unless it was foreign and nobody has agreed.
func (f *lockedFile) recordSave(doc personas.Persona, p wire.Persona, agreed bool) error {
	var text bytes.Buffer
	if err := personas.WriteJSON(&text, doc); err != nil {
		return err
	}
	sum := sha256.Sum256(text.Bytes())
	if f.shared != nil {
		f.shared.mu.Lock()
		defer f.shared.mu.Unlock()
	}
	entry := personafiles.LockEntry{File: f.name, Server: f.server, ID: p.ID, SHA256: hex.EncodeToString(sum[:]), UpdatedAt: formatTimestamp(p.UpdatedAt)}
	if agreed || !f.isForeign() || p.ID != f.entry.ID {
		_ = f.own.AddEntry(entry) // what is not kept is asked again
	}
	_ = f.contents.AddContent(text.Bytes()) // what is not kept cannot be merged later, and is no failure now
	return f.held.MoveEntry(cmp.Or(f.oldName, f.name), entry)
}

// releaseLock releases the lock. A nil file is one without a lock.
func (f *lockedFile) releaseLock() {
	if f != nil {
		f.held.Release()
		_ = f.contents.DropOldest() // what is too much is dropped another time
	}
}

// readLock reads, without holding it, the lock of a file, and how the file is called there.
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

// readLockEntry reads, without holding the lock of a file, as which persona of a server
// it was saved, and whether it was.
func readLockEntry(address, file string) (personafiles.LockEntry, bool, error) {
	lock, _, name, err := readLock(file)
	if err != nil {
		return personafiles.LockEntry{}, false, err
	}
	entry, known := lock.FindEntry(serverLockName(address), name)
	return entry, known, nil
}

// readOldEntry is readLockEntry for a file that may have had another name.
func readOldEntry(address, file string, doc personas.Persona) (personafiles.LockEntry, bool, error) {
	lock, path, _, err := readLock(file)
	if err != nil {
		return personafiles.LockEntry{}, false, err
	}
	entry, known := findRenamed(lock, path, serverLockName(address), doc, map[string]bool{})
	return entry, known, nil
}
