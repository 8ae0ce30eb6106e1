package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
)

func (d *driver) reopen() *driver {
	d.settle().root.leaveProgram()
	e := newEnv(d.t.Context(), d.root.env.opts)
	e.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	e.requester = d.root.env.requester
	d.root = newRoot(e)
	d.due = append(d.due[:0], d.root.Init())
	d.Resize(80, 24)
	return d.settle()
}

func (d *driver) elsewhere(machine string, texts ...string) *driver {
	d.t.Helper()
	for _, text := range texts {
		if _, err := d.service.SendMessage(d.t.Context(), "mira", machine, wire.Message{Message: text}); err != nil {
			d.t.Fatal(err)
		}
	}
	return d
}

func (d *driver) wholeLog() string {
	d.Resize(80, 100)
	screen := d.screen()
	d.Resize(80, 24)
	return screen
}

// TestResumeShowsTheWholeStory: earlier parts are shown once, in order, and /history and /search reach them.
func TestResumeShowsTheWholeStory(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("enter").settle().say("pass three").press("enter").settle().say("more of it")
	d.reopen()
	log := d.wholeLog()
	assert.InOrder(t, log, "── The gate ──", "pass one", "→ In the yard  +1  (1 of 2)",
		"pass two", "→ Through the gate  +1  (2 of 2)", "You made it", "Your score of 2 is enough: it takes 2.",
		"── The cellar ──", "pass three", "→ In the light", "You made it", "── The tower ──", "more of it",
		"Continuing where you left off. Before this: 2 parts, 8 messages.")
	for _, once := range []string{"── The gate ──", "── The tower ──", "Talk the guard into it."} {
		assert.Equal(t, strings.Count(log, once), 1, "%q stands there %s", once, log)
	}
	d.say("/history").shows("── The gate ──")
	d.say("/search pass one").shows("pass one")
	d.press("enter").shows("pass one")
	// Going to a part that the transcript already contains moves that part to the end.
	d.say("/parts cellar")
	log = d.wholeLog()
	assert.Equal(t, strings.Count(log, "── The cellar ──"), 1, "chapters of the cellar")
	assert.InOrder(t, log, "── The tower ──", "── The cellar ──")
}

// TestStoryNamesThePlayerOfEachPart: a part keeps the name that the player had in it.
func TestStoryNamesThePlayerOfEachPart(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("/name Robin", "enter").settle().say("/parts cellar").settle()
	d.say("more three").reopen()
	assert.InOrder(t, d.wholeLog(), "── The gate ──", "Alex\n", "pass one", "── The cellar ──", "Robin\n", "more three")
}

func TestTriesAreThereAfterAResume(t *testing.T) {
	d := playing(t).say("redi").reopen()
	d.shows("2 tries left here")
	assert.Contains(t, d.wholeLog(), "→ that used a try, 2 left here", "the turn does not say it")
}

// TestStoryThatCannotBeRead: a failed read is reported, and repeated when the player wants to go there.
func TestStoryThatCannotBeRead(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("enter").settle()
	d.service.HistoryErrors = []error{nil, tuitest.ErrLost}
	d.reopen()
	d.Resize(80, 26)
	d.shows("Continuing where you left off. Earlier parts could not be read: /history\n   tries again.")
	d.say("/history").shows("── The gate ──", "pass one")
	d.hides("could not be read")
}

func TestResetLeavesTheOtherParts(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("enter").settle().say("more of it").reopen()
	d.say("/reset", "/reset")
	log := d.wholeLog()
	assert.InOrder(t, log, "── The gate ──", "pass one", "── The cellar ──")
	assert.NotContains(t, log, "more of it", "what was cleared stands there")
}

// TestLongStoryOpensAtOnce: a long story opens with one request, and the rest is read meanwhile.
func TestLongStoryOpensAtOnce(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("enter").settle()
	pass := "redirect"
	for i := range 5000 {
		d.service.Messages["m-gate"] = append(d.service.Messages["m-gate"],
			wire.HistoryMessage{Role: wire.RoleUser, Content: fmt.Sprint("question ", i)},
			wire.HistoryMessage{Role: wire.RoleAssistant, Content: strings.Repeat("word ", 50), StateKeyAtTime: "asked", Decision: &pass})
	}
	began := time.Now()
	d.reopen().shows("Before this: 1 part, 10,005 messages. PgUp or")
	took := time.Since(began)
	assert.True(t, took <= 3*time.Second, "it takes %v", took)
	d.say("/search question 17").shows("question 17")
}

