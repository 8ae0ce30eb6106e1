//go:build !windows

package datafolder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// TestRestoreAsRoot: files restored by root belong to the owner of the folder, because that user
// runs the server; existing files of other users are not changed, and neither are links.
func TestRestoreAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	const nobody = 65534
	snapshot := writeSample(t)
	above := t.TempDir()
	assert.NoError(t, os.Chown(above, nobody, nobody))
	dir := filepath.Join(above, "var", "parley")
	assert.Value(RestoreSnapshot(t.Context(), snapshot, placeIn(dir), false, time.Now(), nil))(t)
	for _, path := range []string{filepath.Dir(dir), dir, DatabaseFile(dir), filepath.Join(dir, lockFile)} {
		assert.Equal(t, uidOf(t, path), nobody, "%s belongs to", path)
	}
	roots := t.TempDir()
	_, err := RestoreSnapshot(t.Context(), snapshot, placeIn(roots), false, time.Now(), nil)
	assert.True(t, err == nil && uidOf(t, DatabaseFile(roots)) == 0, "in a folder of root's: %v", err)
}

// TestOwnersTakeNoLinks: a user cannot get files of root elsewhere by a link in the user's folder.
func TestOwnersTakeNoLinks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := t.TempDir()
	assert.NoError(t, os.Chown(dir, 65534, 65534))
	secret := filepath.Join(t.TempDir(), "secret")
	assert.NoError(t, os.WriteFile(secret, nil, 0o600))
	for name, link := range map[string]func(string, string) error{"soft": os.Symlink, "hard": os.Link} {
		path := filepath.Join(dir, name)
		assert.NoError(t, link(secret, path))
		who, ok := ownerOf(path)
		err := who.chown(path)
		assert.Must(t, ok, "%s link: %v, %v, the file belongs to %d", name, ok, err, uidOf(t, secret))
		assert.Equal(t, err != nil, name == "soft", name)
		assert.Equal(t, uidOf(t, secret), 0, name)
	}
}

func uidOf(t *testing.T, path string) int {
	t.Helper()
	info := assert.Value(os.Stat(path))(t)
	return int(info.Sys().(*syscall.Stat_t).Uid)
}
