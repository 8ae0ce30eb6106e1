package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// told is what a narrator tells: a stage direction in brackets, of one level.
var told = regexp.MustCompile(`\([^()]*\)`)

// cutTold is what the character says of a line.
func cutTold(line string) string { return told.ReplaceAllString(line, "") }

// The speaker's name stands before each line: what the character says is said as it is, without
// quotation marks and without its name; what a narrator tells stands in brackets, as a whole
// sentence that names the character where it is about her, and never in quotation marks.
func TestStockLinesReadWellBehindTheName(t *testing.T) {
	for language, texts := range plainLanguages {
		for _, line := range slices.Concat(texts.listStockLines(), askedForms[language].notTold) {
			said := strings.TrimSpace(cutTold(line))
			switch {
			case strings.ContainsAny(line, "*“”„«»"):
				t.Errorf("%s has quotation marks or stars: %q", language, line)
			case strings.Contains(said, "{who}"), strings.Contains(said, "{name}"), strings.Contains(said, "{goal}"), strings.Contains(said, "{about}"):
				t.Errorf("%s says what is told: %q", language, line)
			case strings.ContainsAny(said, "()"):
				t.Errorf("%s has half a stage direction: %q", language, line)
			}
			for _, direction := range told.FindAllString(line, -1) {
				if first := []rune(strings.Trim(direction, "(¿"))[0]; first != '{' && !unicode.IsUpper(first) {
					t.Errorf("%s begins in the middle of a sentence: %q", language, line)
				}
			}
		}
	}
}

// In what the character says her name stands nowhere, and a narrator calls her as briefly as her
// author does.
func TestStockRepliesNameTheSpeakerBriefly(t *testing.T) {
	persona := &personas.Persona{Name: "Odile Marsh", IdentityPrompt: "You are Odile Marsh. Answer as Odile."}
	for language := range plainLanguages {
		persona.Offline = &personas.SharedOffline{Language: language}
		input := Input{Persona: persona, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, result := range []StepResult{{Decision: personas.DecidePass}, {Decision: personas.DecideRedirect}, {Decision: personas.DecideReject}, {FollowUp: true}} {
			for _, line := range plainReply(input, result) {
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
		{"Captain Théodore Lachambre", "Convince Captain Lachambre. The Captain listens; Captain Lachambre's hat.", "Captain Lachambre"}, {"Baba Alfa Kunta", "Get Baba Alfa to weigh it. Baba Alfa Kunta.", "Baba Alfa"},
		{"Chef Ottoline Baptiste", "Get Chef Ottoline to let go. Ask Ottoline.", "Chef Ottoline"}, {"Captain Reed", "the Captain", "Captain Reed"}, {"Anna Jones", "Anna Jones's hat", "Anna Jones"},
	} {
		if got := briefName(Input{Persona: &personas.Persona{Name: k.name, IdentityPrompt: k.text}}); got != k.want {
			t.Errorf("%q in %q is %q, want %q", k.name, k.text, got, k.want)
		}
	}
}

// Nobody is called by a name that is not known.
func TestStockLinesCallNobodyWhoIsUnknown(t *testing.T) {
	for language, texts := range plainLanguages {
		input := Input{Persona: &personas.Persona{Name: "Mira", Offline: &personas.SharedOffline{Language: language}}, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, line := range fillAll(input, input.State, texts.listStockLines(), "") {
			if strings.Contains(line, ", "+texts.listener+".") || strings.Contains(line, "{") {
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
	var recent []Message
	var said []string
	for range 9 {
		_, text, _ := findFreshLine(recent, []int{1, 0, 2}, expand)
		recent = append(recent, Message{Role: "user", Text: "hm"}, Message{Role: "assistant", Text: text})
		said = append(said, text)
	}
	for i := 3; i < len(said); i++ {
		if said[i] != said[i-3] {
			t.Fatalf("they come as %q", said)
		}
	}
}