// TestSaidElsewhereIsPutInItsPlace: messages from another window appear in their place, once.
func TestSaidElsewhereIsPutInItsPlace(t *testing.T) {
	d := playing(t).say("more first").elsewhere("m-gate", "pass there", "redi there").say("redi here")
	log := d.wholeLog()
	assert.InOrder(t, log, "more first", "Messages from another window:", "pass there", "→ In the yard  +1  (1 of 2)", "redi there", "redi here")
	for _, once := range []string{"pass there.", "redi there.", "redi here.", "(1 of 2)"} {
		assert.Equal(t, strings.Count(log, once), 1, "%q stands there %s", once, log)
	}
	d.say("more last")
	log = d.wholeLog()
	assert.Equal(t, strings.Count(log, "another window"), 1, log)
	assert.Equal(t, strings.Count(log, "pass there."), 1, log)
}

// TestSaidElsewhereIsNotTakenForTheLostTurn: a turn with a lost answer is told apart from messages in another window.
func TestSaidElsewhereIsNotTakenForTheLostTurn(t *testing.T) {
	d := playing(t).say("lost words").elsewhere("m-gate", "more there")
	d.service.Answer = ""
	d.press("esc", "ctrl+u").say("more here")
	log := d.wholeLog()
	assert.InOrder(t, log, "Messages from another window:", "more there", "more here")
	assert.NotContains(t, log, "your previous message did arrive", "another's words are taken for the player's")
	// The player stops a turn while a turn from another window counts.
	d = playing(t).press("redi x", "enter")
	d.due = nil
	d.elsewhere("m-gate", "more there").press("esc").settle().shows("Messages from another window:", "more there", "is in the input again", "› redi x")
}

// TestEndedElsewhere: if a part was ended in another window, its ending is shown, and the words come back.
func TestEndedElsewhere(t *testing.T) {
	d := playing(t).elsewhere("m-gate", "reject")
	d.service.TurnErrors = []error{&wire.Error{Status: 409, Code: wire.CodeFinished, Message: "open it again with init-session"}}
	d.say("are you there?").shows("You did not make it", "reject", "The gate has ended in another window: your words are kept", "› are you there?")
	d.hides("init-session")
}

// TestBegunAgainElsewhere: a part that was restarted in another window is shown from its beginning.
func TestBegunAgainElsewhere(t *testing.T) {
	d := playing(t).say("pass one", "more two")
	assert.Value(d.service.ResetSession(t.Context(), "mira", "u-1", "m-gate"))(t)
	d.elsewhere("m-gate", "redi there").say("redi here")
	assert.InOrder(t, d.wholeLog(), "more two", "Messages from another window:", "Halt, Alex", "redi there", "redi here", "last try here")
}

// Two sessions with one persona are told apart by part, score and last words.
func TestSessionsAreToldApart(t *testing.T) {
	d := playing(t)
	made := 1
	d.root.env.requester.NewID = func() string { made++; return fmt.Sprint("u-", made) }
	d.say("pass one").say("/new").press("ctrl+s").settle()
	d.shows("The gate, score 1 of 2, as Alex", "You said: pass one.", "The gate, score 0 of 2, as Alex", "Halt, Alex")
}

// conversationFarewell records the farewell of a chat.
func conversationFarewell(o *Options) *conversation.Farewell {
	var bye conversation.Farewell
	o.Leave = func(f conversation.Farewell) { bye = f }
	return &bye
}

// TestDraftOutlivesTheProgram: a draft is kept after the end, also beside another persona; the farewell has it.
func TestDraftOutlivesTheProgram(t *testing.T) {
	var bye *conversation.Farewell
	d := newDriver(t, func(o *Options) { asAlex(o); bye = conversationFarewell(o) }).settle()
	d.say("redi").press("half a thought").reopen()
	assert.Equal(t, *bye, conversation.Farewell{HasDraft: true, Persona: "mira", Name: "Mira"})
	d.showing("› half a thought").press("f3").settle().reopen().showing("› half a thought")
	d.press("ctrl+u").reopen()
	assert.True(t, !bye.HasDraft, "a draft is said to be kept where none is")
	d.shows("Say something")
	// So does a turn that was under way.
	d.press("wait for me", "enter")
	d.due = nil
	d.reopen().shows("› wait for me")
}

