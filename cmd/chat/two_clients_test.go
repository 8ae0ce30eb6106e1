//go:build !windows

package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// stairs is a machine with four steps of one point each.
const stairs = `
name: Stairs
description: One step after the other.
persona_identity_prompt: You are stairs.
machines:
  - machine_key: stairs
    name: The stairs
    is_entry_machine: true
    pass_threshold: 3
    states:
      - {state_key: a, label: First step, is_initial_state: true, max_redirects: 3}
      - {state_key: b, label: Second step, max_redirects: 3}
      - {state_key: c, label: Third step, max_redirects: 3}
      - {state_key: d, label: On top, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass, score_delta: 1, condition: climbs}
      - {from_state_key: a, decision_type: redirect, condition: waits}
      - {from_state_key: b, to_state_key: c, decision_type: pass, score_delta: 1, condition: climbs}
      - {from_state_key: b, decision_type: redirect, condition: waits}
      - {from_state_key: c, to_state_key: d, decision_type: pass, score_delta: 1, condition: climbs}
      - {from_state_key: c, decision_type: redirect, condition: waits}
`

// TestTwoClients: two chats of one session show each other's turns once, in place, with their own score.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	stage := newServerFixtureOf(t, stairs, narrator(nil), "--llm", "offline")
	one := newTerminalPlayer(t, stage)
	cmdtest.WaitForText(t, one.screen, "Say something")
	two := newTerminalPlayerIn(t, stage, one.home)
	cmdtest.WaitForText(t, two.screen, "Continuing where you left off.")
	one.resize(90, 60)
	two.resize(90, 60)

	one.types("my first [[pass]]\r", "→ Second step  +1  (1 of 3)")
	two.types("your second [[redirect]]\r", "→ that used a try, 3 left here")
	cmdtest.WaitForTexts(t, two.screen, "Messages from another window:", "my first [[pass]]", "→ Second step  +1  (1 of 3)", "your second [[redirect]]", "→ that used a try, 3 left here")
	one.types("my third [[pass]]\r", "→ Third step  +1  (2 of 3)")
	cmdtest.WaitForTexts(t, one.screen, "my first [[pass]]", "Messages from another window:", "your second [[redirect]]", "→ that used a try, 3 left here", "my third [[pass]]", "→ Third step  +1  (2 of 3)")
	for _, at := range []*terminalPlayer{one, two} {
		for _, once := range []string{"my first [[pass]]", "your second [[redirect]]", "(1 of 3)", "another window"} {
			assert.Equal(t, strings.Count(at.screen.String(), once), 1, "%q stands there %s", once, at.screen)
		}
	}
	one.types("my fourth [[pass]]\r", "You made it")
	two.types("still there?\r", "The stairs has ended in another window: your words are kept", "You made it", "my fourth [[pass]]", "saved for your next message: still there?")
	stage.keeps(one.user(stage), "my first [[pass]]", "your second [[redirect]]", "my third [[pass]]", "my fourth [[pass]]")
	two.types("\x04")
	two.leaves(0)
	cmdtest.WaitForTexts(t, two.screen, "Your unfinished message is kept for the next chat.", "To go on: parley chat "+stage.persona+" --server "+stage.Address)
}

func rooms() string {
	var b strings.Builder
	b.WriteString("name: Rooms\ndescription: One room behind another.\npersona_identity_prompt: You are a house.\nmachines:\n")
	for i := range 4 {
		fmt.Fprintf(&b, "  - {machine_key: room%d, name: Room %d, is_entry_machine: %v, scoring_mode: pass_fail, player_goal: Leave room %d., states: [{state_key: in, label: Inside, is_initial_state: true}, {state_key: out, label: Outside, is_terminal_state: true}], transitions: [{from_state_key: in, to_state_key: out, decision_type: pass, condition: opens the door}]}\n", i+1, i+1, i == 0, i+1)
	}
	b.WriteString("machine_links:\n")
	for i := range 3 {
		fmt.Fprintf(&b, "  - {source_machine_key: room%d, target_machine_key: room%d, condition_type: always}\n", i+1, i+2)
	}
	return b.String()
}

// TestResumeOfFourParts: a chat in the fourth part has the three before it, and search reaches them.
func TestResumeOfFourParts(t *testing.T) {
	t.Parallel()
	stage := newServerFixtureOf(t, rooms(), narrator(nil), "--llm", "offline")
	at := newTerminalPlayer(t, stage)
	cmdtest.WaitForText(t, at.screen, "Say something")
	c := cmdtest.NewClient(t, stage.Address, "")
	user := at.user(stage)
	for i := range 4 {
		room := fmt.Sprint("room", i+1)
		if i > 0 {
			assert.Value(c.InitSession(t.Context(), stage.persona, room, wire.InitSession{UserSessionID: user, PlayerName: "Mara", PlayerGender: "female"}))(t)
		}
		text := fmt.Sprintf("key of room %d [[pass]]", i+1)
		if i == 3 {
			text = "hm [[follow_up]]"
		}
		assert.Value(c.SendMessage(t.Context(), stage.persona, room, wire.Message{Message: text, UserSessionID: user}))(t)
	}
	at.types("\x04")
	at.leaves(0)

	at = newTerminalPlayerIn(t, stage, at.home)
	at.resize(90, 110)
	cmdtest.WaitForTexts(t, at.screen, "── Room 4 ──", "── Room 1 ──", "What now?") // The part that this machine remembers stands last.
	at.types("/parts room4\r", "Continuing where you left off.")
	cmdtest.WaitForTexts(t, at.screen, "── Room 1 ──", "key of room 1", "You made it", "── Room 2 ──", "key of room 2", "You made it", "── Room 3 ──", "key of room 3", "You made it", "── Room 4 ──", "hm [[follow_up]]", "Continuing where you left off.")
	assert.Equal(t, strings.Count(at.screen.String(), "── Room 1 ──"), 1, "the first room stands there %s", at.screen)
	at.types("\x12key of room 2", "/ key of room 2") // The words themselves are on the screen before.
	at.types("\x1b", "/ search")                     // What follows an Esc at once is one key with it.
	at.closes("Enter goes there")
	at.types("\x04")
	at.leaves(0)
	assert.EqualSlices(t, stage.saidIn(user, "room2"), []string{"key of room 2 [[pass]]"}, "the server has kept")
}
