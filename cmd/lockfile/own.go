package lockfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// OwnEntries records which entries of one parley.lock this machine has written, or its user has
// agreed to. parley.lock comes with a repository, and its author may aim its files at any persona.
// The record is a separate file with one entry per line; the last line for a file and server
// counts.
type OwnEntries struct {
	file, lock string
	ids        map[ownKey]string
}

type ownKey struct{ server, file string }

// ownLine is a line of the file.
type ownLine struct {
	Lock   string `json:"lock"` // the path of the parley.lock
	Server string `json:"server"`
	File   string `json:"file"`
	ID     string `json:"id"`
}

// ReadOwnEntries reads which entries of a parley.lock are this machine's, from a directory that
// only its user can write. With "" there are none, and none are stored. An unreadable record counts
// as unknown entries, so the user is asked again.
func ReadOwnEntries(folder, lock string) *OwnEntries {
	lock = resolveFolder(lock)
	o := &OwnEntries{lock: lock, ids: map[ownKey]string{}}
	if folder == "" {
		return o
	}
	o.file = filepath.Join(folder, pathHash(lock)+".own")
	f, err := os.Open(o.file)
	if err != nil {
		return o
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line ownLine
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Lock == lock {
			o.ids[ownKey{line.Server, line.File}] = line.ID
		}
	}
	return o
}

// HasEntry reports whether this machine has written that a file is this persona of a server.
func (o *OwnEntries) HasEntry(e Entry) bool {
	id, known := o.ids[ownKey{e.Server, e.File}]
	return known && id == e.ID
}

// AddEntry keeps an entry as this machine's own.
func (o *OwnEntries) AddEntry(e Entry) error {
	if o.HasEntry(e) {
		return nil
	}
	o.ids[ownKey{e.Server, e.File}] = e.ID
	if o.file == "" {
		return nil
	}
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(ownLine{o.lock, e.Server, e.File, e.ID}); err != nil {
		return err
	}
	f, err := os.OpenFile(o.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line.Bytes())
	return errors.Join(err, f.Close())
}
