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

// SignIn is the content of the sign-in file. A running server writes the file, and commands on this
// machine sign in with its token. Token may be sent only to Address.
type SignIn struct {
	Address   string    `json:"address"`
	Token     string    `json:"token"`
	User      string    `json:"user"`
	ExpiresAt time.Time `json:"expires_at"`
}

const signInFile = "signin.json"

// ReadSignIn reads the sign-in file of a data folder. It returns fs.ErrNotExist if no server uses
// the folder.
func ReadSignIn(dir string) (SignIn, error) {
	var signIn SignIn
	path := filepath.Join(dir, signInFile)
	data, err := atomicfile.Read(path)
	if err != nil {
		return signIn, fmt.Errorf("read the sign-in file: %w", err)
	}
	// The cause could contain parts of the token.
	if json.Unmarshal(data, &signIn) != nil || signIn.Address == "" || signIn.Token == "" {
		return SignIn{}, fmt.Errorf("%s is damaged, restart the local server", path)
	}
	return signIn, nil
}

// WriteSignIn atomically writes the sign-in file of a data folder. Only the owner can read the
// file.
func WriteSignIn(dir string, signIn SignIn) error {
	data, err := json.MarshalIndent(signIn, "", "  ")
	if err != nil {
		return fmt.Errorf("write the sign-in file: %w", err)
	}
	if err := writePrivate(filepath.Join(dir, signInFile), data, atomicfile.Write); err != nil {
		return fmt.Errorf("write the sign-in file: %w", err)
	}
	return nil
}

// RemoveSignIn removes the sign-in file of a data folder. A missing file is not an error.
func RemoveSignIn(dir string) error {
	err := os.Remove(filepath.Join(dir, signInFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the sign-in file: %w", err)
	}
	return nil
}

// MachineEmail returns the e-mail address for automatic sign-in. It is the account name followed by
// @localhost.
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

func writePrivate(path string, data []byte, write func(string, []byte, fs.FileMode) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, data, 0o600)
}

// PrivateFiles returns the paths of the private files in a data folder.
func PrivateFiles(dir string) []string {
	var files []string
	for _, name := range []string{devKeyFile, signInsFile, signInFile} {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
