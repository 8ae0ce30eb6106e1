package connect_test

import (
	"testing"

	"github.com/parley-npc/parley/cmd"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/connect"
)

func TestMain(m *testing.M) {
	connect.RunTree = cmd.Run
	cmdtest.Main(m, cmd.Main)
}

func TestScripts(t *testing.T) { cmdtest.RunScripts(t) }
