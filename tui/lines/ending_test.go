package lines

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

// If two parts are open, the player chooses one by number in line mode too.
func TestPlainChoiceOfTwo(t *testing.T) {
	p := newLinePlay()
	full := &p.service.Persona
	attic := full.Machines[2]
	attic.ID, attic.Key, attic.Name = "m-attic", "attic", "The attic"
	full.Machines = append(full.Machines, attic)
	full.Links = append(full.Links, personas.Link{Source: "cellar", Target: "attic", Condition: personas.IfOutcome, Outcome: personas.Accept})
	got := p.person(t, "pass|pass|1|pass|words|2|/quit", never, nil)
	assert.InOrder(t, got, "1. Go on to The cellar.", "in The cellar?", "This opens The tower and The attic.", "1. Go on to The tower.", "2. Go on to The attic.", "3. Play The cellar again.",
		"The cellar is over. What now?", "in The attic?")
	assert.NotContains(t, got, "Going on to")
	assert.NotContains(t, got, "You said: words")
}

// TestPlainWayBack: line mode offers the way back, and prints the replayed messages.
func TestPlainWayBack(t *testing.T) {
	p := newLinePlay()
	got := p.person(t, "redi|pass|reject|2|pass|/quit", never, nil)
	assert.InOrder(t, got, "You did not make it.", "“reject” missed: your score of 1 is too low, it takes 2.", "A new ending: 1 of 7 found.", "2. Back to where it turned (replays 2 messages): In the yard.",
		"Alex: redi", "Mira: You said: redi.", "Alex: pass", "Now: In the yard.", "This is where it turned: In the yard. Go on from here.", "You made it.", "A new ending: 2 of 7 found.")
	var said []string
	for _, m := range p.service.Messages["m-gate"] {
		if m.Role == wire.RoleUser {
			said = append(said, m.Content)
		}
	}
	assert.EqualSlices(t, said, []string{"redi", "pass", "pass"}, "the service has heard")
}

// TestPlainLinesBreakBetweenWords: lines break at a terminal's width, and are whole without one.
func TestPlainLinesBreakBetweenWords(t *testing.T) {
	for _, width := range []int{40, 79, 80, 132} {
		got := newLinePlay().person(t, "/help|/quit", never, func(o *Options) { o.Columns = func() int { return width } })
		for line := range strings.Lines(got) {
			n := len([]rune(strings.TrimRight(line, "\n")))
			assert.True(t, n <= width, "%d cells at %d: %q", n, width, line)
		}
		words, whole := strings.Fields(got), strings.Fields(newLinePlay().person(t, "/help|/quit", never, nil))
		assert.EqualSlices(t, words, whole, "at %d words are broken or lost", width)
	}
}

// TestPlainHelpIsForPlayers: help shows what a player needs; the authors' part is shown on request.
func TestPlainHelpIsForPlayers(t *testing.T) {
	got := newLinePlay().person(t, "/help|/quit", never, nil)
	assert.InOrder(t, got, "/help: ", "/quit: Leave.", conversation.MoreForAuthors+".\n")
	assert.NotContains(t, got, "/direct")
	assert.NotContains(t, got, conversation.AuthorHeading)
	assert.InOrder(t, newLinePlay().person(t, "/help author|/quit", never, nil), "/help: ", "/quit: Leave.", conversation.AuthorHeading+":\n", "/save-play: ", "/why: ", "/direct: ")
}

// The entered name is kept, /name changes it, and Enter skips the gender.
func TestPlainNameIsKept(t *testing.T) {
	p := newLinePlay()
	p.after = func(time.Duration) <-chan time.Time { return nil }
	p.service.Persona.Machines[0].ChatPrompt = "{{player_gender}}"
	var kept []string
	err := p.play(t.Context(), strings.NewReader("\n\n/name Robin\n/name\n"), func(o *Options) {
		interactive(o)
		o.Persona, o.SuggestedName = "mira", "Sam"
		o.KeepPlayer = func(name, gender string) error { kept = append(kept, name+"/"+gender); return nil }
	})
	assert.NoError(t, err)
	assert.EqualSlices(t, kept, []string{"Sam/non-binary", "Robin/"})
	for _, want := range []string{"How shall Mira call you? Enter for Sam: ", conversation.KeptName, "You are Robin from the next conversation on.", "You are Robin. To change your name"} {
		assert.Contains(t, p.err.String(), want, "the talk lacks")
	}
}

// TestSomebodyElseIsAskedFor: another persona is chosen by number or words; an empty line stays.
func TestSomebodyElseIsAskedFor(t *testing.T) {
	p := newLinePlay()
	p.service.Unlocked = []string{"m-cellar"}
	got := p.person(t, "pass|pass|4|zebra||4|/score|4|1|/quit", never, nil)
	_, got, _ = strings.Cut(got, "4. Talk to somebody else.\n")
	for _, want := range []string{
		"1. Mira", "Whom do you want to talk to? Number, or words to search for; an empty line stays here: ",
		"No persona matches these words.", "Whom do you want", "The gate is over. What now?",
		"Whom do you want", "/score", "Whom do you want", "Talking to Mira in The",
	} {
		_, rest, found := strings.Cut(got, want)
		assert.Must(t, found, "%q does not come in its place:\n%s", want, got)
		got = rest
	}
}
