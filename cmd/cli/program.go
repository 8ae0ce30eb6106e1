package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// usualProgram is the program's name if Streams.Program is unknown.
const usualProgram = "parley"

// FindProgramWord returns what a user types to start this program again: its base name if a shell
// finds that, else the path as typed, without quotes.
func (s *Streams) FindProgramWord() string {
	name := filepath.Base(s.Program)
	switch {
	case s.Program == "":
		return usualProgram
	case name == s.Program: // a shell found the program in PATH
		return name
	}
	name = strings.TrimSuffix(name, ".exe")
	if found, err := exec.LookPath(name); err == nil && IsSameFile(found, s.Program) {
		return name
	}
	return s.Program
}

// IsSameFile reports whether two paths lead to the same existing file.
func IsSameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}

// LimitedBuffer keeps the first Left bytes that a program writes, and drops the rest.
type LimitedBuffer struct {
	bytes.Buffer
	Left int
}

// Write implements io.Writer. It never fails.
func (b *LimitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.Left)
	b.Left -= n
	b.Buffer.Write(p[:n])
	return len(p), nil
}
