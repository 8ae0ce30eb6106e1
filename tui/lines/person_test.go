package lines

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// person types the lines of in, separated by "|", each at a prompt, and returns both outputs in order.
func (p *linePlay) person(t *testing.T, in string, after func(time.Duration) <-chan time.Time, change func(*Options)) string {
	t.Helper()
	p.terminalPlayer = newTerminalPlayer(strings.Split(in, "|"))
	opts := Options{
		Options: conversation.Options{Service: p.service, Memory: p.notes, NewID: nextID()},
		In:      p.terminalPlayer, Out: p.terminalPlayer, Err: p.terminalPlayer, Interactive: true,
	}
	asLineAlex(&opts)
	if change != nil {
		change(&opts)
	}
	play := newPlayer(t.Context(), opts.withDefaults())
	play.opts.After = after
	assert.NoError(t, play.playToEnd())
	return strings.ReplaceAll(p.terminalPlayer.read(), "You: ", "")
}

func nextID() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint("u-", n) }
}

// terminalPlayer is a terminal with somebody at it: a line is typed when the prompt comes,
// or when press is called.
type terminalPlayer struct {
	mu    sync.Mutex
	said  bytes.Buffer
	lines []string
	typed chan string
	// thinks is typed when line mode prints that the character is thinking.
	thinks string
}

func newTerminalPlayer(lines []string) *terminalPlayer {
	return &terminalPlayer{lines: lines, typed: make(chan string, 8)}
}

func (s *terminalPlayer) press(line string) { s.typed <- line + "\n" }

func (s *terminalPlayer) read() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// Write receives the program's output.
func (s *terminalPlayer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if asks := string(b) == "You: " || bytes.HasPrefix(b, []byte("Whom do you want")); asks && len(s.lines) > 0 {
		s.press(s.lines[0])
		s.lines = s.lines[1:]
	}
	if s.thinks != "" && bytes.Contains(b, []byte("is thinking")) {
		s.press(s.thinks)
	}
	return s.said.Write(b)
}

// Read returns what was typed.
func (s *terminalPlayer) Read(b []byte) (int, error) { return copy(b, <-s.typed), nil }

// never is a stopped clock.
func never(time.Duration) <-chan time.Time { return nil }

// at is a clock that does not wait, and records the waits before a turn is sent again.
func at(waits *[]time.Duration) func(time.Duration) <-chan time.Time {
	return func(d time.Duration) <-chan time.Time {
		if d == firstNoticeDelay {
			return nil
		}
		*waits = append(*waits, d)
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}
}

// stopping is a stopped clock with a player who stops every wait before a retry.
func stopping(p *linePlay) func(time.Duration) <-chan time.Time {
	return func(d time.Duration) <-chan time.Time {
		if d != firstNoticeDelay {
			p.terminalPlayer.press(stopWord)
		}
		return nil
	}
}

// TestPlainAsSpoken is a whole play as a screen reader reads it: one fact a line and no signs.
func TestPlainAsSpoken(t *testing.T) {
	p := newLinePlay()
	p.service.Vars = map[string]string{"name": "Alex", "drink": "tea."}
	p.service.Persona.Machines[1].InputVariables = []personas.InputVariable{{Key: "drink"}, {Key: "name"}}
	p.service.Unlocked = []string{"m-cellar"}
	got := p.person(t, "redi|more|pass|pass|/machines cellar|pass|1|/quit", never, nil)
	want := `Talking to Mira in The gate as Alex. /help lists the commands.
Guards the gate of a small town.
Your aim: Talk the guard into it.
What you say wins or costs points; 2 by the end and you make it.
Mira: Halt, Alex!
  Who goes there, and what do you want in The gate?
Now: At the gate.
Score 0 of 2.
3 tries here.
An answer that misses uses a try; with the last it is over.
Small talk and questions cost nothing; a plain no can end it.
Mira: You said: redi.
  Here is what I think about it.
That used a try, 2 left here.
Mira: You said: more.
  Here is what I think about it.
Mira wants you to say more about it; that costs you nothing.
Mira: You said: pass.
  Here is what I think about it.
Now: In the yard.
Score 1 of 2. That was +1.
New step: 2 tries of its own.
Mira: You said: pass.
  Here is what I think about it.
Now: Through the gate.
Score 2 of 2. That was +1.
You made it.
The gate.
“pass” won Mira over. Your score of 2 is enough: it takes 2.
A new ending: 1 of 7 found. To find: 2 to lose here, 4 elsewhere.
/undo takes your last words back.
The gate is over. What now? Write a number; /quit leaves.
1. Go on to The cellar.
2. Play The gate again.
3. Take back “pass”.
4. Talk to somebody else.
Carried over. Drink: “tea”.
Carried over. Name: “Alex”.
Mira: Halt, Alex!
  Who goes there, and what do you want in The cellar?
Now: In the dark.
Mira: You said: pass.
  Here is what I think about it.
Now: In the light.
You made it.
The cellar.
“pass” won Mira over.
This opens The tower.
A new ending: 2 of 7 found. To find: 1 to lose here, 4 elsewhere.
/undo takes your last words back.
The cellar is over. What now? Write a number; /quit leaves.
1. Go on to The tower.
2. Play The cellar again.
3. Take back “pass”.
4. Talk to somebody else.
Mira: Halt, Alex!
  Who goes there, and what do you want in The tower?
Now: In the dark.
`
	assert.Equal(t, got, want, "spoken")
}

