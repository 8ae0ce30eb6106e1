package storetest

import (
	"fmt"
	"os/exec"
)

// giveAway refuses: PostgreSQL in a scratch folder is for systems with users.
func giveAway(string) error { return fmt.Errorf("%w: this is Windows", ErrNone) }

func actUnprivileged(*exec.Cmd) {}

func endProcess(cmd *exec.Cmd) error { return cmd.Process.Kill() }
