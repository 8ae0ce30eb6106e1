package personafiles

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

// LockName is the name of the lock file.
const LockName = "parley.lock"

const lockVersion = 1

// A LockEntry maps a file to a persona on a server. File is relative to the lock's directory, with
// forward slashes. Server has neither a user nor a final slash. SHA256 is the hex hash of the
// persona's canonical JSON. UpdatedAt is the server's time in RFC 3339.
type LockEntry struct {
	File      string `json:"file"`
	Server    string `json:"server"`
	ID        string `json:"id"`
	SHA256    string `json:"sha256"`
	UpdatedAt string `json:"updated_at"`
}

// A Lock is the content of a parley.lock, sorted by file and server.
type Lock struct{ entries []LockEntry }

// FindEntry returns the entry for a file on a server. Different Unicode normalizations of a file
// name are equal, because file systems may normalize names.
func (l *Lock) FindEntry(server, file string) (LockEntry, bool) {
	for _, e := range l.entries {
		if e.Server == server && samePath(e.File, file) {
			return e, true
		}
	}
	return LockEntry{}, false
}

// FilesOf returns the entries for a persona on a server.
func (l *Lock) FilesOf(server, id string) []LockEntry {
	return l.Select(func(e LockEntry) bool { return e.Server == server && e.ID == id })
}

// Select returns the accepted entries, sorted by file.
func (l *Lock) Select(accept func(LockEntry) bool) []LockEntry {
	return slices.DeleteFunc(slices.Clone(l.entries), func(e LockEntry) bool { return !accept(e) })
}

func samePath(a, b string) bool { return plaintext.Compose(a) == plaintext.Compose(b) }

func (l *Lock) dropEntries(accept func(LockEntry) bool) bool {
	before := len(l.entries)
	l.entries = slices.DeleteFunc(slices.Clone(l.entries), accept)
	return len(l.entries) < before
}

// PutEntry replaces the entry for the same file and server. An invalid entry is an error.
func (l *Lock) PutEntry(e LockEntry) error {
	if member, why := e.findFault(); why != "" {
		return fmt.Errorf("%s cannot be recorded in %s: its %s %s", e.File, LockName, member, why)
	}
	l.dropEntries(func(old LockEntry) bool { return old.Server == e.Server && samePath(old.File, e.File) })
	l.entries = append(l.entries, e)
	l.sort()
	return nil
}

func (l *Lock) sort() {
	slices.SortFunc(l.entries, func(a, b LockEntry) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server))
	})
}

func (e *LockEntry) findFault() (member, why string) {
	_, hexErr := hex.DecodeString(e.SHA256)
	_, timeErr := time.Parse(time.RFC3339, e.UpdatedAt)
	switch {
	case !fs.ValidPath(e.File) || e.File == ".":
		return "file", "is not a relative path with forward slashes below this folder"
	case !isPlainAddress(e.Server):
		return "server", "is not an address such as http://127.0.0.1:8787"
	case e.ID == "" || strings.ContainsFunc(e.ID, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "id", "is no persona's id"
	case hexErr != nil || len(e.SHA256) != 64 || strings.ToLower(e.SHA256) != e.SHA256:
		return "sha256", "is not 64 hexadecimal digits"
	case timeErr != nil:
		return "updated_at", "is not a time such as 2026-01-31T12:00:00.000Z"
	}
	return "", ""
}

func isPlainAddress(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return u.Host != "" && u.User == nil && !strings.HasSuffix(text, "/")
}

const lockHead = "# The personas as which the files here were saved. Written by parley; keep it in git.\n"

// Encode returns the lock as YAML. Equal locks have the same encoding.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	b.WriteString(lockHead)
	fmt.Fprintf(&b, "version: %d\npersonas:", lockVersion)
	if len(l.entries) == 0 {
		b.WriteString(" []\n")
		return b.Bytes()
	}
	b.WriteByte('\n')
	for _, e := range l.entries {
		fmt.Fprintf(&b, "  - file: %s\n    server: %s\n    id: %s\n    sha256: %s\n    updated_at: %s\n",
			quoteYAML(e.File), quoteYAML(e.Server), quoteYAML(e.ID), quoteYAML(e.SHA256), quoteYAML(e.UpdatedAt))
	}
	return b.Bytes()
}

func quoteYAML(text string) string { return strconv.Quote(strings.ToValidUTF8(text, "\uFFFD")) }

// FindLock returns the path of parley.lock for a persona file, and the file's name in the lock.
func FindLock(file string) (path, name string, err error) {
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", "", fmt.Errorf("find the %s of %s: %w", LockName, file, err)
	}
	folder := LockFolder(filepath.Dir(whole))
	inside, err := filepath.Rel(folder, whole)
	if err != nil {
		return "", "", fmt.Errorf("find the %s of %s: %w", LockName, file, err)
	}
	return filepath.Join(folder, LockName), filepath.ToSlash(inside), nil
}

// LockFolder returns the nearest directory with a .parley.yaml, at or above dir, or else dir.
func LockFolder(dir string) string {
	if project := settings.FindProjectFile(dir); project != "" {
		return filepath.Dir(project)
	}
	return dir
}

// ReadLock reads a parley.lock. The error for a damaged file is a *DamagedLockError.
func ReadLock(path string) (*Lock, error) {
	text, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return ParseLock(path, text)
}

// A DamagedLockError is a mistake in a parley.lock, with its position.
type DamagedLockError struct {
	File         string
	Line, Column int
	Why          string
}

func (d *DamagedLockError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Why)
}

// ParseLock parses a parley.lock in any layout and order. Unknown members are errors, because the
// next write would lose the content.
func ParseLock(name string, src []byte) (*Lock, error) {
	value, places, faults := personas.Values(name+".yaml", src)
	if len(faults) > 0 {
		return nil, &DamagedLockError{name, faults[0].Line, faults[0].Column, faults[0].Message}
	}
	damaged := func(path, format string, args ...any) error {
		at := places.Lookup(path)
		return &DamagedLockError{name, at.Line, at.Column, fmt.Sprintf(format, args...)}
	}
	var top struct {
		Version  int               `json:"version"`
		Personas []json.RawMessage `json:"personas"`
	}
	err := decodeStrictly(value, &top)
	switch {
	case top.Version > lockVersion:
		return nil, damaged("version", "version %d was written by a later parley; "+
			"this parley reads only version %d: upgrade parley", top.Version, lockVersion)
	case err != nil || top.Version != lockVersion || top.Personas == nil:
		return nil, damaged("", "expected the members version (%d) and personas (a list), and no others", lockVersion)
	}
	lock := &Lock{}
	for i, item := range top.Personas {
		path := "personas[" + strconv.Itoa(i) + "]"
		var entry LockEntry
		if decodeStrictly(item, &entry) != nil {
			return nil, damaged(path, "expected texts called file, server, id, sha256 and updated_at, and no other members")
		}
		if member, why := entry.findFault(); why != "" {
			return nil, damaged(path+"."+member, "%s %s", member, why)
		}
		if _, twice := lock.FindEntry(entry.Server, entry.File); twice {
			return nil, damaged(path, "%s on %s is listed twice; keep one of the entries", entry.File, entry.Server)
		}
		lock.entries = append(lock.entries, entry)
	}
	lock.sort()
	return lock, nil
}

func decodeStrictly(value json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
