package auth_test

import (
	"testing"

	"github.com/parley-npc/parley/cmd"
	"github.com/parley-npc/parley/cmd/auth"
	"github.com/parley-npc/parley/cmd/cmdtest"
)

func TestMain(m *testing.M) {
	auth.RunTree = cmd.Run
	cmdtest.Main(m, cmd.Main)
}

func TestScripts(t *testing.T) { cmdtest.RunScripts(t) }
