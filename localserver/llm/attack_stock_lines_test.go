package llm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// listStockLines are all that the narrator says of a language where the author gave no words.
func (t *plainTexts) listStockLines() []string {
	all := slices.Concat(t.opening, t.lines.Pass, t.lines.Redirect, t.lines.Reject, t.lines.KickOut, t.lines.FollowUp, t.lines.Unknown)
	for _, lines := range t.talk {
		all = append(all, lines...)
	}
	for _, lines := range t.intents {
		all = append(all, lines...)
	}
	return all
}

// The speaker's name stands before each line: what the narrator tells of the character is a stage
// direction without it, and what the character says is said and not reported.
func TestStockLinesReadWellBehindTheName(t *testing.T) {
	named := map[string]bool{}
	for _, texts := range plainLanguages {
		for _, intent := range []personas.Intent{personas.IntentHelp, personas.IntentWhoAreYou, personas.IntentWhere} {
			for _, line := range texts.intents[intent] { // Who that is is what was asked.
				named[line] = true
			}
		}
	}
	for language, texts := range plainLanguages {
		for _, line := range texts.listStockLines() {
			switch {
			case named[line]:
			case strings.Contains(line, "{who}"):
				t.Errorf("%s names the character again: %q", language, line)
			case strings.Count(line, "*")%2 != 0:
				t.Errorf("%s has half a stage direction: %q", language, line)
			case !strings.ContainsAny(line[:len("„")], "*“„«"):
				t.Errorf("%s is neither told nor said: %q", language, line)
			}
		}
	}
}

// In a reply the name stands nowhere, whatever was said.
func TestStockRepliesDoNotNameTheSpeaker(t *testing.T) {
	persona := &personas.Persona{Name: "Odile Marsh"}
	for language := range plainLanguages {
		persona.Offline = &personas.SharedOffline{Language: language}
		input := Input{Persona: persona, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, result := range []StepResult{{Decision: personas.DecidePass}, {Decision: personas.DecideRedirect}, {Decision: personas.DecideReject}, {FollowUp: true}} {
			for _, line := range plainReply(input, result) {
				if strings.Contains(line, "Odile") {
					t.Error(fmt.Sprint(language, ": ", line))
				}
			}
		}
	}
}
