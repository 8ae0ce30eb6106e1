package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// usualProgram is the program's name if it is not known how it was started.
const usualProgram = "parley"

// FindProgramWord returns what a user types to start this program again. It is the base name if a
// shell finds the program by that name, else the path as typed. It is not quoted.
func (s *Streams) FindProgramWord() string {
	name := filepath.Base(s.Program)
	switch {
	case s.Program == "":
		return usualProgram
	case name == s.Program: // A shell found the program in PATH.
		return name
	}
	name = strings.TrimSuffix(name, ".exe")
	if found, err := exec.LookPath(name); err == nil && isSameFile(found, s.Program) {
		return name
	}
	return s.Program
}

func isSameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}
