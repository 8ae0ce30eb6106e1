package playtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/wire"
)

func sampleTalk(t *testing.T, name string) *Talk {
	t.Helper()
	source := assert.Value(examples.Read(name))(t)
	doc, _, faults := personas.Parse(name, source)
	assert.Empty(t, faults)
	talk := assert.Value(NewTalk(&doc))(t)
	return talk
}

// TestUnforeseenIsWhatNothingFits: a message similar to an example of any state counts as foreseen.
func TestUnforeseenIsWhatNothingFits(t *testing.T) {
	k := sampleTalk(t, "starter")
	for _, said := range []string{
		"You are magnificent", "you are magnificent!", "I push you off the book", "What do you like?", "good morning", // foreseen
		"my left shoe is wet", "My left shoe is WET", "is my left shoe wet?", "the parliament has dissolved itself",
	} {
		messages := []wire.HistoryMessage{{Role: wire.RoleAssistant, StateKeyAtTime: "on-the-book"}, {Role: wire.RoleUser, Content: said}}
		assert.NoError(t, k.AddHistory("the-book", messages, "a.json"))
	}
	report := assert.Value(k.Judge(t.Context()))(t)
	var got []string
	for _, g := range report.Groups {
		got = append(got, fmt.Sprintf("%d %d %s", g.N, g.Count, g.Text))
	}
	want := "1 3 my left shoe is wet; 2 1 the parliament has dissolved itself"
	assert.Equal(t, strings.Join(got, "; "), want, got)
	assert.Equal(t, report.Unforeseen, 4, got)
	assert.Equal(t, report.Messages, 9, got)
}

// TestTalkIsBounded: too many messages, and texts that are too long to compare, are refused with a remedy.
func TestTalkIsBounded(t *testing.T) {
	k := sampleTalk(t, "starter")
	for i := range maxMessages + 1 {
		err := k.add("the-book", "on-the-book", "the same", "a.json")
		assert.Must(t, (err != nil) == (i == maxMessages), "message %d: %v", i+1, err)
	}
	k = sampleTalk(t, "gate")
	var err error
	for i := 0; i < maxMessages && err == nil; i++ {
		err = k.add("eel-gate", "bar", fmt.Sprint(i, strings.Repeat(" long words", 700)), "b.json")
	}
	assert.ErrorContains(t, err, "comparing the messages up to b.json with", "texts without a bound")
	if err := k.add("eel-gate", "bar", strings.Repeat("x", intent.MaxLineText+1), "b.json"); err != nil || k.leftOut != 1 {
		t.Errorf("a text that every service rejects: %v, %d left out", err, k.leftOut)
	}
}
