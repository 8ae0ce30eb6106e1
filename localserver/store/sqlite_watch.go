package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Why nothing can be kept.
var (
	// ErrLost means that a file of the database is missing, or that another file has its name.
	// Writes would be lost with the server.
	ErrLost = errors.New("the database was deleted or moved while the server runs")
	// ErrFull means that the disk is full.
	ErrFull = errors.New("the disk of the data folder is full")
	// ErrReadOnly: the disk was full when the database was opened.
	ErrReadOnly = errors.New("the disk of the data folder was full when the server started: make room and start it again")
)

// fileWatch knows the files of the open database, and checks whether they still have their names
// and whether the disk has space.
type fileWatch struct {
	path  string
	files map[string]fs.FileInfo // by their paths
	// readOnly means that the disk was full when the database was opened.
	readOnly bool
	probe    func(path string) error

	mu     sync.Mutex
	probed time.Time // when room was looked for
	room   error     // what was found then
}

// rememberFiles records the present files of the database. A read-only database has only its main
// file.
func (w *fileWatch) rememberFiles() error {
	w.files = map[string]fs.FileInfo{}
	ends := append([]string{""}, beside...)
	if w.readOnly {
		ends = ends[:1]
	}
	for _, end := range ends {
		path := w.path + end
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && end != "":
			continue
		case err != nil:
			return fmt.Errorf("look for the database: %w", err)
		}
		// Windows asks for a file's number only when it is compared: now it is this one's.
		os.SameFile(info, info)
		w.files[path] = info
	}
	return nil
}

// checkFiles finds out whether each file still has its name (ErrLost).
func (w *fileWatch) checkFiles() error {
	for path, file := range w.files {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: there is no %s", ErrLost, path)
		case err != nil:
			return fmt.Errorf("look for the database: %w", err)
		case !os.SameFile(info, file):
			return fmt.Errorf("%w: %s is another file", ErrLost, path)
		}
	}
	return nil
}

// guardCommit commits while the files have their names. It checks afterwards, so that lost writes
// are not acknowledged.
func (w *fileWatch) guardCommit(commit func() ([]error, error)) ([]error, error) {
	if w.readOnly {
		return nil, ErrReadOnly
	}
	errs, err := commit()
	for i := range errs {
		errs[i] = nameFullDisk(errs[i])
	}
	if err != nil {
		return nil, nameFullDisk(err)
	}
	return errs, w.checkFiles()
}

// nameFullDisk wraps an error in ErrFull if it means that the disk is full.
func nameFullDisk(err error) error {
	if isFullDisk(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

const (
	// probeSize must fit on the disk for a server to be ready: it is more than a turn writes.
	probeSize = 64 << 10
	// probeInterval is how long the result is valid.
	probeInterval = time.Second
)

// checkRoom reports a full disk (ErrFull, ErrReadOnly). It looks at most once per probeInterval.
func (w *fileWatch) checkRoom() error {
	if w.readOnly {
		return ErrReadOnly
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.probed) >= probeInterval {
		w.probed, w.room = now, w.probe(w.path+"-room")
	}
	return w.room
}

// probeRoom writes a file and removes it. It replaces a leftover file of a killed server.
func probeRoom(path string) (err error) {
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write beside the database: %w", nameFullDisk(err))
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	_, err = f.Write(make([]byte, probeSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return nil
}
