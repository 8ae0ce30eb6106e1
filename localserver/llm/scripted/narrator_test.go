package scripted

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// In what the character says her name stands nowhere, and a narrator calls her as briefly as her
// author does.
func TestStockRepliesNameTheSpeakerBriefly(t *testing.T) {
	persona := &personas.Persona{Name: "Odile Marsh", IdentityPrompt: "You are Odile Marsh. Odile is short of time."}
	for _, language := range spokenLanguages() {
		persona.Offline = &personas.SharedOffline{Language: language}
		input := llm.Input{Persona: persona, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, result := range []llm.StepResult{{Decision: personas.DecidePass}, {Decision: personas.DecideRedirect}, {Decision: personas.DecideReject}, {FollowUp: true}} {
			for _, line := range New().sceneOf(input).plainReply(result) {
				if strings.Contains(cutTold(line), "Odile") || strings.Contains(line, "Marsh") {
					t.Error(fmt.Sprint(language, ": ", line))
				}
			}
		}
	}
}

// The first word of a name is the character's name where her author calls her so.
func TestBriefName(t *testing.T) {
	for _, k := range []struct{ name, text, want string }{
		{"Odile Marsh", "Answer as Odile.", "Odile"}, {"Odile Marsh", "You are Odile Marsh.", "Odile Marsh"}, {"Odile Marsh", "", "Odile Marsh"},
		{"The Clerk", "The hotel is old. The lift too.", "The Clerk"}, {"Iron Golem", "Irons the shirts. You are Iron Golem", "Iron Golem"},
		{"Lucien", "Lucien", "Lucien"}, {"Ana\nMaria", "Ana Maria", "Ana\nMaria"}, {"Élodie Roux", "C'est Élodie, et Élodie Roux.", "Élodie"},
		{"Wyn, the Bell-founder's Apprentice", "", "Wyn"}, {"Mrs. Halloran, Counter Three", "Get Mrs. Halloran to stamp it.", "Mrs. Halloran"},
		{"Captain Théodore Lachambre", "Convince Captain Lachambre. The Captain listens; Captain Lachambre's hat.", "Captain Théodore Lachambre"}, {"Hobb Tansy", "Hobb's gate. Hobb Tansy.", "Hobb"},
		{"Captain Reed", "the Captain", "Captain Reed"}, {"Anna Jones", "Anna Jones's hat", "Anna Jones"},
	} {
		if got := New().sceneOf(llm.Input{Persona: &personas.Persona{Name: k.name, IdentityPrompt: k.text}}).shortName(); got != k.want {
			t.Errorf("%q in %q is %q, want %q", k.name, k.text, got, k.want)
		}
	}
}

// Nobody is called by a name that is not known.
func TestStockLinesCallNobodyWhoIsUnknown(t *testing.T) {
	for _, language := range spokenLanguages() {
		texts := textsOf(language)
		input := llm.Input{Persona: &personas.Persona{Name: "Mira", Offline: &personas.SharedOffline{Language: language}}, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, line := range filled(input, slices.Concat(slices.Collect(maps.Values(texts.listSentences()))...)) {
			if strings.Contains(line, ", "+texts.Listener+".") || strings.Contains(line, "{") {
				t.Errorf("%s: %q", language, line)
			}
		}
	}
}

// No stock line comes twice in a row, and of all that were said the one said longest ago comes
// first.
func TestStockLinesTakeTurns(t *testing.T) {
	lines := []string{"One.", "Two.", "Three."}
	expand := func(i int) (string, error) { return lines[i], nil }
	var recent []llm.Message
	var said []string
	for range 9 {
		_, text, _ := findFreshLine(recent, []int{1, 0, 2}, expand)
		recent = append(recent, llm.Message{Role: "user", Text: "hm"}, llm.Message{Role: "assistant", Text: text})
		said = append(said, text)
	}
	for i := 3; i < len(said); i++ {
		if said[i] != said[i-3] {
			t.Fatalf("they come as %q", said)
		}
	}
}
