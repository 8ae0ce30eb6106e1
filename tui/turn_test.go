package tui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
)

// chat is the open conversation.
func (d *driver) chat() *chat { return d.root.child.(*chat) }

// hear lets words of the present reply come, and a frame pass.
func (d *driver) hear(words string) *driver {
	_ = d.chat().request.stream.AddWords(words)
	d.send(wordsCameMsg{d.chat().currentTicket()})
	return d
}

// later lets time pass and the countdown notice it.
func (d *driver) runAsync(by time.Duration) *driver {
	d.now = d.now.Add(by)
	if d.chat().state == stateCountdown {
		d.send(retryTickMsg{d.chat().currentTicket()})
	}
	return d
}

// troubled returns a chat with these failures for its next turns.
func troubled(t testing.TB, troubles ...error) *driver {
	d, made := playing(t), 0
	d.root.env.requester.NewID = func() string { made++; return fmt.Sprint("key-", made) }
	d.service.TurnErrors = troubles
	return d
}

// said returns the player's messages that the service has stored.
func (d *driver) said() []string {
	var said []string
	for _, m := range d.service.Messages["m-gate"] {
		if m.Role == wire.RoleUser {
			said = append(said, m.Content)
		}
	}
	return said
}

func TestTurnScreens(t *testing.T) {
	moments := map[string]*driver{
		"streaming":  playing(t).press("pass, I am a friend", "enter").hear("Well, **friends** say their\n\n- name\n- and").press("Alex of cou"),
		"queued":     playing(t).press("pass, I am a friend", "enter").hear("Well,").press("and I bring bread", "enter"),
		"broken-off": playing(t).press("break it off", "enter").settle(),
		"limited":    troubled(t, tuitest.LimitedFor(42*time.Second)).say("pass, please"),
		"stopped":    playing(t).press("wait for me", "enter").hear("Well, I think").press("esc"),
	}
	for name, d := range moments {
		goldenSizes(t, name, d)
	}
}

func TestWordsAppearAsTheyCome(t *testing.T) {
	d := playing(t).press("pass", "enter").showing("Mira is thinking")
	d.hear("Well").showing("▎ Well", "Mira is speaking").hear(", *you").hear("* say \x1b[2J").showing("▎ Well, you say ␛[2J")
	d.settle().shows("▎ You said: pass. Here is what I think about it.", "(1 of 2)")
	d.hides("Well, you", "is speaking")
}

// TestWordsCutAnywhere: half a character or half a line end at the end of a piece is completed by the next piece.
func TestWordsCutAnywhere(t *testing.T) {
	d := playing(t).press("pass", "enter")
	for _, b := range []byte("grün\r\n日本語 \u202eevil") {
		d.hear(string([]byte{b}))
	}
	d.shows("▎ grün\n", "▎ 日本語 \\u202eevil")
}

// A command that waits for words ends with the reply, and never before them.
func TestStreamWaits(t *testing.T) {
	s := conversation.NewReplyStream()
	_ = s.AddWords("a")
	_ = s.AddWords("b")
	assert.True(t, s.WaitForWords(), "words are lost")
	assert.Equal(t, s.TakeWords(), "ab")
	assert.Equal(t, s.TakeWords(), "")
	waited := make(chan bool)
	go func() { waited <- s.WaitForWords() }()
	s.EndWords()
	assert.True(t, !<-waited, "the end is taken for words")
}

func TestCancelledReplyIsNotKept(t *testing.T) {
	d := playing(t).press("redi", "enter").hear("Well, you ")
	d.due = nil // The call ends with its context.
	d.press("esc").shows("Mira, broken off and not saved", "┆ Well, you", "› redi")
	d.settle().shows("the turn did not count", "┆ Well, you")
	d.press("enter").settle().shows("▎ You said: redi.")
	d.hides("broken off", "Well, you")
	assert.EqualSlices(t, d.said(), []string{"redi"}, "the service has kept")
}

// A reply that was whole when Esc was pressed is shown, not said twice.
func TestCancelThatComesTooLate(t *testing.T) {
	d := playing(t).press("redi", "enter").hear("You said")
	late := d.due
	d.due = nil
	d.press("esc")
	look := d.due
	d.due = late
	d.settle().hides("Here is what I think")
	d.due = look
	d.settle().shows("your previous message did arrive", "▎ You said: redi.", "Say something")
	d.hides("broken off")
}