// TestKeepingIsSaid: the chat shows where it is stored, once at the beginning and again when the player comes back.
func TestKeepingIsSaid(t *testing.T) {
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.Keeping = "Kept in ~/chats/mira; /new starts a new chat."
	}).settle()
	d.shows("Kept in ~/chats/mira; /new starts a new chat.", "Say something")
	d.press("f3").settle().press("enter").settle().hides("Kept in")
	d.say("redi", "redi"+strings.Repeat(" word", 300))
	d.reopen().settle().shows("Kept in ~/chats/mira; /new starts a new chat.", "Continuing where you left off")
}

// TestBuiltInModelIsSaid: the chat says once that the built-in model plays, and the way to another.
func TestBuiltInModelIsSaid(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Fleeting, o.Directed = true, true }).settle()
	d.shows("The built-in model answers; use --llm ollama/NAME for a language model.")
	d.press("f3").settle().press("enter").settle().hides("The built-in model")
	newDriver(t, func(o *Options) { asAlex(o); o.Fleeting = true }).settle().hides("The built-in model")
}

// Ctrl+C empties the input first, and Up brings it back; a second one leaves.
func TestInterruptEmptiesTheInput(t *testing.T) {
	d := playing(t).press("half a thought", "ctrl+c").showing("Say something", "Ctrl+C once more leaves.")
	d.send(interruptLapsedMsg{d.root.interrupts})
	d.press("up").shows("› half a thought")
}

func TestWholeDraftIsTakenAway(t *testing.T) {
	playing(t).press("one", "ctrl+j", "two", "left", "ctrl+u").shows("Say something")
}

func TestClosedPartSaysWhatOpensIt(t *testing.T) {
	d := playing(t).press("f4").settle().press("down", "enter").settle()
	d.shows("That part is closed: it opens when you make it in The gate.")
	d.press("down").hides("That part is closed")
	d.press("enter").settle().shows("That part is closed: it opens later.")
	d.Resize(40, 12)
	d.shows("That part is closed: it opens later.")
	d.press("up", "enter").shows("That part is closed: it opens when you", "make it in The gate.")
}

func TestRecoveryTextsAreWhole(t *testing.T) {
	for _, text := range []string{
		"nothing answers at http://127.0.0.1:8787: connection refused (start a server with `parley localserver`, or name another one with --server) THE END",
		"the connection was lost: is the server running? The server may have been restarted, what was said is kept THE END",
	} {
		for _, size := range [][2]int{{80, 24}, {40, 12}, {120, 40}} {
			d := troubled(t, fmt.Errorf("%s", text))
			d.Resize(size[0], size[1])
			d.say("pass").shows("THE END", "› ", "F1")
		}
	}
	d := troubled(t, tuitest.RefusedWith(404, wire.CodeNotFound))
	d.Resize(40, 12)
	d.say("pass").shows("starts it again")
}

// TestStoryIsBounded: if a story is too long to show, the chat lists the omitted parts.
func TestStoryIsBounded(t *testing.T) {
	d := playing(t).say("pass one", "pass two").press("enter").settle().say("pass three").press("enter").settle()
	for range 20_000 {
		d.service.Messages["m-cellar"] = append(d.service.Messages["m-cellar"], wire.HistoryMessage{Role: wire.RoleUser, Content: "again"})
	}
	d.reopen().say("/history").shows("Left out because it is too long: The gate. /export writes everything.", "── The cellar ──")
}

// TestWhereTheAuthorLeadsStandsFirst: the next part according to the author is listed before other opened parts.
func TestWhereTheAuthorLeadsStandsFirst(t *testing.T) {
	d := newDriver(t, asAlex)
	attic := d.service.Persona.Machines[2]
	attic.ID, attic.Key, attic.Name = "m-attic", "attic", "The attic"
	d.service.Persona.Machines = append(d.service.Persona.Machines, attic)
	d.service.Persona.Links = slices.Insert(d.service.Persona.Links, 0,
		personas.Link{Source: "cellar", Target: "attic", Condition: personas.IfOutcome, Outcome: personas.Accept})
	d.settle().say("pass", "pass").press("enter").settle().say("pass").shows("› 1 Go on to The tower", "2 Go on to The attic")
}

