package lines

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
)

func (p *linePlay) goOn(t *testing.T, in string) string {
	t.Helper()
	return p.person(t, in, never, nil)
}

// TestPlainStoryOfAllParts: a resumed play, /history and /search cover the parts that were played before.
func TestPlainStoryOfAllParts(t *testing.T) {
	p := newLinePlay()
	p.goOn(t, "pass one|pass two|/parts cellar|more three|/quit")
	got := p.goOn(t, "/history|/search one|/search nothing of it|/quit")
	assert.InOrder(t, got, "Talking to Mira in The cellar", "Earlier part: The gate, made it, score 2.", "In The gate:", "Alex: pass one", "Alex: pass two",
		"The gate: You made it.", "In The cellar:", "Alex: more three", "In The gate:\nAlex: pass one\n", "No message contains these words.")
	assert.Equal(t, strings.Count(got, "Alex: more three"), 1, "it says\n%s", got)
}

// TestPlainStoryNamesThePlayerOfEachPart: a part keeps the name that the player had in it.
func TestPlainStoryNamesThePlayerOfEachPart(t *testing.T) {
	p := newLinePlay()
	got := p.goOn(t, "pass one|pass two|/name Robin|/parts cellar|more three|/history|/search one|/quit")
	assert.InOrder(t, got, "In The gate:", "Alex: pass one", "In The cellar:", "Robin: more three", "In The gate:\nAlex: pass one\n")
}

func TestPlainTriesAfterAResume(t *testing.T) {
	p := newLinePlay()
	p.goOn(t, "redi|/quit")
	assert.InOrder(t, p.goOn(t, "/quit"), "Continuing where you left off", "2 tries left here.")
}

// busyService is a service with another player who sends a message before a turn.
type busyService struct {
	*tuitest.Service
	before map[string]string // what is said elsewhere, by the message that comes then
}

func (c busyService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(string) error) (wire.Reply, error) {
	if said := c.before[body.Message]; said != "" {
		if _, err := c.SendMessage(ctx, persona, machine, wire.Message{Message: said}); err != nil {
			return wire.Reply{}, err
		}
	}
	if strings.HasPrefix(body.Message, "too late") {
		return wire.Reply{}, &wire.Error{Status: 409, Code: wire.CodeFinished, Message: "open it again with init-session"}
	}
	return c.Service.StreamMessage(ctx, persona, machine, body, onDelta)
}

// TestPlainSaidElsewhere: messages from another window are printed once, and a turn reports only its own change.
func TestPlainSaidElsewhere(t *testing.T) {
	p := newLinePlay()
	inCompany := func(o *Options) {
		o.Service = busyService{p.service, map[string]string{"more mine": "pass theirs", "too late": "reject theirs"}}
	}
	got := p.person(t, "more mine|more again|too late|/quit", never, inCompany)
	assert.InOrder(t, got, "You said: more mine.", "These messages from another window precede yours:", "Alex: pass theirs", "You said: more again.",
		"The gate has ended in another window; your message was not sent.", "Alex: reject theirs", "You did not make it.")
	for _, not := range []string{"That was", "init-session"} {
		assert.NotContains(t, got, not)
	}
	assert.Equal(t, strings.Count(got, "pass theirs."), 1, "it is told %s", got)
}

// If several lines arrive at once, as from a script, each line is a message.
func TestPlainQuickLinesAreMessages(t *testing.T) {
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader("more one\nmore two\nmore three\n"), func(o *Options) { o.Interactive = true }))
	var said []string
	for _, m := range p.service.Messages["m-gate"] {
		if m.Role == wire.RoleUser {
			said = append(said, m.Content)
		}
	}
	assert.EqualSlices(t, said, []string{"more one", "more two", "more three"}, "the service has heard")
}

// TestPlainBeginningAndEnd: if nothing is kept, that is printed at the beginning and at the end.
func TestPlainBeginningAndEnd(t *testing.T) {
	var left []conversation.Farewell
	got := newLinePlay().person(t, "/quit", never, func(o *Options) {
		o.Fleeting, o.Leave = true, func(f conversation.Farewell) { left = append(left, f) }
	})
	assert.InOrder(t, got, "Talking to Mira", conversation.NothingKept)
	assert.Must(t, len(left) == 1, "it leaves %+v", left)
	assert.Equal(t, left[0].Persona, "mira")
	assert.Equal(t, left[0].Name, "Mira")
}

// Line mode prints once that the story is over, and offers to begin it again.
func TestPlainStoryEnds(t *testing.T) {
	got := newLinePlay().person(t, "pass|pass|1|pass|1|pass|3|/quit", never, nil)
	assert.InOrder(t, got, "The gate is over. What now?", "1. Go on to The cellar.")
	assert.InOrder(t, got, "That was the last part.", "The tower is over. What now?", "1. Play The tower again.", "3. Begin the whole story again.")
	assert.Equal(t, strings.Count(got, "last part"), 1, "times %s", got)
	assert.InOrder(t, newLinePlay().person(t, "reject|/quit", never, nil), "The story ends here this time.", "The gate is over. What now?")
}

