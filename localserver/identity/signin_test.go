package identity

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestSignInFile(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadSignIn(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist, "without a file")
	for _, in := range []SignIn{
		{"http://127.0.0.1:1", "first", "a@b.c", noon},
		{"http://127.0.0.1:2", "second", "d@e.f", noon.Add(time.Hour)},
	} {
		t.Run(in.Address, func(t *testing.T) {
			assert.NoError(t, WriteSignIn(dir, in))
			if got, err := ReadSignIn(dir); err != nil || got != in {
				t.Errorf("read %+v, %v; wrote %+v", got, err, in)
			}
		})
	}
	path := filepath.Join(dir, signInFile)
	info := assert.Value(os.Stat(path))(t)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	assert.NoError(t, os.WriteFile(path, []byte(`{"token": "secret`), 0o600))
	_, err = ReadSignIn(dir)
	assert.True(t, err != nil && !strings.Contains(err.Error(), "secret"), "a damaged file: %v", err)
	for range 2 {
		assert.NoError(t, RemoveSignIn(dir))
	}
	left, _ := os.ReadDir(dir)
	assert.Empty(t, left, "left behind")
}

func TestMachineEmailIsAnAddress(t *testing.T) {
	email := MachineEmail()
	if normal, err := normalEmail(email); err != nil || normal != email {
		t.Errorf("%q: %v", email, err)
	}
}