func TestTheListSaysHowAStoryEnded(t *testing.T) {
	d := playing(t).say("reject").press("3").settle()
	d.shows("ended: You did not make it · 1 of 7 endings")
	d.hides("goes on")
	d.press("enter").settle().press("1").settle().press("f3").settle() // It is played again.
	d.shows("goes on · 1 of 7 endings")
	// A part has ended and another one is open: the story goes on.
	d = playing(t).say("pass", "pass").press("4").settle()
	d.shows("goes on · 1 of 7 endings")
	d = wonStory(t).press("4").settle()
	d.shows("ended: You made it")
	saved, _ := d.notes.Recall("mira")
	assert.Equal(t, saved.Outcome, "ACCEPT", "kept %+v", saved)
	d.press("enter").settle().shows("That was the last part. What now?")
}

func wonStory(t *testing.T) *driver {
	return playing(t).say("pass", "pass").press("enter").settle().say("pass").press("enter").settle().say("pass")
}

// At the last ending the chat shows once that the story is over, and offers to begin it again.
func TestAnEndingSaysThatTheStoryIsOver(t *testing.T) {
	d := wonStory(t)
	d.shows("That was the last part. What now?", "A new ending: 3 of 7 found.", "Begin the whole story again")
	if n := strings.Count(d.screen(), "last part"); n != 1 {
		t.Errorf("said %d times:\n%s", n, d.screen())
	}
	d.press("3").showing("› 3 Begin the whole story again").settle().shows("Halt, Alex!")
	// Parts that stay closed do not count.
	playing(t).say("reject").shows("The story ends here this time. What now?")
	d = playing(t).say("pass", "pass")
	d.shows(" What now? ")
	d.hides("last part", "story ends")
	// One part is all there is.
	d = newDriver(t, asAlex)
	d.service.Persona.Machines, d.service.Persona.Links = d.service.Persona.Machines[:1], nil
	d.settle().say("pass", "pass").shows("That was the whole story. What now?")
	d.hides("Begin the whole story")
}

// Without data about the other parts, the chat does not mention them.
func TestAnUnknownStoryIsNotOver(t *testing.T) {
	d := playing(t)
	d.chat().current.Machines = nil
	d.press("reject", "enter")
	d.stepUntil("You did not make it")
	d.hides("story ends", "last part")
	c := d.chat()
	assert.True(t, !c.current.IsStoryOver(), "nobody has said how the parts stand")
	assert.Equal(t, c.current.EndWords(), "")
	assert.Equal(t, (&conversation.SavedSession{}).TagWords(), "goes on")
}

// TestDirectorNeedsAuthorView: only the author's view has the director.
func TestDirectorNeedsAuthorView(t *testing.T) {
	directed := func(own bool) *driver {
		return newDriver(t, func(o *Options) { asAlex(o); o.Directed, o.Author = true, own }).settle()
	}
	d := directed(false).press("f5").settle()
	d.hides("Director:", "[[1]]", "pass to In the yard")
	d.shows("directions reveal the persona's secrets: open")
	d.press("/direct 1 open", "enter").settle().shows("directions reveal the persona")
	d.press("ctrl+u", "/direct ").hides("pass to In the yard")
	assert.Equal(t, len(d.service.Messages["m-gate"]), 1, "messages a move was forced")
	d.press("ctrl+u", "f2").settle().press("esc", "f5").settle().shows("Director: what your words do", "[[1]]")
	directed(true).press("f5").settle().shows("Director: what your words do")
}

func TestListsSelectCurrentItem(t *testing.T) {
	d := newDriver(t, asAlex)
	slices.Reverse(d.service.Items)
	d.settle().press("f3").settle().shows("› Mira", "  Oskar")
	d = playing(t).say("pass", "pass").press("enter").settle()
	d.press("f4").settle().shows("› The cellar")
}
