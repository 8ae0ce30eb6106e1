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

// contentHash returns the SHA-256 hash of a persona, in hex, which does not depend on the layout of
// a file.
func contentHash(doc personas.Persona) (string, error) {
	sum := sha256.New()
	err := personas.WriteJSON(sum, doc)
	return hex.EncodeToString(sum.Sum(nil)), err
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
	text, _ := json.Marshal(t) // Encoding a time never fails.
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

type lockedFile struct {
	held   *personafiles.HeldLock
	shared *sharedLock // nil if the lock is held for this file only
	server string
	name   string // of the file, in the lock
	entry  personafiles.LockEntry
	known  bool // the lock has an entry
	own    *personafiles.OwnEntries

	contents personafiles.SavedContents
	oldName  string // former name of a renamed file in the lock, or ""
}

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

func explainLockError(err error) error {
	if _, ok := errors.AsType[*personafiles.DamagedLockError](err); ok {
		return cli.WrapTrouble(err, "repair parley.lock, restore it from git, or ignore it with --no-lock. If it is lost, move it away and record each persona again with `parley persona pull PERSONA FILE`")
	}
	if unwritable, ok := errors.AsType[*personafiles.UnwritableLockError](err); ok {
		return cli.WrapTrouble(unwritableLock{unwritable},
			"nothing was sent. With --no-lock the file is saved, but saving it again then creates a second persona, unless you select the first with --id")
	}
	return cli.WrapTrouble(err, "")
}

type unwritableLock struct {
	*personafiles.UnwritableLockError
}

func (e unwritableLock) Error() string {
	return fmt.Sprintf("%s cannot be written: %s", e.Path, cli.PathReason(e.UnwritableLockError.Unwrap()))
}

func (e unwritableLock) Unwrap() error { return e.UnwritableLockError }

func (f *lockedFile) isUnchanged(doc personas.Persona) bool {
	hash, err := contentHash(doc)
	return err == nil && hash == f.entry.SHA256
}

// recordSave stores the content and the file's entry. The entry becomes this machine's own, unless
// it was foreign and the user has not agreed.
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
		_ = f.own.AddEntry(entry) // if recording fails, the next save asks again
	}
	_ = f.contents.AddContent(text.Bytes()) // if this fails, the save still succeeds, but a later merge is impossible
	return f.held.MoveEntry(cmp.Or(f.oldName, f.name), entry)
}

func (f *lockedFile) releaseLock() {
	f.held.Release()
	_ = f.contents.DropOldest() // on failure, the next release tries again
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

func readOldEntry(address, file string, doc personas.Persona) (personafiles.LockEntry, bool, error) {
	lock, path, _, err := readLock(file)
	if err != nil {
		return personafiles.LockEntry{}, false, err
	}
	entry, known := findRenamed(lock, path, serverLockName(address), doc, map[string]bool{})
	return entry, known, nil
}