// What was written while the character spoke is sent when it has spoken.
func TestQueuedMessage(t *testing.T) {
	d := playing(t).press("redi", "enter", "pass now", "enter").showing("then: pass now (Esc takes it back)", "Say something")
	d.press("third", "enter").showing("one message is already waiting", "› third")
	d.settle().shows("You said: redi.", "You said: pass now.", "› third")
	d.hides("then: ")
	assert.EqualSlices(t, d.said(), []string{"redi", "pass now"}, "the service has heard")
}

func TestQueuedMessageComesBack(t *testing.T) {
	d := playing(t).press("redi", "enter", "next", "enter", "esc").showing("› next", "Mira is thinking")
	d.settle().shows("You said: redi.", "› next")
	// A machine that ends does not hear it.
	d = playing(t).press("reject", "enter", "one more", "enter").settle()
	d.shows("You did not make it", "› one more")
	d.press("1").settle().shows("Halt, Alex!", "› one more")
	// A turn that fails for good gives both back.
	d = troubled(t, tuitest.RefusedWith(403, "")).press("first", "enter", "second", "enter").settle()
	d.shows("not sent: refused with", "› first\n", "   second\n")
	// Nor does the next machine, when the player is moved straight on.
	d = playing(t).say("pass", "pass").press("enter").settle().press("pass", "enter", "hello?", "enter").settle()
	d.shows("This opens The tower.", "› hello?")
	d.press("enter").settle().shows("── The tower ──", "› hello?")
}

func TestRateLimitCountsDownAndSends(t *testing.T) {
	d := troubled(t, tuitest.LimitedFor(90*time.Second)).say("pass, please")
	d.shows("not sent yet, again in 1 min 30 s (Esc stops): the rate limit is reached", "waits: pass, please (Esc takes it back)")
	d.runAsync(80 * time.Second).shows("again in 10 s")
	d.press("left").shows("again in 10 s")
	d.runAsync(9500 * time.Millisecond).shows("again in 1 s")
	d.runAsync(499 * time.Millisecond).settle().shows("again in 1 s")
	d.runAsync(time.Millisecond).showing("Mira is thinking").settle().shows("(1 of 2)", "Say something")
	keys := d.service.Keys
	assert.Must(t, len(keys) == 2, "the turn was sent under %q", keys)
	assert.Equal(t, keys[0], keys[1], "Idempotency-Key")
}

func TestRateLimitCancelledOrEdited(t *testing.T) {
	d := troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass").press("esc").showing("not sent: Enter tries again", "› pass")
	d.runAsync(time.Minute).settle().shows("› pass")
	d = troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass").press("esc", "!", "enter").showing("again in 9 s", "waits: pass!")
	// Enter before the time waits for the rest of it, with the new words.
	d.runAsync(4 * time.Second).press("enter").shows("again in 5 s")
	d.press("enter").shows("again in 5 s")
	d.runAsync(5 * time.Second).settle().shows("You said: pass!.")
	assert.EqualSlices(t, d.said(), []string{"pass!"}, "the service has heard")
}

// TestWhatIsWrittenInACountdownIsItsOwn: it stays in the input, and Enter queues it for the reply.
func TestWhatIsWrittenInACountdownIsItsOwn(t *testing.T) {
	d := troubled(t, tuitest.LimitedFor(9*time.Second)).press("pass", "enter", "half a tho").settle()
	d.shows("again in 9 s", "waits: pass (Esc takes it back)", "› half a tho\n")
	d.runAsync(time.Minute).settle().shows("You said: pass.", "› half a tho\n")
	d = troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass").press("and then", "enter", "a third", "enter")
	d.shows("waits: pass\n", "then: and then (Esc takes it back)", "one message is already waiting", "› a third")
	d.press("ctrl+u").shows("again in 9 s")
	d.runAsync(9*time.Second).settle().shows("You said: pass.", "You said: and then.", "Say something")
	assert.EqualSlices(t, d.said(), []string{"pass", "and then"}, "the service has heard")
	// Esc takes back one after the other, the last first.
	d = troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass").press("and then", "enter", "esc")
	d.showing("waits: pass (Esc takes it back)", "› and then\n", "again in 9 s")
	d.press("esc").shows("not sent: Enter tries again", "› pass\n", "   and then\n")
	// Any other question does the same; and a look at another persona loses nothing.
	troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass", "/reset", "/reset").shows("› pass")
	troubled(t, tuitest.LimitedFor(9*time.Second)).say("pass").press("f3").settle().press("enter").settle().shows("› pass")
}