// TestPlainHasNoNoise: line mode's own output, for any command, avoids characters that a screen reader spells out.
func TestPlainHasNoNoise(t *testing.T) {
	p := newLinePlay()
	p.service.Tokens = wire.Tokens{In: 1234, Out: 56}
	got := p.person(t, "/help|/machines|/progress|/why|/direct|redi|/history|/reset|/nope|/copy|/quit", never,
		func(o *Options) { o.Debug, o.Directed = true, true })
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "Mira: Halt") { // The history, as it was said.
			continue
		}
		for _, r := range line {
			assert.True(t, r <= unicode.MaxASCII && !strings.ContainsRune("[]|*_~#=<>{}\\^", r),
				"%q is read aloud in %q", r, line)
		}
	}
	assert.Contains(t, got, "/copy needs the full screen")
	assert.Contains(t, got, "/parts: List")
	assert.NotContains(t, got, "/copy: ")
}

// TestPlainWaitsOutTheLimit: a rate limit is one sentence and a retry, and a lost connection is retried.
func TestPlainWaitsOutTheLimit(t *testing.T) {
	limit := &wire.Error{Status: http.StatusTooManyRequests, Message: "slow down", RetryAfter: 12 * time.Second}
	s := &failingService{Service: tuitest.NewService(), errs: []error{limit, tuitest.ErrLost}}
	p := newLinePlay()
	var waits []time.Duration
	got := p.person(t, "pass|/quit", at(&waits), func(o *Options) { o.Service = s })
	for _, want := range []string{"Not sent yet: the rate limit is reached. The next attempt is in 12 seconds. Write /stop to stop waiting.\n",
		"Not sent yet: the connection was lost: is the server running. The next attempt is in 2 seconds.", "Now: In the yard.\n"} {
		assert.Contains(t, got, want, "it does not say")
	}
	assert.EqualSlices(t, waits, []time.Duration{12 * time.Second, 2 * time.Second})
	assert.Must(t, len(s.keys) == 3, "it sent the keys %q", s.keys)
	assert.Equal(t, s.keys[0], s.keys[2])
}

// TestPlainKeepsTheWords: an empty line sends a failed message again, as the same turn; /stop ends a wait.
func TestPlainKeepsTheWords(t *testing.T) {
	s := &failingService{Service: tuitest.NewService(), errs: []error{tuitest.ErrLost, tuitest.ErrLost, tuitest.ErrLost, tuitest.ErrLost}}
	p := newLinePlay()
	var waits []time.Duration
	got := p.person(t, "pass||/quit", at(&waits), func(o *Options) { o.Service = s })
	assert.Contains(t, got, "An empty line sends your message again.\nMira: You said: pass.")
	assert.Equal(t, len(waits), conversation.MaxRetries, "waits")
	assert.Must(t, len(s.keys) == conversation.MaxRetries+2, "it sent the keys %q", s.keys)
	assert.Equal(t, s.keys[0], s.keys[conversation.MaxRetries+1])
	s, p = &failingService{Service: tuitest.NewService(), errs: []error{tuitest.ErrLost}}, newLinePlay()
	got = p.person(t, "pass||/quit", stopping(p), func(o *Options) { o.Service = s })
	assert.Contains(t, got, "/stop to stop waiting.\nNot sent: the connection was lost")
	assert.Contains(t, got, "Now: In the yard.")
}

// TestPlainRetryKeepsTheChat: if the reply to /retry is lost, the chat continues and an empty line sends the message again.
func TestPlainRetryKeepsTheChat(t *testing.T) {
	s := &failingService{Service: tuitest.NewService(), errs: []error{nil, tuitest.ErrLost}}
	p := newLinePlay()
	got := p.person(t, "pass|/retry||/quit", stopping(p), func(o *Options) { o.Service = s })
	assert.Contains(t, got, "Not sent: the connection was lost: is the server running?\nAn empty line sends your message again.\nMira: You said: pass.")
}

