package record

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func chapter(key string, said ...string) Chapter {
	ch := Chapter{MachineKey: key}
	ch.Messages = append(ch.Messages, wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "s"})
	for _, words := range said {
		ch.Messages = append(ch.Messages, wire.HistoryMessage{Role: wire.RoleUser, Content: words},
			wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "s", Content: "re " + words})
	}
	return ch
}

func TestCompareRecords(t *testing.T) {
	ended := chapter("gate", "a", "b")
	ended.Outcome = new("ACCEPT")
	reworded := chapter("gate", "a", "b")
	reworded.Messages[4].Content = "other words"
	for name, c := range map[string]struct {
		a, b      []Chapter
		common    int
		machine   string
		turn      int
		has, has2 bool // whether the branches have the turn
	}{
		"nothing differs":       {[]Chapter{ended}, []Chapter{ended}, 2, "", 0, false, false},
		"one goes on":           {[]Chapter{ended, chapter("cellar", "x")}, []Chapter{ended}, 2, "cellar", 1, true, false},
		"the other goes on":     {[]Chapter{ended}, []Chapter{ended, chapter("cellar", "x")}, 2, "cellar", 1, false, true},
		"in the middle":         {[]Chapter{chapter("gate", "a", "c", "b")}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"one ended":             {[]Chapter{ended}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"another reply":         {[]Chapter{reworded}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"a later part is alike": {[]Chapter{chapter("gate", "b"), chapter("cellar", "x")}, []Chapter{chapter("gate"), chapter("cellar", "x")}, 1, "gate", 1, true, false},
	} {
		got := CompareRecords(&Record{Chapters: c.a}, &Record{Chapters: c.b}, wire.Branch{Turn: 1}, wire.Branch{Turn: 2})
		machine, turn := "", 0
		if got.MachineKey != nil {
			machine, turn = *got.MachineKey, *got.Turn
		}
		if got.Common != c.common || machine != c.machine || turn != c.turn || (got.Branches[0].Next != nil) != c.has || (got.Branches[1].Next != nil) != c.has2 || got.Branches[1].Now.Turn != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestOtherBranch(t *testing.T) {
	root, gone := "1", "9"
	list := []wire.Branch{{UserSessionID: "1"}, {UserSessionID: "2", Parent: &root}, {UserSessionID: "3", Parent: &gone}}
	for here, want := range []int{2, 0, 1} {
		assert.Equal(t, OtherBranch(list, here), want, "beside %d", here)
	}
	assert.Equal(t, OtherBranch(list[:1], 0), -1, "a branch alone")
}
