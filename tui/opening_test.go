package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

// slowOpener is a service with a model that speaks openings word by word, each on request.
type slowOpener struct {
	*tuitest.Service
	words  chan string // closed after the last word
	ends   error       // the error at the end, or nil
	ended  chan error  // the result of the call
	asked  int
	streak string
}

func (s *slowOpener) StreamInitSession(ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(string) error) (wire.Opening, error) {
	s.asked++
	for {
		select {
		case word, more := <-s.words:
			switch {
			case more:
				s.streak += word
				if err := onDelta(word); err != nil {
					return wire.Opening{}, err
				}
				continue
			case s.ends != nil:
				s.ended <- s.ends
				return wire.Opening{}, s.ends
			}
			opening, err := s.InitSession(ctx, persona, machine, body)
			opening.Message = s.streak
			s.ended <- err
			return opening, err
		case <-ctx.Done():
			s.ended <- ctx.Err()
			return wire.Opening{}, ctx.Err()
		}
	}
}

// joiner is a driver on the way into a chat with a slow model.
type joiner struct {
	*driver
	slow *slowOpener
	came chan tea.Msg
}

func newJoiner(t *testing.T) *joiner {
	slow := &slowOpener{words: make(chan string), ended: make(chan error, 4)}
	j := &joiner{slow: slow, came: make(chan tea.Msg, 64)}
	j.driver = newDriver(t, func(o *Options) {
		asAlex(o)
		slow.Service = o.Service.(*tuitest.Service)
		o.Service = slow
	})
	j.runDue()
	return j
}

// runDue runs the due commands one after the other, and those that wait for the model beside the screen.
func (j *joiner) runDue() {
	for len(j.due) > 0 {
		cmd := j.due[0]
		j.due = j.due[1:]
		if cmd == nil {
			continue
		}
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		select {
		case msg := <-done:
			if batch, ok := msg.(tea.BatchMsg); ok {
				j.due = append(j.due, batch...)
			} else if msg != nil {
				j.came <- msg
			}
		case <-time.After(100 * time.Millisecond):
			go func() {
				if msg := <-done; msg != nil {
					j.came <- msg
				}
			}()
		}
	}
}

// await handles messages until one of a type arrives, and returns that message.
func await[M tea.Msg](j *joiner) (came M) {
	j.t.Helper()
	for {
		select {
		case msg := <-j.came:
			j.send(msg)
			j.runDue()
			if wanted, ok := msg.(M); ok {
				return wanted
			}
		case <-time.After(10 * time.Second):
			j.t.Fatalf("it does not come; the screen:\n%s", j.screen())
		}
	}
}

// hearWord sends a word of the opening, and lets the time of a frame pass.
func (j *joiner) hearWord(word string) {
	j.slow.words <- word
	j.slow.words <- "" // The word before it has arrived.
	join := j.root.child.(*joinScreen)
	j.send(join.wordsMsg(join.attempt, true))
}

// busyService waits for a model's provider before it opens a session.
type busyService struct{ *tuitest.Service }

func (s busyService) StreamInitSession(ctx context.Context, _, _ string, _ wire.InitSession, _ func(string) error) (wire.Opening, error) {
	wire.NotifyWait(ctx, wire.WaitNotice{Reason: wire.WaitRateLimit, Seconds: 60})
	<-ctx.Done()
	return wire.Opening{}, ctx.Err()
}

