package conversation

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

// TestWhyItEnded: the reason of an ending is correct and in a player's words.
func TestWhyItEnded(t *testing.T) {
	c := NewPersona("mira", tuitest.Persona())
	gate := c.FindMachine("gate")
	asked := Standing{State: "asked", Redirects: 0}
	for name, k := range map[string]struct {
		before, after Standing
		want          string
	}{
		"thrown out":             {asked, Standing{State: "asked", Score: -2, Outcome: "KICK_OUT", Decision: "kick_out"}, "“please, please” went too far for Mira: that ends a part at once."},
		"a no":                   {asked, Standing{State: "end", Outcome: "REJECT", Decision: "reject"}, "“please, please” missed: your score of 0 is too low, it takes 2."},
		"a no that costs":        {asked, Standing{State: "end", Score: -1, Outcome: "REJECT", Decision: "reject"}, "“please, please” missed and cost you 1: your score of -1 is too low, it takes 2."},
		"a no, nobody tells":     {asked, Standing{State: "end", Score: -1, Outcome: "REJECT"}, "“please, please” missed and cost you 1: your score of -1 is too low, it takes 2."},
		"a no, tries left":       {asked, Standing{State: "asked", Outcome: "REJECT", Decision: "reject"}, "“please, please” ended this part at once, tries or not. Other words may do better."},
		"a no, tries not told":   {Standing{State: "asked", Redirects: -1}, Standing{State: "asked", Outcome: "REJECT", Decision: "reject"}, "“please, please” ended this part. Other words may do better."},
		"too little":             {asked, Standing{State: "end", Score: 1, Outcome: "REJECT", Decision: "pass"}, "“please, please” did well. It takes a score of 2, and yours was 1."},
		"too little, no point":   {asked, Standing{State: "end", Outcome: "REJECT", Decision: "pass"}, "“please, please” did well. It takes a score of 2, and yours was 0."},
		"too little, not told":   {asked, Standing{State: "end", Score: 1, Outcome: "REJECT"}, "“please, please” did well. It takes a score of 2, and yours was 1."},
		"out of tries":           {Standing{State: "asked", Redirects: 2}, Standing{State: "end", Outcome: "REJECT", Decision: "reject"}, playwords.OutOfTries("please, please")},
		"the score fell too low": {asked, Standing{State: "asked", Score: -3, Outcome: "REJECT", Decision: "reject"}, "“please, please” missed. Your score fell to -3, which is too low to go on."},
		"won":                    {asked, Standing{State: "end", Score: 2, Outcome: "ACCEPT", Decision: "pass"}, "“please, please” won Mira over. Your score of 2 is enough: it takes 2."},
		"won with a no":          {asked, Standing{State: "end", Score: 3, Outcome: "ACCEPT", Decision: "reject"}, "“please, please” did not win Mira over, but your score of 3 is enough: it takes 2."},
	} {
		sc := &Session{Machine: gate, Standing: k.after, Messages: []wire.HistoryMessage{{Role: wire.RoleUser, Content: "please,\n please"}, {Role: wire.RoleAssistant}}}
		got, _ := sc.endingReason(k.before, "Mira")
		assert.Equal(t, got, k.want, name)
	}
}

// TestEndingsAreCounted: found endings are counted once, over all sessions and sources.
func TestEndingsAreCounted(t *testing.T) {
	c := NewPersona("mira", tuitest.Persona())
	want := []string{"gate/ACCEPT", "gate/REJECT", "gate/KICK_OUT", "cellar/ACCEPT", "cellar/REJECT", "tower/ACCEPT", "tower/REJECT"}
	got := c.possibleEndings()
	for _, key := range want {
		assert.True(t, slices.Contains(got, key), "%s is not among %v", key, got)
	}
	assert.Equal(t, len(got), len(want), got)
	u := &UserSession{Persona: c, Found: FoundEndings{Keys: []string{"gate/ACCEPT", "gone/ACCEPT"}}}
	sc := &Session{Machine: c.FindMachine("gate"), Standing: Standing{Outcome: "KICK_OUT"}}
	for _, said := range []string{"A new ending: 2 of 7 found.", "You knew this ending: 2 of 7 found."} {
		want := said + " To find: 1 to lose here, 4 elsewhere."
		assert.Equal(t, u.CollectEnding(sc), want)
	}
	assert.Equal(t, u.FoundWords(), "2 of 7 endings")
	// If a service hides the rules, endings cannot be counted.
	hidden := tuitest.Persona()
	hidden.Machines[1].States, hidden.Machines[1].Transitions = nil, nil
	u = &UserSession{Persona: NewPersona("mira", hidden)}
	assert.Equal(t, u.CollectEnding(sc), "A new ending, your number 1.")
}