func TestLostConnectionIsTriedAgain(t *testing.T) {
	d := troubled(t, tuitest.ErrLost, tuitest.ErrLost, tuitest.ErrLost, nil).say("pass")
	for _, wait := range []time.Duration{1, 2, 4} {
		d.shows(fmt.Sprintf("again in %d s (Esc stops): the connection was lost", wait), "waits: pass")
		d.runAsync(wait * time.Second).settle()
	}
	d.shows("(1 of 2)")
	assert.EqualSlices(t, d.said(), []string{"pass"}, "the service has heard")
}

// Words that may have counted are the same turn when they are sent by hand, and another one when they differ.
func TestSameWordsAreTheSameTurn(t *testing.T) {
	for typed, same := range map[string]bool{"": true, "!": false} {
		d := troubled(t, tuitest.ErrLost).say("pass").press("esc", typed, "enter").settle().showing("(1 of 2)")
		keys := d.service.Keys
		assert.Must(t, len(keys) == 2, "with %q more the keys are %q", typed, keys)
		assert.Equal(t, keys[0] == keys[1], same, "with %q more the keys are %q", typed, keys)
	}
}

// A reply that breaks off in the middle is seen, marked, and the turn made again.
func TestStreamThatBreaks(t *testing.T) {
	d := playing(t).press("break me", "enter").settle()
	d.shows("Mira, broken off and not saved", "┆ Well, I", "again in 1 s", "waits: break me")
	// If the model failed in the middle of a reply, only the player can ask for it again.
	d = troubled(t, tuitest.RefusedWith(502, wire.CodeModelFailed)).press("pass", "enter").hear("Well, ").settle()
	d.shows("not sent: refused with model-failed", "› pass", "┆ Well,")
	d.press("enter").settle().shows("(1 of 2)")
}

// An answer that was lost but had counted is found by the try that follows.
func TestLostAnswerIsFoundByItself(t *testing.T) {
	d := playing(t).say("pass cut").showing("again in 1 s", "waits: pass cut")
	d.runAsync(time.Second).settle().shows("your previous message did arrive", "(1 of 2)", "Say something")
	assert.EqualSlices(t, d.said(), []string{"pass cut"}, "the service has heard")
}

// TestLostAnswerBesideADraft: a turn that counted after all leaves the input, but the text written meanwhile stays.
func TestLostAnswerBesideADraft(t *testing.T) {
	d := playing(t).say("pass cut").runAsync(time.Second).press("draft").settle()
	d.shows("your previous message did arrive", "› draft\n")
	got := d.said()
	assert.Equal(t, len(got), 1, "the service has heard %q", got)
}

func TestForgottenSession(t *testing.T) {
	d := troubled(t, tuitest.RefusedWith(http.StatusNotFound, wire.CodeNotFound)).say("pass")
	d.shows("no longer has this session: /reset starts it again", "› pass")
}

func TestInputHistory(t *testing.T) {
	d := playing(t).say("more one", "//slash", "more one", "more two\x00")
	d.press("draft").press("up").shows("› more two")
	d.press("up", "up", "up").shows("› more one")
	d.press("up").shows("› more one") // The oldest one.
	d.press("down").shows("› //slash")
	d.press("down", "down", "down").shows("› draft")
	d.press("down").shows("› draft")
	// A text of several rows keeps its arrows.
	d.press("ctrl+j", "b", "up", "X").shows("› dXraft\n")
	d.press("ctrl+u", "down", "ctrl+u")
}

// A message of several rows that is called up is walked through before the next.
func TestInputHistoryOfSeveralRows(t *testing.T) {
	d := playing(t).say("redi old").press("redi a", "ctrl+j", "b", "enter").settle()
	d.press("up").shows("› redi a\n", "   b\n")
	d.press("up").shows("› redi a\n")
	d.press("up").shows("› redi old")
	d.press("down").shows("› redi a\n")
	d.press("down").shows("Say something")
}

// TestDraftOutlivesTheChat: the input and the sent messages are kept during a look at other personas.
func TestDraftOutlivesTheChat(t *testing.T) {
	d := playing(t).say("redi").press("half a thought", "f3").settle().showing("goes on")
	d.press("enter").settle().shows("Continuing where you left off", "› half a thought")
	d.press("ctrl+u", "up").shows("› redi")
	// A turn that was under way comes back too, unless it has counted.
	for _, counted := range []bool{false, true} {
		d := playing(t).press("redi x", "enter", "more", "enter", "draft")
		if d.due = nil; counted {
			_, _ = d.service.SendMessage(t.Context(), "mira", "m-gate", wire.Message{Message: "redi x"})
		}
		d.press("f3").settle().press("enter").settle()
		lines := []string{"› redi x\n", "   more\n", "   draft\n"}
		if counted {
			lines = []string{"› more\n", "   draft\n"}
		}
		d.shows(lines...)
	}
}

