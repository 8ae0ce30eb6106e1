package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// BenchmarkIdleServer reports the resident memory of a server that has done nothing yet (Linux only, from /proc).
func BenchmarkIdleServer(b *testing.B) {
	path := cmdtest.BuildProgram(b, "../cmd/parley")
	for b.Loop() {
		p := exec.Command(path, "localserver", "--listen", "127.0.0.1:0", "--data", b.TempDir())
		s := assert.Value(cmdtest.StartServer(p))(b)
		time.Sleep(500 * time.Millisecond)
		kib, err := resident(p.Process.Pid)
		s.Kill()
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

// BenchmarkStartOf measures whole processes, and gh --version for comparison, for docs/figures.md.
func BenchmarkStartOf(b *testing.B) {
	parley := cmdtest.BuildProgram(b, "../cmd/parley")
	persona := assert.Value(filepath.Abs("../personas/examples/starter.yaml"))(b)
	commands := map[string][]string{
		"version":    {parley, "--version"},
		"help":       {parley, "--help"},
		"completion": {parley, "completion", "bash"},
		"complete":   {parley, "__complete", "persona", "li"},
		"lint":       {parley, "persona", "lint", persona},
	}
	if gh, err := exec.LookPath("gh"); err == nil {
		commands["gh-version"] = []string{gh, "--version"}
	}
	for name, words := range commands {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				assert.NoError(b, exec.Command(words[0], words[1:]...).Run())
			}
		})
	}
}
