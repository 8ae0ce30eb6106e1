package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// usualProgram is how the program is called where nothing else is known.
const usualProgram = "parley"

// FindProgramWord returns what a player types to start this program again: its name if a shell
// finds it by that, else its path as typed. It is not quoted.
func (s *Streams) FindProgramWord() string {
	name := filepath.Base(s.Program)
	switch {
	case s.Program == "":
		return usualProgram
	case name == s.Program: // A shell has found it.
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
