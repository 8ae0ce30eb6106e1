package check_test

import (
	"testing"

	"github.com/parley-npc/parley/cmd"
	"github.com/parley-npc/parley/cmd/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, cmd.Main) }

func TestScripts(t *testing.T) { cmdtest.RunScripts(t) }
