package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Storage is the place of a secret.
type Storage string

// StoredKeyring is the system's keyring. StoredFile is a file with access for the owner only.
const (
	StoredKeyring Storage = "keyring"
	StoredFile    Storage = "file"
)

// Secrets stores one secret per server. The index records the places of the secrets.
type Secrets struct {
	dir    string
	ring   Keyring
	index  *jsonFile[SecretRecord]
	tokens *jsonFile[string]
}

// OpenSecrets returns the store in a directory. The keyring gets timeouts and accepts long secrets.
func OpenSecrets(dir string, ring Keyring) *Secrets {
	return &Secrets{
		dir: dir, ring: SplitSecrets(BoundWaits(ring, KeyringTimeout)),
		index: openSignIns[SecretRecord](dir, "signins.json"), tokens: openSignIns[string](dir, "tokens.json"),
	}
}

func openSignIns[V any](dir, name string) *jsonFile[V] {
	path := filepath.Join(dir, name)
	return &jsonFile[V]{path: path, name: "sign-ins", patience: 10 * time.Second, damaged: func(cause error) error {
		if cause == nil {
			return nil
		}
		// Omit the cause, because JSON errors can contain parts of a secret.
		return fmt.Errorf("the sign-ins in %s are damaged: remove the file and sign in again", path)
	}}
}

// A SecretRecord is the index entry of a secret. The keyring is not needed to read Note.
type SecretRecord struct {
	Stored Storage         `json:"stored"`
	Note   json.RawMessage `json:"note,omitempty"`
}

// PrivateFiles returns the paths of the private files in a directory. Files may be missing.
func PrivateFiles(dir string) []string {
	var files []string
	for _, name := range []string{userFile, "signins.json", "tokens.json", "sessions.json", "endings.json"} {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}

// Find returns the index entry of a server's secret, and whether the entry exists.
func (s *Secrets) Find(server string) (SecretRecord, bool, error) {
	all, err := s.index.read()
	kept, ok := all[server]
	return kept, ok, err
}

// Read returns a server's secret, or ErrNoSecret.
func (s *Secrets) Read(server string) (string, error) {
	kept, ok, err := s.Find(server)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", ErrNoSecret
	case kept.Stored == StoredKeyring:
		return s.ring.Get(server)
	}
	all, err := s.tokens.read()
	if err != nil {
		return "", err
	}
	secret, ok := all[server]
	if !ok {
		return "", ErrNoSecret
	}
	return secret, nil
}

// Keep stores a server's secret in one place and removes it from the other. Call Hold first.
func (s *Secrets) Keep(server, secret string, kept SecretRecord) error {
	before, had, err := s.Find(server)
	if err != nil {
		return err
	}
	if kept.Stored == StoredKeyring {
		err = s.ring.Set(server, secret)
	} else {
		err = s.tokens.change(func(all map[string]string) { all[server] = secret })
	}
	if err != nil {
		return err
	}
	if err := s.index.change(func(all map[string]SecretRecord) { all[server] = kept }); err != nil {
		return err
	}
	if had && before.Stored != kept.Stored {
		_ = s.dropSecret(server, before.Stored) // A keyring may have gone.
	}
	return nil
}

// Forget removes a server's secret, or returns ErrNoSecret. Call Hold first.
func (s *Secrets) Forget(server string) error {
	kept, ok, err := s.Find(server)
	if err != nil {
		return err
	}
	if !ok {
		return ErrNoSecret
	}
	if err := s.dropSecret(server, kept.Stored); err != nil {
		return err
	}
	return s.index.change(func(all map[string]SecretRecord) { delete(all, server) })
}

func (s *Secrets) dropSecret(server string, where Storage) error {
	if where == StoredFile {
		return s.tokens.change(func(all map[string]string) { delete(all, server) })
	}
	if err := s.ring.Delete(server); err != nil && !errors.Is(err, ErrNoSecret) {
		return err
	}
	return nil
}

// Hold locks a server's secret for this process. The wait for another process ends with ctx.
func (s *Secrets) Hold(ctx context.Context, server string) (release func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of stored sign-ins: %w", err)
	}
	sum := sha256.Sum256([]byte(server))
	return Lock(ctx, filepath.Join(s.dir, "signin-"+hex.EncodeToString(sum[:8])+".lock"))
}

// Probe returns an error if the keyring does not answer.
func (s *Secrets) Probe() error {
	_, err := s.ring.Get("probe")
	if errors.Is(err, ErrNoSecret) {
		return nil
	}
	return err
}
