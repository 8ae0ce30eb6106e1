package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// SignIn is the content of the sign-in file. A running server writes the file to its data folder,
// so that commands of this machine's user sign in automatically. Token may be sent only to Address.
type SignIn struct {
	Address   string    `json:"address"`
	Token     string    `json:"token"`
	User      string    `json:"user"`
	ExpiresAt time.Time `json:"expires_at"`
}

const signInFile = "signin.json"

// ReadSignIn reads the sign-in file of a data folder. The error is fs.ErrNotExist if the file does
// not exist, for example because no server uses the folder.
func ReadSignIn(dir string) (SignIn, error) {
	var in SignIn
	path := filepath.Join(dir, signInFile)
	data, err := atomicfile.Read(path)
	if err != nil {
		return in, fmt.Errorf("read the sign-in file: %w", err)
	}
	// The cause is omitted, because it could contain parts of the token.
	if json.Unmarshal(data, &in) != nil || in.Address == "" || in.Token == "" {
		return SignIn{}, fmt.Errorf("%s is damaged, restart the local server", path)
	}
	return in, nil
}

// WriteSignIn writes or atomically replaces the sign-in file of a data folder. Only the file's
// owner can read it.
func WriteSignIn(dir string, in SignIn) error {
	data, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return fmt.Errorf("write the sign-in file: %w", err)
	}
	if err := writePrivate(filepath.Join(dir, signInFile), data, atomicfile.Write); err != nil {
		return fmt.Errorf("write the sign-in file: %w", err)
	}
	return nil
}

// RemoveSignIn removes the sign-in file of a data folder if there is one.
func RemoveSignIn(dir string) error {
	err := os.Remove(filepath.Join(dir, signInFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the sign-in file: %w", err)
	}
	return nil
}

// MachineEmail returns the e-mail address that this machine's user signs in with automatically. It
// is the name of the user's account, followed by @localhost.
func MachineEmail() string {
	const host, fallback = "@localhost", "player"
	account, err := user.Current()
	if err != nil {
		return fallback + host
	}
	name := account.Username
	// On Windows the name is DOMAIN\name.
	name = name[strings.LastIndexByte(name, '\\')+1:]
	email, err := normalEmail(name + host)
	if err != nil {
		return fallback + host
	}
	return email
}

// writePrivate calls write, after it has created the folder of the file. write decides what happens
// if the file exists.
func writePrivate(path string, data []byte, write func(string, []byte, fs.FileMode) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, data, 0o600)
}

// PrivateFiles returns the paths of the private files that this package writes to a data folder.
// Only the owner may read them.
func PrivateFiles(dir string) []string {
	var files []string
	for _, name := range []string{devKeyFile, signInsFile, signInFile} {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
