package storetest

import (
	"fmt"
	"os/exec"
)

func chownFolder(string) error { return fmt.Errorf("%w: this is Windows", ErrNone) }

func actUnprivileged(*exec.Cmd) {}

func endProcess(cmd *exec.Cmd) error { return cmd.Process.Kill() }