// TestNamedEndingsAreCountedApart: each ending name counts by itself, and an unknown name does not.
func TestNamedEndingsAreCountedApart(t *testing.T) {
	full := tuitest.Persona()
	gate := &full.Machines[0].Machine
	gate.States = []personas.State{
		{Key: "asked", IsInitial: true},
		{Key: "end", IsTerminal: true, EndingName: "The front door"},
		{Key: "cellar", IsTerminal: true, EndingName: "Down\x1b[31m below"},
	}
	pass := personas.Transition{From: "asked", To: "end", Decision: personas.DecidePass, ScoreDelta: 2}
	bribe, down, never := pass, pass, pass
	bribe.EndingName, down.To, never.Decision, never.To = "The bribe", "cellar", personas.DecideKickOut, ""
	gate.Transitions = []personas.Transition{pass, bribe, down, never}
	full.Machines = full.Machines[:1]
	c := NewPersona("mira", full)
	u := &UserSession{Persona: c, Found: FoundEndings{Keys: []string{"gate/ACCEPT", "gate/ACCEPT/A name that was changed"}}}
	won := wire.Reply{CurrentState: "end", Score: 2, Outcome: new("ACCEPT"), Decision: new("pass"), MachineCompleted: true}
	play := func(reply wire.Reply) (title, said string) {
		sc := &Session{Machine: c.FindMachine("gate"), Standing: Standing{State: "asked"}}
		sc.AddTurn("hello", &reply)
		return c.TellEnding(sc, Standing{}, nil).Title, u.CollectEnding(sc)
	}
	for _, k := range []struct {
		name, state, title, said string
	}{
		{"The bribe", "end", "You made it: The bribe", "A new ending: 1 of 4 found. To find: 2 to win, 1 to lose here."},
		{"The bribe", "end", "You made it: The bribe", "You knew this ending: 1 of 4 found. To find: 2 to win, 1 to lose here."},
		{"Down\x1b[31m below", "cellar", "You made it: Down␛[31m below", "A new ending: 2 of 4 found. To find: 1 to win, 1 to lose here."},
		{"", "end", "You made it", "You have found 2 of 4 endings so far. To find: 1 to win, 1 to lose here."},
		{"The front door", "end", "You made it: The front door", "A new ending: 3 of 4 found. To find: 1 to lose here."},
	} {
		reply := won
		reply.Ending, reply.CurrentState = k.name, k.state
		title, said := play(reply)
		assert.Equal(t, title, k.title, "%q in %s", k.name, k.state)
		assert.Equal(t, said, k.said, "%q in %s", k.name, k.state)
	}
}

func TestEndlessPartsAreSearchedForAWhile(t *testing.T) {
	full := tuitest.Persona()
	m := &full.Machines[0].Machine
	m.Transitions = []personas.Transition{
		{From: "asked", To: "asked", Decision: personas.DecidePass, ScoreDelta: 1},
		{From: "inside", To: "end", Decision: personas.DecidePass},
	}
	m.States[0].MaxRedirects = nil
	full.Machines = full.Machines[:1]
	got := NewPersona("mira", full).possibleEndings()
	assert.True(t, got != nil && len(got) <= 3, "%v", got)
}

