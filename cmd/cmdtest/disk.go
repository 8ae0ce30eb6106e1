//go:build !windows

package cmdtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// RunAsNobody makes p run as an unprivileged user, with a copy of the program.
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
	// A file written by this process could still be open in a child of another test (ETXTBSY).
	if out, err := exec.Command("cp", os.Args[0], p.Path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// MountSmallDisk mounts a tmpfs and returns its directory. size has the syntax of mount.
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