// TestPlainWrongNumberIsSaid: an invalid choice at an ending is reported, before the ways on are printed again.
func TestPlainWrongNumberIsSaid(t *testing.T) {
	for _, said := range []string{"7", "0", "2 gold coins", "hello"} {
		got := newLinePlay().person(t, "reject|"+said+"|/quit", never, nil)
		assert.InOrder(t, got, "\""+said+"\" is not one of the numbers: this part is over. Write a number from 1 to 3", "The gate is over. What now?")
	}
}

// TestUnreadLinesAreCounted: a piped play reports how many lines were not sent, without empty ones and commands.
func TestUnreadLinesAreCounted(t *testing.T) {
	for in, want := range map[string]string{
		"pass\npass\n":                                   "",
		"pass\npass\n\n  \n/progress\n":                  "",
		"pass\npass\none\n\ntwo\n/quit\nthree":           "3 lines were not sent: The gate has ended.\n",
		"kick me\n//said\n":                              "1 line was not sent: The gate has ended.\n",
		"kick me\n" + strings.Repeat("x", 1<<20) + "\n":  "1 line was not sent: The gate has ended.\n",
		"kick me\n" + strings.Repeat("x\n", 2*maxUnsent): "10000 lines or more were not sent: The gate has ended.\n",
	} {
		p := newLinePlay()
		if err := p.play(t.Context(), strings.NewReader(in), nil); err != nil || p.err.String() != want {
			t.Errorf("%.40q: %q, %v, want %q", in, p.err.String(), err, want)
		}
	}
}

// TestPlayEndsWithOpenInput: after an ending the play ends even if the input stays open.
func TestPlayEndsWithOpenInput(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	go func() { _, _ = io.WriteString(out, "kick me\n") }()
	began := time.Now()
	p := newLinePlay()
	if err := p.play(t.Context(), in, nil); err != nil || p.err.String() != "" || time.Since(began) > 20*time.Second {
		t.Errorf("%q, %v, after %s", p.err.String(), err, time.Since(began))
	}
}

// If two parts are open, the player chooses one by number in line mode too.
func TestPlainChoiceOfTwo(t *testing.T) {
	p := newLinePlay()
	full := &p.service.Persona
	attic := full.Machines[2]
	attic.ID, attic.Key, attic.Name = "m-attic", "attic", "The attic"
	full.Machines = append(full.Machines, attic)
	full.Links = append(full.Links, personas.Link{Source: "cellar", Target: "attic", Condition: personas.IfOutcome, Outcome: personas.Accept})
	got := p.person(t, "pass|pass|1|pass|words|2|/quit", never, nil)
	assert.InOrder(t, got, "1. Go on to The cellar.", "in The cellar?", "This opens The tower and The attic.", "1. Go on to The tower.", "2. Go on to The attic.",
		"3. Play The cellar again.", "The cellar is over. What now?", "in The attic?")
	assert.NotContains(t, got, "Going on to")
	assert.NotContains(t, got, "You said: words")
}

func TestPlainWayBack(t *testing.T) {
	got := newLinePlay().person(t, "redi|pass|more|reject|2|pass|/quit", never, nil)
	assert.InOrder(t, got, "You did not make it.", "“reject” missed: your score of 1 is too low, it takes 2.", "A new ending: 1 of 7 found.",
		"2. Back to where it turned: In the yard.", "You had said: \"more\".", "You made it.", "A new ending: 2 of 7 found.")
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
	got = newLinePlay().person(t, "/help author|/quit", never, nil)
	assert.InOrder(t, got, "/help: ", "/quit: Leave.", conversation.AuthorHeading+":\n", "/save-play: ", "/why: ", "/direct: ")
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
	for _, want := range []string{"How shall Mira call you? Enter for Sam: ", conversation.KeptName, "Characters call you Robin from the next conversation on.",
		"You are Robin. To change your name"} {
		assert.Contains(t, p.err.String(), want, "the talk lacks")
	}
}

// TestPlainChoosesAnotherPersona: another persona is chosen by number or words; an empty line stays.
func TestPlainChoosesAnotherPersona(t *testing.T) {
	p := newLinePlay()
	p.service.Unlocked = []string{"m-cellar"}
	got := p.person(t, "pass|pass|4|zebra||4|/score|4|1|/quit", never, nil)
	_, got, _ = strings.Cut(got, "4. Talk to somebody else.\n")
	for _, want := range []string{
		"1. Mira", "Whom do you want to talk to? Write a number, or words to search for; an empty line changes nothing: ",
		"No persona matches these words.", "Whom do you want", "The gate is over. What now?",
		"Whom do you want", "/score", "Whom do you want", "Talking to Mira in The",
	} {
		_, rest, found := strings.Cut(got, want)
		assert.Must(t, found, "%q does not come in its place:\n%s", want, got)
		got = rest
	}
}