// TestPlainSessions: after a new session begins, the number of the old session resumes it.
func TestPlainSessions(t *testing.T) {
	p := newLinePlay()
	got := p.person(t, "pass|/new|/sessions|/sessions 0|/sessions 1|/sessions|/quit", never, nil)
	_, got, _ = strings.Cut(got, "New step: 2 tries of its own.\n")
	want := `Talking to Mira in The gate as Alex.
Your aim: Talk the guard into it.
What you say wins or costs points; 2 by the end and you make it.
Mira: Halt, Alex!
  Who goes there, and what do you want in The gate?
Now: At the gate.
Score 0 of 2.
3 tries here.
1. Mira, The gate, score 1 of 2, as Alex. Last message: You said: pass. Here is what I think about it.
2. Mira, The gate, score 0 of 2, as Alex, here. Last message: Halt, Alex! Who goes there, and what do you want in The gate?
Session "0" does not exist: /sessions lists the sessions, and /sessions 1 resumes the first.
Talking to Mira in The gate as Alex.
Continuing where you left off, after 1 message; /history prints the conversation.
`
	assert.True(t, strings.HasPrefix(got, want), "%s\nwant\n%s", got, want)
	isFirstHere := strings.Contains(got, "\n1. Mira, The gate, score 0 of 2, as Alex, here.")
	isSecondHere := strings.Contains(got, "\n2. Mira, The gate, score 1 of 2, as Alex, here.")
	assert.True(t, isFirstHere || isSecondHere, "no session is the present one in\n%s", got)
	known, _ := p.notes.Recall("mira")
	assert.Equal(t, known.UserSessionID, "u-1", "the present session")
}

// failingService fails turns before it makes them.
type failingService struct {
	*tuitest.Service
	errs []error
	keys []string
}

func (a *failingService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(string) error) (wire.Reply, error) {
	a.keys = append(a.keys, body.Key)
	if len(a.errs) > 0 {
		err := a.errs[0]
		if a.errs = a.errs[1:]; err != nil {
			return wire.Reply{}, err
		}
	}
	return a.Service.StreamMessage(ctx, persona, machine, body, onDelta)
}

// TestPlainStops: /stop ends the wait for a reply and voids its printed part. A long wait is reported.
func TestPlainStops(t *testing.T) {
	p := newLinePlay()
	late := func(d time.Duration) <-chan time.Time {
		if d != firstNoticeDelay {
			return nil
		}
		p.terminalPlayer.thinks = stopWord
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}
	got := p.person(t, "mute|/quit", late, nil)
	assert.Contains(t, got, "Mira is thinking. Write /stop to stop waiting.\n")
	assert.Contains(t, got, "Stopped.\nAn empty line sends your message again")
	p = newLinePlay()
	got = p.person(t, "mute|/quit", func(d time.Duration) <-chan time.Time {
		if d == noticeInterval && strings.Contains(p.terminalPlayer.read(), "is thinking, 33 seconds") {
			p.terminalPlayer.press(stopWord)
			return nil
		}
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}, nil)
	assert.InOrder(t, got, "Mira is thinking. Write /stop", "Mira is thinking, 33 seconds now. Write /stop to stop waiting.", "Stopped.")
	p = newLinePlay()
	got = p.person(t, "break|/quit", stopping(p), nil)
	assert.Contains(t, got, "Mira: Well, I\nThe reply broke off. The text above does not count.\n")
}

// TestVoice: sentences are complete for any division of the text into pieces.
func TestVoice(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Halt! Who goes there?", []string{"Halt!", "Who goes there?"}},
		{"It costs 3.50 or so... And? \"Yes.\" He left", []string{"It costs 3.50 or so...", "And?", `"Yes."`, "He left"}},
		{"1. One\n2. Two\n\n- **Three**\n> `Four`", []string{"1. One", "2. Two", "Three", "Four"}},
		{"*(smiles)* J. Doe, me.", []string{"(smiles) J. Doe, me."}},
		{"\x1b[2J\x07One\r\nTwo\tx", []string{"␛[2J␇One", "Two x"}},
		{"日本語。はい。そう", []string{"日本語。", "はい。", "そう"}},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			for _, size := range []int{1, 2, 7, 1000} {
				assert.EqualSlices(t, voiced(c.text, size), c.want, "%q by %d", c.text, size)
			}
		})
	}
}

func voiced(text string, size int) (said []string) {
	v := sentenceSplitter{say: func(s string, first bool) { said = append(said, s) }}
	for piece := range slices.Chunk([]byte(text), size) {
		v.addWords(string(piece))
	}
	v.endWords()
	return said
}

// FuzzVoice: the output does not depend on how a text is divided into pieces, and contains no control characters.
func FuzzVoice(f *testing.F) {
	f.Add("Halt! Who\x1b[2J goes *there*?\n- a. b\u202e", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole, cut := voiced(text, len(text)+1), voiced(text, size&15+1)
		assert.Must(t, slices.Equal(whole, cut), "%q, cut by %d %q", whole, size&15+1, cut)
		for _, s := range whole {
			assert.Must(t, !strings.ContainsFunc(s, terminal.IsObeyed) && strings.TrimSpace(s) != "", "%q is said", s)
		}
	})
}

