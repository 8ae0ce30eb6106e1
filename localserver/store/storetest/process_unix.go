//go:build !windows

package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// PostgreSQL refuses to run as root.
func findUnprivileged() (credential syscall.Credential, ok bool, err error) {
	if os.Geteuid() != 0 {
		return credential, false, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return credential, false, err
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		return syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, true, err
	}
	return credential, false, fmt.Errorf(
		"%w: it does not run as root, and there is neither a user postgres nor a user nobody", ErrNone,
	)
}

func chownFolder(folder string) error {
	credential, ok, err := findUnprivileged()
	if err != nil || !ok {
		return err
	}
	return os.Chown(folder, int(credential.Uid), int(credential.Gid))
}

func actUnprivileged(cmd *exec.Cmd) {
	cmd.SysProcAttr = dieWithParent()
	if credential, ok, err := findUnprivileged(); ok && err == nil {
		cmd.SysProcAttr.Credential = &credential
	}
}

func endProcess(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGQUIT) }
