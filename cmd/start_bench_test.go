package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// built is a program built for a benchmark as a release is.
func built(b *testing.B, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "program.exe")
	p := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	if out, err := p.CombinedOutput(); err != nil {
		b.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// BenchmarkStart compares the start of parley --version with that of a program
// that does nothing.
func BenchmarkStart(b *testing.B) {
	nothing := filepath.Join(b.TempDir(), "main.go")
	if err := os.WriteFile(nothing, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, pkg string }{{"parley", "../cmd/parley"}, {"empty", nothing}} {
		path := built(b, bench.pkg)
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(path, "--version").Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIdleServer reports the resident memory of a server that has done
// nothing yet (Linux only, from /proc).
func BenchmarkIdleServer(b *testing.B) {
	path := built(b, "../cmd/parley")
	for b.Loop() {
		p := exec.Command(path, "localserver", "--listen", "127.0.0.1:0", "--data", b.TempDir())
		s, err := startServer(p)
		if err != nil {
			b.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		kib, err := resident(p.Process.Pid)
		s.kill()
		if err != nil {
			b.Skip(err)
		}
		b.ReportMetric(float64(kib)/1024, "MiB-resident")
	}
}

func resident(pid int) (kib int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, line, _ := bytes.Cut(status, []byte("VmRSS:"))
	_, err = fmt.Sscan(string(line), &kib)
	return kib, err
}
