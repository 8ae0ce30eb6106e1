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

const (
	privateFile   = 0o600
	privateFolder = 0o700
	// mask of other users' permissions
	others = 0o077
)

// NarrowRights removes other users' access to Parley's own files and directories, and returns what
// it changed. In a directory set by an environment variable it changes only Parley's files.
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

// DescribeWidened explains the problem and the next steps.
func DescribeWidened(w atomicfile.Widened) (message, remedy string) {
	found := fmt.Sprintf("other users of this machine had access to %s (mode %04o)", w.Path, uint32(w.Found))
	if w.Err == nil {
		return found + fmt.Sprintf(": the mode is now %04o", uint32(w.Found&^others)), "if you do not trust all these users, sign out and in again, and revoke the keys in the file"
	}
	return found + fmt.Sprintf(", and the mode could not be changed: %v", w.Err), fmt.Sprintf("chmod go-rwx %s", plaintext.ShellFile(filepath.Clean(w.Path)))
}