// The way back leads to the last state that could still be won, and is not there where that is the beginning.
func TestWhereItTurned(t *testing.T) {
	c := NewPersona("mira", tuitest.Persona())
	lost := engine.Session{State: "end", Score: 1}
	for name, k := range map[string]struct {
		outcome string
		turns   []engine.Session
		count   int
	}{
		"won":               {"ACCEPT", []engine.Session{{State: "inside", Score: 1}, lost}, 0},
		"at once":           {"REJECT", []engine.Session{lost}, 0},
		"in the yard":       {"REJECT", []engine.Session{{State: "asked"}, {State: "inside", Score: 1}, {State: "inside", Score: 1}, lost}, 2},
		"no longer winning": {"REJECT", []engine.Session{{State: "inside"}, lost}, 0},
	} {
		sc := &Session{Machine: c.FindMachine("gate"), Standing: Standing{Outcome: k.outcome}, Messages: []wire.HistoryMessage{{Role: wire.RoleAssistant}}}
		for _, turn := range k.turns {
			sc.Messages = append(sc.Messages, wire.HistoryMessage{Role: wire.RoleUser},
				wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: turn.State, ScoreAtTime: turn.Score})
		}
		title, count := sc.FindTurn()
		assert.Equal(t, count, k.count, name)
		assert.Equal(t, title, map[bool]string{true: "In the yard"}[count > 0], name)
	}
}

// TestCarriedOverInWords: carried variables are described in words, and only those that a part uses.
func TestCarriedOverInWords(t *testing.T) {
	full := tuitest.Persona()
	full.Variables = []personas.Variable{{Key: "town", Value: "Low Marrow"}, {Key: "why_here", Value: "private",
		Description: "Why the guest is here. It stands in the book."},
		{Key: "long", Description: strings.Repeat("word ", 30)}}
	full.Machines[0].InputVariables = []personas.InputVariable{{Key: "town"}, {Key: "why_here"}, {Key: "the_last-word"}, {Key: "empty"}, {Key: "long"}}
	c := NewPersona("mira", full)
	vars := map[string]string{"town": "Low Marrow", "why_here": "My train.\nlate", "the_last-word": "x\x1b[2J", "empty": " ", "long": "so", "other": "never"}
	want := []string{"Why the guest is here: “My train”", "The last word: “x␛[2J”", "Long: “so”"}
	assert.EqualSlices(t, c.ListCarried(c.FindMachine("gate"), vars), want)
	got := c.ListCarried(c.FindMachine("cellar"), vars)
	assert.True(t, got == nil, "a part that takes nothing: %q", got)
}

// A gender is asked for where a text depends on it, and nowhere else.
func TestGenderIsAskedWhereItCounts(t *testing.T) {
	full := tuitest.Persona()
	if u := (&UserSession{Persona: NewPersona("mira", full)}); u.NeedsGender() || !u.NeedsName() {
		t.Error("nothing uses it")
	}
	full.Machines[0].ChatPrompt = "She is {{ player_gender }}."
	u := &UserSession{Persona: NewPersona("mira", full), Saved: SavedSession{PlayerName: "Kim"}}
	assert.True(t, u.NeedsGender(), "a prompt uses it")
	assert.True(t, !u.IsComplete(), "a prompt uses it")
	u.Saved.PlayerGender = "male"
	assert.True(t, !u.NeedsGender(), "it is known")
	assert.True(t, u.IsComplete(), "all is known")
}

func TestPartsThatArePlayedAgainStayCounted(t *testing.T) {
	c := NewPersona("mira", tuitest.Persona())
	places := c.ListMachines([]wire.AvailableMachine{{MachineID: "m-gate", HasSession: true}},
		[]wire.CompletedMachine{{MachineID: "m-gate", Outcome: "ACCEPT", Score: 2}})
	assert.Equal(t, CountPlayed(places), 1)
	assert.Equal(t, places[0].Status, MachineBegun)
	AddEnding(places, &Session{Machine: c.FindMachine("gate"), Standing: Standing{Outcome: "ACCEPT", Score: 2}}, []string{"m-cellar"})
	for i, want := range []string{"made it, score 2", "open", "closed"} {
		assert.Equal(t, places[i].StatusWords(), want, "part %d", i)
	}
}

