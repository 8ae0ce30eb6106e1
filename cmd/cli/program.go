package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// usualProgram is the program's name if Streams.Program is unknown.
const usualProgram = "parley"

// FindProgramWord returns the word that starts this program again, without quotes. That is the base
// name if a shell finds the program by it, and otherwise the path as typed.
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