// Words go on growing while the window is somewhere else, and at any size.
func TestResizeInMidStream(t *testing.T) {
	d := playing(t)
	fillLog(d.chat().log, 24)
	d.press("more", "enter").hear("It is ")
	for _, size := range [][2]int{{40, 12}, {300, 100}, {30, 5}, {80, 24}} {
		d.Resize(size[0], size[1])
		d.hear("long ")
	}
	d.shows("▎ It is long long long long")
	d.press("pgup", "pgup").shows("below")
	before := strings.Split(d.screen(), "\n")[:10]
	d.hear(strings.Repeat("and on ", 60))
	assert.EqualSlices(t, before, strings.Split(d.screen(), "\n")[:10], "the view moved")
	d.settle().press("ctrl+end").shows("You said: more.")
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 1: "1 s", time.Second: "1 s",
		59*time.Second + 1: "1 min 0 s", 200 * time.Second: "3 min 20 s",
	} {
		assert.Equal(t, secondWords(d), want, d)
	}
}

func TestThinkingIsCounted(t *testing.T) {
	d := playing(t).press("wait for me", "enter").showing("Mira is thinking")
	d.hides("(Esc)")
	d.runAsync(4 * time.Second)
	d.hides("(Esc)")
	d.runAsync(3*time.Second).shows("Mira is thinking", "7 s (Esc)")
	d.runAsync(114 * time.Second).shows("121 s (Esc)")
	d.press("esc").shows("› wait for me")
	d.hides("(Esc)", "is thinking")
}

// TestLostEndingIsCaughtUp: an ending with a lost answer works like any ending.
func TestLostEndingIsCaughtUp(t *testing.T) {
	d := playing(t)
	d.Resize(90, 28)
	d.say("pass", "pass cut").runAsync(time.Second).settle()
	assert.InOrder(t, d.screen(), "You said: pass cut.", "→ Through the gate  +1  (2 of 2)", "You made it",
		"Your score of 2 is enough: it takes", "This opens The cellar.",
		"your previous message did arrive", "› 1 Go on to The cellar")
	d.press("enter").settle().showing("── The cellar ──").say("pass cut").runAsync(time.Second).settle()
	assert.InOrder(t, d.screen(), "You made it", "This opens The tower.", "your previous message did arrive", "› 1 Go on to The tower")
	d.press("enter").settle().say("pass").shows("You made it", "The tower")
	for _, machine := range []string{"m-gate", "m-cellar", "m-tower"} {
		n := len(slices.DeleteFunc(slices.Clone(d.service.Messages[machine]), func(m wire.HistoryMessage) bool { return m.Role != wire.RoleUser }))
		assert.True(t, n <= 2, "%s was told %d messages", machine, n)
	}
}

// TestStoppedEndingIsCaughtUp: a turn that was cancelled with Esc but ended the machine also opens the next one.
func TestStoppedEndingIsCaughtUp(t *testing.T) {
	d := playing(t).say("pass").press("pass again", "enter")
	late := d.due
	d.due = nil
	d.press("esc")
	look := d.due
	d.due = late
	d.settle()
	d.due = look
	d.settle()
	assert.InOrder(t, d.screen(), "You made it", "This opens The cellar.", "› 1 Go on to The cellar")
}

// A turn that never left cannot have counted: it is sent again without asking, and why stays in sight while it is.
func TestUnsentIsNotAskedAfter(t *testing.T) {
	d := troubled(t, tuitest.ErrNobody, tuitest.ErrNobody)
	d.root.env.requester.Unsent = func(err error) bool { return errors.Is(err, tuitest.ErrNobody) }
	d.say("pass").showing("again in 1 s (Esc stops): nothing answers at").runAsync(time.Second)
	d.shows("trying again now (Esc stops): nothing answers at", "Mira is thinking")
	d.hides("asking whether")
	d.settle().showing("again in 2 s").runAsync(2 * time.Second).settle().shows("(1 of 2)")
	d.hides("trying again", "nothing answers")
}

func TestTroubleEndsInAnEllipsis(t *testing.T) {
	d := troubled(t, fmt.Errorf("%s: %w", strings.Repeat("very far away ", 30), tuitest.ErrLost))
	d.Resize(40, 12)
	d.say("pass").shows("not sent yet, again in 1 s (Esc", "far …\n")
}
