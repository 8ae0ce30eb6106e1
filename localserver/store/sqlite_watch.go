package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Errors of a database file that cannot be written.
var (
	// ErrLost means that a file of the database was deleted, moved or replaced. Writes would be
	// lost at the end of the server.
	ErrLost = errors.New("the database was deleted or moved while the server was running")
	// ErrFull means that the disk is full.
	ErrFull = errors.New("the disk of the data folder is full")
	// ErrReadOnly means that the disk was full when the database was opened.
	ErrReadOnly = errors.New(
		"the disk of the data folder was full when the server started: free some space and start the server again",
	)
)

type fileWatch struct {
	path     string
	files    map[string]fs.FileInfo
	readOnly bool
	probe    func(path string) error

	mu       sync.Mutex
	probed   time.Time
	spaceErr error
}

func (w *fileWatch) remember() error {
	w.files = map[string]fs.FileInfo{}
	ends := append([]string{""}, logSuffixes...)
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
		// On Windows, os.SameFile reads and stores the id of the file.
		os.SameFile(info, info)
		w.files[path] = info
	}
	return nil
}

func (w *fileWatch) check() error {
	for path, file := range w.files {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %s does not exist", ErrLost, path)
		case err != nil:
			return fmt.Errorf("look for the database: %w", err)
		case !os.SameFile(info, file):
			return fmt.Errorf("%w: %s was replaced by another file", ErrLost, path)
		}
	}
	return nil
}

func nameFullDisk(err error) error {
	if isFullDisk(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

const (
	probeSize     = 64 << 10
	probeInterval = time.Second
)

func (w *fileWatch) checkRoom() error {
	if w.readOnly {
		return ErrReadOnly
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.probed) >= probeInterval {
		w.probed, w.spaceErr = now, w.probe(w.path+"-room")
	}
	return w.spaceErr
}

func probeRoom(path string) (err error) {
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write next to the database: %w", nameFullDisk(err))
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	_, err = f.Write(make([]byte, probeSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return nil
}