func (s busyService) Published(ctx context.Context) ([]wire.PersonaItem, error) {
	wire.NotifyWait(ctx, wire.WaitNotice{Reason: wire.WaitServiceLimit, Seconds: 30})
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestListTellsWaits(t *testing.T) {
	j := &joiner{slow: &slowOpener{}, came: make(chan tea.Msg, 64)}
	j.driver = newDriver(t, func(o *Options) { o.Service = busyService{o.Service.(*tuitest.Service)} })
	j.runDue()
	j.shows("rate limit, next attempt in 30 s")
}

// TestOpeningTellsWaits: the card says for whom an opening waits and how long still, and Esc ends it.
func TestOpeningTellsWaits(t *testing.T) {
	j := &joiner{slow: &slowOpener{}, came: make(chan tea.Msg, 64)}
	j.driver = newDriver(t, func(o *Options) {
		asAlex(o)
		o.Service = busyService{o.Service.(*tuitest.Service)}
	})
	j.runDue()
	await[screenMsg](j)
	j.shows("Guards the gate", "provider's rate limit, next attempt in 1 min 0 s (Esc gives up)")
	j.now = j.now.Add(59 * time.Second)
	j.shows("provider's rate limit, next attempt in 1 s (Esc gives up)")
	j.now = j.now.Add(time.Second)
	j.hides("provider's rate limit")
	j.press("esc")
	await[screenMsg](j)
}

// TestOpeningStreamsIntoTheCard: the card shows the words as they come, then the chat has all of them.
func TestOpeningStreamsIntoTheCard(t *testing.T) {
	j := newJoiner(t)
	j.shows("Opening the door")
	await[screenMsg](j)
	j.shows("Guards the gate", "Mira is about to speak …")
	j.hearWord("*She looks up.* Halt, \x1b[2J**stran")
	j.shows("Guards the gate", "is speaking …", "She looks up. Halt,", "▎")
	j.hides("about to speak", "\x1b[2J")
	j.hearWord("ger**! Who")
	j.shows("She looks up. Halt,", "stranger! Who")
	for range 3 {
		j.root.child.(*joinScreen).tick(2)
	}
	j.shows("is speaking … 3 s")
	j.hearWord(" goes\n\nthere?")
	golden(t, "opening-streams", j.screen())
	close(j.slow.words)
	await[sessionReadyMsg](j)
	j.shows("stranger! Who goes", "there?", "The gate")
	j.hides("is speaking")
	_, talking := j.root.child.(*chat)
	assert.Must(t, talking, "%T", j.root.child)
	assert.NoError(t, <-j.slow.ended)
	assert.Equal(t, j.slow.asked, 1, "requests")
}

// TestWhatIsWrittenBeforeTheOpeningEnds: early text is visible, sent or in the input, and never lost.
func TestWhatIsWrittenBeforeTheOpeningEnds(t *testing.T) {
	for _, c := range []struct {
		keys         []string
		shown        string // before the chat begins
		sent, unsent string
	}{
		{[]string{"Hello, M"}, "Hello, M", "", "Hello, M"},
		{[]string{"Hello", "enter", "and good"}, "Esc takes your message back", "Hello", "and good"},
		{[]string{"Hello", "enter", "you", "esc"}, "you", "", "Hello\nyou"},
		{[]string{"/nonsense", "enter"}, "then: /nonsense", "", "/nonsense"},
	} {
		j := newJoiner(t)
		await[screenMsg](j)
		j.hearWord("Halt")
		j.press(c.keys...).shows("Halt", c.shown)
		close(j.slow.words)
		await[sessionReadyMsg](j)
		talk := j.chat()
		assert.Equal(t, talk.input.Text(), c.unsent, "%q", c.keys)
		assert.Equal(t, talk.state == stateWaiting, c.sent != "", "%q", c.keys)
		assert.True(t, c.sent == "" || talk.turn.Text == c.sent, "%q: %+v", c.keys, talk.turn)
	}
}

// TestWhatIsWrittenEarlyComesBack: after Esc, the text is there when the persona is opened again.
func TestWhatIsWrittenEarlyComesBack(t *testing.T) {
	j := newJoiner(t)
	await[screenMsg](j)
	j.press("Hello you")
	user := j.root.child.(*joinScreen).user
	j.press("esc")
	for _, want := range []string{"Hello you", ""} { // once
		again := newJoinScreen(j.root.env)
		again.showForm(user)
		assert.Equal(t, again.early.Text(), want, "the input")
	}
}

// TestLongOpeningFollowsItsEnd: the newest words and the keys are on the screen, and each line fits.
func TestLongOpeningFollowsItsEnd(t *testing.T) {
	j := newJoiner(t)
	await[screenMsg](j)
	j.hearWord(strings.Repeat("A long way from here there was a gate. ", 60) + "The newest words.")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {200, 60}} {
		j.Resize(size[0], size[1])
		j.shows("newest words.", "Esc goes back")
	}
	close(j.slow.words)
	await[sessionReadyMsg](j)
}

// TestOpeningThatBreaksOff: the words stay, marked as broken, with the reason. Enter asks again without them.
func TestOpeningThatBreaksOff(t *testing.T) {
	j := newJoiner(t)
	await[screenMsg](j)
	j.slow.ends = tuitest.ErrLost
	j.hearWord("Halt, who")
	close(j.slow.words)
	for !strings.Contains(j.screen(), "Enter tries again") {
		await[screenMsg](j)
	}
	j.shows("Halt, who", "broken off and not saved", "the connection was lost", "Enter tries again")
	j.hides("is speaking")
	j.slow.words, j.slow.ends, j.slow.streak = make(chan string), nil, ""
	j.press("enter")
	j.runDue()
	j.hides("Halt, who", "broken off")
	j.hearWord("Good evening")
	j.shows("Good evening")
	j.hides("Halt, who")
	j.send(j.root.child.(*joinScreen).wordsMsg(1, true)) // A frame of the first one comes late.
	close(j.slow.words)
	await[sessionReadyMsg](j)
	j.shows("Good evening")
}