func TestPlainCatchesUpWithAnEnding(t *testing.T) {
	p := newLinePlay()
	got := p.person(t, "pass|pass cut|/machines cellar|pass cut|1|pass|/quit", at(new([]time.Duration)), nil)
	assert.InOrder(t, got, "did arrive", "Mira: You said: pass cut.", "Now: Through the gate.", "Score 2 of 2. That was +1.",
		"You made it.", "This opens The cellar.", "The gate is over. What now?", "1. Go on to The cellar.",
		"did arrive", "You made it.", "This opens The tower.", "1. Go on to The tower.", "You made it.")
	assert.Equal(t, strings.Count(got, "Score 1 of 2"), 1, "what has not changed is said again:\n%s", got)
}

// spokenAfter returns the output for a person who types the lines, from a text on.
func spokenAfter(t *testing.T, from, in string, change func(*linePlay)) string {
	t.Helper()
	p := newLinePlay()
	if change != nil {
		change(p)
	}
	got := p.person(t, in, never, nil)
	_, after, found := strings.Cut(got, from)
	assert.Must(t, found, "it never says %q:\n%s", from, got)
	return after
}

// TestPlainState: the player's state, score, tries and parts are printed without the panel's signs.
func TestPlainState(t *testing.T) {
	got := spokenAfter(t, playwords.FreeTalkButNo+"\n", "/state|/quit", nil)
	want := `Now: At the gate.
Score 0 of 2.
3 tries here.
1. The gate: begun.
2. ???: closed, opens when you make it in The gate.
3. ???: closed, opens later.
`
	assert.Equal(t, got, want, "it")
}

func TestPlainSearch(t *testing.T) {
	got := spokenAfter(t, "In the yard.\n", "pass|/search|/search YARD nowhere|/search said pass|/quit", nil)
	want := `Score 1 of 2. That was +1.
New step: 2 tries of its own.
Write /search and the words to look for.
No message contains these words.
Mira: You said: pass. Here is what I think about it.
`
	assert.Equal(t, got, want, "it")
}

// TestPlainPersonas: another persona is found by unique words or by number; the player's name stays.
func TestPlainPersonas(t *testing.T) {
	got := spokenAfter(t, playwords.FreeTalkButNo+"\n", "/personas|/personas the|/personas merchant|/personas zebra|/personas 2|/personas 1|/quit", nil)
	want := `1. Mira: Guards the gate of a small town, and what lies below it.
2. Oskar: A merchant who never pays the first price.
1. Mira: Guards the gate of a small town, and what lies below it.
2. Oskar: A merchant who never pays the first price.
The persona was not changed: there is no persona oskar.
No persona matches these words. Write a number from 1 to 2, or other words.
The persona was not changed: there is no persona oskar.
Talking to Mira in The gate as Alex.
Continuing where you left off, after 1 message; /history prints the conversation.
`
	assert.True(t, strings.HasPrefix(got, want), "it says\n%s\nwant\n%s", got, want)
}

// Sessions are named and forgotten by number. The present session cannot be forgotten.
func TestPlainSessionsChange(t *testing.T) {
	in := "pass|/new|/sessions name 1 Winter|/sessions forget 2|/sessions forget x|/sessions|/sessions name 1|" +
		"/sessions name 1 " + strings.Repeat("x", conversation.MaxLabel+1) + "|/sessions forget 1|/sessions|/quit"
	got := spokenAfter(t, "New step: 2 tries of its own.\n", in, nil)
	want := `Talking to Mira in The gate as Alex.
Your aim: Talk the guard into it.
What you say wins or costs points; 2 by the end and you make it.
Mira: Halt, Alex!
  Who goes there, and what do you want in The gate?
Now: At the gate.
Score 0 of 2.
3 tries here.
The session is now called Winter.
This is the current session: /new starts another, /reset clears it.
Session "x" does not exist: /sessions lists the sessions, and /sessions 1 resumes the first.
1. Winter, The gate, score 1 of 2, with Mira as Alex. Last message: You said: pass. Here is what I think about it.
2. Mira, The gate, score 0 of 2, as Alex, here. Last message: Halt, Alex! Who goes there, and what do you want in The gate?
The session no longer has a name.
A session's name can have at most 60 characters.
The session is no longer in the list; its messages stay on the service.
1. Mira, The gate, score 0 of 2, as Alex, here. Last message: Halt, Alex! Who goes there, and what do you want in The gate?
`
	assert.Equal(t, got, want, "it")
}
