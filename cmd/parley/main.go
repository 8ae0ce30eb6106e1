// Command parley plays, checks, saves and serves personas. A persona is a non-player character with
// an identity prompt and state machines.
package main

import (
	"os"

	"github.com/parley-npc/parley/cmd"
	"github.com/parley-npc/parley/cmd/early"
)

func main() {
	early.Restore()
	os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
