package cmd

import (
	"fmt"
	"github.com/parley-npc/parley/cmd/config"
	"os"
	"path/filepath"
)

// replaceFile writes a file anew with the rights that it has; a link stays one.
func replaceFile(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return trouble(fmt.Errorf("write %s: %w", path, reason(err)), "")
	}
	info, err := os.Stat(target)
	if err != nil {
		return trouble(fmt.Errorf("write %s: %w", path, reason(err)), "")
	}
	if err := config.WriteFile(target, content, info.Mode().Perm()); err != nil {
		return trouble(err, "")
	}
	return nil
}
