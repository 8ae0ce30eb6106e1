//go:build !windows

package cmdtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// RunAsNobody makes a command one of a user who may not write where root has made
// things, with a copy of the program that this user can reach.
func RunAsNobody(t *testing.T, p *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	dir, err := os.MkdirTemp("", "parley-nobody-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.Path = filepath.Join(dir, "parley")
	// By another process: a file that this one writes may be open for writing in what
	// another test starts at that moment, and such a program cannot be started.
	if out, err := exec.Command("cp", os.Args[0], p.Path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// MountSmallDisk mounts a directory with limited space. size is in the syntax of mount.
func MountSmallDisk(t *testing.T, size string) string {
	t.Helper()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "parley", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", "-l", disk).Run(); err != nil {
			t.Error(err)
		}
	})
	return disk
}
