package service

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Permissions of Parley's own files and directories.
const (
	privateFile   = 0o600
	privateFolder = 0o700
	// others is the mask of the permissions of other users.
	others = 0o077
)

// NarrowRights removes other users' access to Parley's own files and directories, and returns those
// that it changed. It does not change a directory set by an environment variable, which may have
// other uses, but the files in it.
func NarrowRights(env *Environment) []atomicfile.Widened {
	d := env.Dirs()
	var files, folders []string
	for _, f := range []struct {
		variable string
		find     func() (string, error)
		inside   func(string) []string
	}{
		{"PARLEY_CONFIG_DIR", d.Config, settings.PrivateFiles}, {"PARLEY_STATE_DIR", d.State, settings.PrivateFiles}, {"PARLEY_DATA_DIR", d.Data, localserver.PrivateFiles},
	} {
		folder, err := f.find()
		if err != nil {
			continue
		}
		files = append(files, f.inside(folder)...)
		if env.Env(f.variable) == "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	slices.Sort(files)
	return slices.Concat(atomicfile.NarrowRights(privateFolder, folders...), atomicfile.NarrowRights(privateFile, slices.Compact(files)...))
}

// DescribeWidened returns a message about the problem and its correction, and what is left to do.
func DescribeWidened(w atomicfile.Widened) (message, remedy string) {
	found := fmt.Sprintf("others on this machine could get at %s (%04o)", w.Path, uint32(w.Found))
	if w.Err == nil {
		return found + fmt.Sprintf(": it is %04o now", uint32(w.Found&^others)), "if you do not trust them all, sign out and in again, and revoke the keys that are in it"
	}
	return found + fmt.Sprintf(", and it stays so: %v", w.Err), fmt.Sprintf("chmod go-rwx %s", plaintext.ShellFile(filepath.Clean(w.Path)))
}