// TestProgressTellsWhatWasMade: a reached ending is shown even if the part is replayed or was lost since.
func TestProgressTellsWhatWasMade(t *testing.T) {
	c := NewPersona("mira", tuitest.Persona())
	u := &UserSession{Persona: c, Found: FoundEndings{Keys: []string{"gate/ACCEPT"}}}
	for outcome, want := range map[string]string{
		"REJECT": "1. The gate: missed it, score 0; you won it before.\n", "ACCEPT": "1. The gate: made it, score 0.\n",
	} {
		places := c.ListMachines([]wire.AvailableMachine{{MachineID: "m-gate", HasSession: true, SessionOutcome: &outcome}}, nil)
		got := strings.Join(u.ProgressWords(wire.Progress{}, places, false), "\n")
		assert.Contains(t, got, want, outcome)
		assert.True(t, strings.HasSuffix(got, "You have found 1 of 7 endings so far."), "%s:\n%s", outcome, got)
	}
}

// TestTurnReportsItsCost: a turn shows that it used a try or began a new step, and nothing if it was free.
func TestTurnReportsItsCost(t *testing.T) {
	m := &Machine{states: []State{{Key: "desk", Title: "At the desk", MaxRedirects: 2, initial: true}, {Key: "hall", Title: "The hall", MaxRedirects: 0}, {Key: "yard", Title: "The yard", MaxRedirects: -1}}}
	at := func(state string, used int) Standing { return Standing{State: state, Redirects: used} }
	for name, k := range map[string]struct {
		before, after Standing
		line, said    string
	}{
		"free":        {at("desk", 1), at("desk", 1), "", ""},
		"used":        {at("desk", 0), at("desk", 1), "that used a try, 2 left here", "That used a try, 2 left here."},
		"the last":    {at("desk", 1), at("desk", 2), "that used a try, the last one is left", "That used a try, the last one is left."},
		"a new step":  {at("hall", 0), at("desk", 0), "At the desk  new step: 3 tries of its own", "Now: At the desk. New step: 3 tries of its own."},
		"one try":     {at("desk", 2), at("hall", 0), "The hall  new step: one try of its own", "Now: The hall. New step: one try of its own."},
		"no tries":    {at("desk", 2), at("yard", 0), "The yard", "Now: The yard."},
		"the start":   {Standing{Redirects: -1}, at("desk", 0), "At the desk  3 tries here", "Now: At the desk. 3 tries here."},
		"gone on":     {Standing{Redirects: -1}, at("desk", 1), "At the desk  2 tries left here", "Now: At the desk. 2 tries left here."},
		"an ending":   {at("desk", 2), Standing{State: "desk", Redirects: -1, Outcome: "REJECT"}, "", ""},
		"used unseen": {at("desk", -1), at("desk", 1), "2 tries left here", "2 tries left here."},
	} {
		line, said := m.ChangeLine(k.before, k.after), strings.Join(m.ChangeSentences(k.before, k.after, "Mira"), " ")
		assert.Equal(t, line, k.line, name)
		assert.Equal(t, said, k.said, name)
	}
}

// TestPartOpenedByLossIsNext: a part that only a loss opens is the next one and not a reward.
func TestPartOpenedByLossIsNext(t *testing.T) {
	p := &Persona{Machines: []Machine{
		{ID: "1", Key: "desk", Title: "Check-in"},
		{ID: "2", Key: "food", Title: "Breakfast"},
		{ID: "3", Key: "round", Title: "Night round"}},
	}
	p.Links = []personas.Link{
		{Source: "desk", Target: "food", Condition: personas.IfScoreLTE},
		{Source: "desk", Target: "food", Condition: personas.IfOutcome, Outcome: personas.KickOut},
		{Source: "desk", Target: "round", Condition: personas.IfOutcome, Outcome: personas.Accept},
	}
	assert.Equal(t, p.unlockWords(&p.Machines[1]), "comes next when you end Check-in with a score of 0 or less, or go too far in Check-in")
	assert.Equal(t, p.unlockWords(&p.Machines[2]), "opens when you make it in Check-in")
	sc := &Session{Machine: &p.Machines[0], Standing: Standing{Outcome: "REJECT"}}
	got := strings.Join(p.TellEnding(sc, Standing{}, []string{"2"}).Told, " ")
	assert.True(t, strings.HasSuffix(got, "The story goes on with Breakfast."), "a lost part is rewarded: %q", got)
}