// TestEscEndsTheOpening: Esc goes back and ends the model's call, and a late answer is dropped.
func TestEscEndsTheOpening(t *testing.T) {
	j := newJoiner(t)
	await[screenMsg](j)
	j.hearWord("Halt, who")
	join := j.root.child.(*joinScreen)
	j.press("esc")
	j.runDue()
	err := <-j.slow.ended
	assert.Equal(t, err, context.Canceled, "the call")
	for !strings.Contains(j.screen(), "Oskar") {
		await[screenMsg](j)
	}
	j.send(join.wordsMsg(join.attempt, true))
	j.send(screenMsg{join, join.showFailure(context.Canceled)})
	j.shows("Oskar")
	j.hides("Halt, who", "canceled")
}

// TestQuickOpeningIsNotShownTwice: an opening that is complete within a frame is shown only in the chat.
func TestQuickOpeningIsNotShownTwice(t *testing.T) {
	j := newJoiner(t)
	await[screenMsg](j)
	j.slow.words <- "Halt, who"
	await[screenMsg](j)
	j.hides("Halt, who")
	close(j.slow.words)
	await[sessionReadyMsg](j)
	j.shows("Halt, who")
}

// atNextPart returns a chat at the end of the first part that asks for the next, which opens slowly.
func atNextPart(t *testing.T) *joiner {
	j := newJoiner(t)
	await[screenMsg](j)
	close(j.slow.words)
	await[sessionReadyMsg](j)
	for range 2 {
		j.press("pass", "enter")
		j.runDue()
		await[answerMsg](j)
	}
	for !strings.Contains(j.screen(), "1 Go on to The cellar") {
		await[screenMsg](j)
	}
	j.slow.words = make(chan string)
	j.shows("You made it")
	j.press("enter")
	j.runDue()
	return j
}

// hearPart sends a word of the next part's opening, and lets the time of a frame pass.
func (j *joiner) hearPart(word string) {
	j.slow.words <- word
	j.slow.words <- ""
	j.send(wordsCameMsg{j.chat().currentTicket()})
}

// TestNextPartStreams: the opening of a later part streams below its title, and is shown once when it is complete.
func TestNextPartStreams(t *testing.T) {
	j := atNextPart(t)
	j.shows("opening The cellar")
	j.hearPart("It is *dark* down")
	j.shows("── The cellar ─", "It is dark down", "Mira is speaking")
	j.hearPart(" here.")
	j.shows("It is dark down here.")
	close(j.slow.words)
	await[answerMsg](j)
	j.shows("It is dark down here.")
	j.hides("is speaking")
	for _, once := range []string{"── The cellar ─", "It is dark down here."} {
		if n := strings.Count(j.screen(), once); n != 1 {
			t.Errorf("%q is shown %d times:\n%s", once, n, j.screen())
		}
	}
}

// TestNextPartBreaksOff: the words stay as not kept, the ways on appear again, and the next attempt begins clean.
func TestNextPartBreaksOff(t *testing.T) {
	for name, end := range map[string]func(*joiner){
		"the model fails": func(j *joiner) {
			j.slow.ends = tuitest.ErrLost
			close(j.slow.words)
			await[failedMsg](j)
			j.shows("The cellar did not open: the connection was lost")
		},
		"Esc": func(j *joiner) {
			j.press("esc")
			if err := <-j.slow.ended; err != context.Canceled {
				j.t.Errorf("the call ended with %v", err)
			}
			j.shows("stopped")
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := atNextPart(t)
			for len(j.slow.ended) > 0 {
				<-j.slow.ended
			}
			j.hearPart("It is *dark* down")
			end(j)
			j.shows("It is *dark* down", "broken off and not saved", "1 Go on to The cellar")
			j.hides("── The cellar ─", "is speaking")
			j.slow.words, j.slow.ends, j.slow.streak = make(chan string), nil, ""
			j.press("enter")
			j.runDue()
			j.hides("dark", "broken off")
			j.hearPart("It is light")
			close(j.slow.words)
			await[answerMsg](j)
			j.shows("It is light", "── The cellar ─")
		})
	}
}
