// Package lockfile reads and writes parley.lock, which records the server and persona that a file
// was saved as, with a hash of its content and the time. It lies beside the persona files and is
// committed to git, so it is sorted, has one value per line and holds no secret. The package never
// talks to a server, never overwrites a file that it cannot read, and holds a project's lock only
// as long as asked.
package lockfile

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Name is the file's name.
const Name = "parley.lock"

// Version is the version of the form that is written and read.
const Version = 1

// Entry describes what a file was saved as. File is its path relative to the lock's directory with
// forward slashes; Server is an address without user, password and final slash; SHA256 is the hash
// of the persona's canonical JSON, in hex; UpdatedAt is the service's, in RFC 3339.
type Entry struct {
	File      string `json:"file"`
	Server    string `json:"server"`
	ID        string `json:"id"`
	SHA256    string `json:"sha256"`
	UpdatedAt string `json:"updated_at"`
}

// Lock is the content of a parley.lock, sorted by file and server.
type Lock struct{ entries []Entry }

// FindEntry returns a file's entry for a server. The Unicode form of the file's name does not
// matter, because some file systems change it.
func (l *Lock) FindEntry(server, file string) (Entry, bool) {
	for _, e := range l.entries {
		if e.Server == server && samePath(e.File, file) {
			return e, true
		}
	}
	return Entry{}, false
}

// FilesOf lists the entries of a persona of a server.
func (l *Lock) FilesOf(server, id string) []Entry {
	var found []Entry
	for _, e := range l.entries {
		if e.Server == server && e.ID == id {
			found = append(found, e)
		}
	}
	return found
}

// EntriesOf returns the entries of a server, sorted by file.
func (l *Lock) EntriesOf(server string) []Entry {
	var found []Entry
	for _, e := range l.entries {
		if e.Server == server {
			found = append(found, e)
		}
	}
	return found
}

// FilesSaying lists the entries of a server with this content hash.
func (l *Lock) FilesSaying(server, sha256 string) []Entry {
	var found []Entry
	for _, e := range l.entries {
		if e.Server == server && e.SHA256 == sha256 {
			found = append(found, e)
		}
	}
	return found
}

func samePath(a, b string) bool { return plaintext.Compose(a) == plaintext.Compose(b) }

// dropEntries drops entries, and reports whether there were some.
func (l *Lock) dropEntries(which func(Entry) bool) bool {
	before := len(l.entries)
	l.entries = slices.DeleteFunc(slices.Clone(l.entries), which)
	return len(l.entries) < before
}

// IsEmpty reports whether the lock is without entries, for example because its file does not exist
// yet.
func (l *Lock) IsEmpty() bool { return len(l.entries) == 0 }

// PutEntry replaces the entry of the same file and server. It refuses an entry that could not be
// read back.
func (l *Lock) PutEntry(e Entry) error {
	if member, why := e.findFault(); why != "" {
		return fmt.Errorf("%s cannot be kept in %s: its %s %s", e.File, Name, member, why)
	}
	l.entries = slices.DeleteFunc(slices.Clone(l.entries), func(old Entry) bool { return old.Server == e.Server && samePath(old.File, e.File) })
	l.entries = append(l.entries, e)
	slices.SortFunc(l.entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server)) })
	return nil
}

// findFault returns which member of an entry is invalid, and why.
func (e *Entry) findFault() (member, why string) {
	_, hexErr := hex.DecodeString(e.SHA256)
	_, timeErr := time.Parse(time.RFC3339, e.UpdatedAt)
	switch {
	case !fs.ValidPath(e.File) || e.File == ".":
		return "file", "is no path from this folder with forward slashes"
	case !isPlainAddress(e.Server):
		return "server", "is no address such as http://127.0.0.1:8787"
	case e.ID == "" || strings.ContainsFunc(e.ID, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "id", "is no persona's id"
	case hexErr != nil || len(e.SHA256) != 64 || strings.ToLower(e.SHA256) != e.SHA256:
		return "sha256", "is not 64 hexadecimal digits"
	case timeErr != nil:
		return "updated_at", "is no time such as 2026-01-31T12:00:00.000Z"
	}
	return "", ""
}

func isPlainAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && !strings.HasSuffix(text, "/")
}

const headLine = "# As which personas the files here were saved. Written by parley; keep it in git.\n"

// Encode writes the lock as YAML, always the same way.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	b.WriteString(headLine)
	fmt.Fprintf(&b, "version: %d\npersonas:", Version)
	if len(l.entries) == 0 {
		b.WriteString(" []\n")
		return b.Bytes()
	}
	b.WriteByte('\n')
	for _, e := range l.entries {
		fmt.Fprintf(&b, "  - file: %s\n    server: %s\n    id: %s\n    sha256: %s\n    updated_at: %s\n",
			quoteText(e.File), quoteText(e.Server), quoteText(e.ID), quoteText(e.SHA256), quoteText(e.UpdatedAt))
	}
	return b.Bytes()
}

// quoteText writes a text in quotation marks. Characters that cannot be seen become
// escapes that YAML has too.
func quoteText(text string) string { return strconv.Quote(strings.ToValidUTF8(text, "\uFFFD")) }

// FindPlace returns which parley.lock a persona file belongs to, and how it is called
// there: the lock is in the nearest folder at or above the file's that has
// a .parley.yaml, else in the file's own.
func FindPlace(file string) (path, name string, err error) {
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", "", fmt.Errorf("find the %s of %s: %w", Name, file, err)
	}
	folder := FolderFor(filepath.Dir(whole))
	inside, err := filepath.Rel(folder, whole)
	if err != nil {
		return "", "", fmt.Errorf("find the %s of %s: %w", Name, file, err)
	}
	return filepath.Join(folder, Name), filepath.ToSlash(inside), nil
}

// FolderFor returns the directory of the lock for persona files in a directory.
func FolderFor(of string) string {
	for at := of; ; {
		if info, err := os.Stat(filepath.Join(at, settings.ProjectFile)); err == nil && !info.IsDir() {
			return at
		}
		parent := filepath.Dir(at)
		if parent == at {
			return of
		}
		at = parent
	}
}

// Read reads a parley.lock. A missing file is an empty lock; a damaged one is a *Damaged.
func Read(path string) (*Lock, error) {
	text, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return Parse(path, text)
}
